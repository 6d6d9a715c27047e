// topbit.contracts: checks that kernels do what the schemas of their operators say.
export module topbit.contracts;

export import :finding;
export import :checker;
export import :examples;
export import :exemptions;

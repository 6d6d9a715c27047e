// topbit.transform: vmap, which makes a function of one example a function of a batch.
export module topbit.transform;

export import topbit.ops;

export import :level;
export import :places;
export import :dual;
export import :batched;
export import :rule;
export import :elementwise;
export import :kind;
export import :registration;
export import :mapped;
export import :vmap;
export import :example_numbers;
export import :derivative;
export import :check;

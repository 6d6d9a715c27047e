// topbit: all of it but the GPU, which is a module of its own (topbit.cuda).
export module topbit;

export import topbit.core;
export import topbit.tensor;
export import topbit.autograd;
export import topbit.ops;
export import topbit.training;

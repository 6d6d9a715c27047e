// topbit: everything except CUDA, which is a separate module (topbit.cuda).
export module topbit;

export import topbit.core;
export import topbit.tensor;
export import topbit.autograd;
export import topbit.ops;
export import topbit.training;

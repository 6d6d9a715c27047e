// topbit, where it is built with TOPBIT_TRAINING=OFF: everything except topbit.training and topbit.cuda.
export module topbit;

export import topbit.core;
export import topbit.tensor;
export import topbit.autograd;
export import topbit.ops;

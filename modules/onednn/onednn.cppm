// topbit.onednn: tensors in the formats of oneDNN, and the operators that it computes. An optional module: it exists
// where the build found oneDNN.
export module topbit.onednn;

export import topbit.ops;

export import :operators;
export import :access;
export import :fallback;
export import :registration;

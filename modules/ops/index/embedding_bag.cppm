// Sums, means and maxima of bags of rows of a matrix: embedding() and a reduction in one pass.
export module topbit.ops:index.embedding_bag;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The rows of a matrix that a bag of indices selects, added up (mode 0), averaged (1) or their maximum (2).
///
/// Bag b has indices[offsets[b]] to indices[offsets[b + 1]], without the latter; the last bag ends with the indices, or
/// with include_last_offset, where offsets has one more element, at that offset.
///
/// Shapes   weight: [N, M], indices: [K], offsets: [B], or with include_last_offset [B + 1]; per_sample_weights: [K]
///          -> [B, M], and three tensors for the gradient: an empty one; the sizes of the bags, [B]; the rows of the
///          maxima, [B, M], of mode 2, otherwise an empty one. An empty bag gives zeros.
/// Dtypes   floating; indices and offsets int64 or int32. Rows of float16 and bfloat16 are added in float32
/// Gradient of weight and per_sample_weights, twice differentiable; with sparse=True that of weight is sparse
/// Errors   error for per_sample_weights with another mode than 0, and offsets that do not begin with 0, decrease or
///          are greater than K; shape_error for indices out of range. Nothing is written
/// Cost     one read of each selected row, one write of each result; no row is copied
inline constexpr op<
    "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
    "bool "
    "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, "
    "Tensor)">
    embedding_bag;

/// The same, without the rows of padding_idx: bags do not contain them, and they get no gradient. A negative
/// padding_idx counts from the end.
inline constexpr op<
    "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, "
    "bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, "
    "Tensor)">
    embedding_bag_padding_idx;

/// What the two call; a negative padding_idx is none.
inline constexpr op<
    "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
    "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> "
    "(Tensor, Tensor, Tensor, Tensor)">
    _embedding_bag;

}  // namespace topbit::aten

export namespace topbit {

inline constexpr overloads<aten::embedding_bag, aten::embedding_bag_padding_idx> embedding_bag;

}  // namespace topbit

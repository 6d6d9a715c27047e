// Sparse gradients of strided tables: what embedding with sparse=True and gather with sparse_grad=True call in
// backward.
export module topbit.sparse:lookup_gradients;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The gradient of embedding for its matrix, as a COO tensor with an entry for each index, in their order; duplicates
/// are not added up, and those equal to padding_idx are left out. Differentiable in grad.
///
/// Shapes   grad: [.., M], indices: [..] -> [num_weights, M], with one sparse dimension
/// Errors   error for scale_grad_by_freq=True; shape_error if grad has other sizes than indices and one more, and for
///          indices out of range
/// Cost     a copy of the indices; the entries share grad's elements, or with padding_idx a copy of them
inline constexpr op<
    "aten::embedding_sparse_backward(Tensor grad, Tensor indices, SymInt num_weights, int padding_idx, bool "
    "scale_grad_by_freq) -> Tensor">
    embedding_sparse_backward;

}  // namespace topbit::aten

export namespace topbit {

/// The gradient of gather for a tensor of these sizes, as a COO tensor with an entry for each element of index, all
/// dimensions sparse. Differentiable in grad.
///
/// Shapes   grad, index: [..] -> size
inline constexpr op<"topbit::gather_sparse_backward(Tensor grad, int dim, Tensor index, int[] size) -> Tensor">
    gather_sparse_backward;

}  // namespace topbit

namespace topbit::sparse {

bool register_lookup_gradients();
const bool lookup_gradients_registered = register_lookup_gradients();

}  // namespace topbit::sparse

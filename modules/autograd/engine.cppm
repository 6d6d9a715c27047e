// Running the graph backwards.
export module topbit.autograd:engine;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Adds the gradients of `root` to all leaves it was computed from. Without `gradient`, root must have one element.
///
/// Cost     one visit per node, deepest first, without recursion; saved tensors are dropped unless `retain_graph`
/// Errors   error if root needs no gradient, if the graph was released by an earlier backward, or if a saved tensor
///          was written in place; shape_error if root is no scalar or the gradient has another shape
export void backward(const tensor& root, const tensor& gradient = {}, bool retain_graph = false);

}  // namespace topbit

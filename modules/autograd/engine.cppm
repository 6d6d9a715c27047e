// Running the graph backwards.
export module topbit.autograd:engine;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Adds the gradients of `root` to all leaves it was computed from. Without `gradient`, root must have one element.
///
/// Cost     one visit per node, deepest first, without recursion; saved tensors are dropped at the end unless
///          `retain_graph`
/// Errors   error if root needs no gradient, if the graph was released by an earlier backward, if a saved tensor was
///          written in place, or if a rule's gradient does not fit its argument; shape_error if root is no scalar or
///          the gradient has another shape. After an error no leaf has changed, and the graph can be run again
/// Threads  graphs that share leaves may run at once; a graph that two threads run at once must be retained by both
export void backward(const tensor& root, const tensor& gradient = {}, bool retain_graph = false);

}  // namespace topbit

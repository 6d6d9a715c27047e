// What autograd hangs on a tensor, and how users ask for it.
export module topbit.autograd:variable;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit {

namespace detail {
bool has_edge(const tensor& t) noexcept;
}

/// True for a leaf that was asked to, and for every result computed from one.
export inline bool requires_grad(const tensor& t) noexcept {
  return t.record().autograd != nullptr && detail::has_edge(t);
}

/// Makes a leaf collect its gradient. Throws dtype_error for a tensor that is not floating, error for a result of
/// recorded operators. Returns its argument.
export const tensor& require_grad(const tensor& t, bool wanted = true);

/// The gradient collected so far; undefined if there is none. Backwards of several threads may collect at once.
export tensor grad(const tensor& t);
/// Drops the collected gradient.
export void clear_grad(const tensor& t) noexcept;

/// The same elements, outside the graph.
export tensor detach(const tensor& t);

export namespace author {

/// The node to which the gradient of t goes; empty if t needs none.
intrusive_ptr<node> gradient_edge(const tensor& t);
/// Makes t the result of a recorded call. Throws error if t is undefined: all undefined tensors are one object.
void set_creator(const tensor& t, intrusive_ptr<node> creator);

}  // namespace author

}  // namespace topbit

// What autograd hangs on a tensor, and how users ask for it: a leaf, the node of the call that made it, or what a view
// is a view of.
export module topbit.autograd:variable;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit {

/// Where the gradient of a leaf arrives. The leaf and the edges to it share it, so that a leaf can go before its graph.
export class leaf_node final : public node {
 public:
  inline leaf_node() noexcept : node(detail::is_leaf) {}
  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override;
  void release() noexcept override;
  std::string_view name() const noexcept override;

  /// What was gathered so far; undefined if nothing was.
  tensor gradient() const noexcept;
  void set_gradient(tensor gradient) noexcept;
  /// Adds to what was gathered; threads may do so at once. A gradient that anybody else can see is left as it is, and
  /// the sum is another tensor.
  void accumulate(tensor gradient);

 private:
  // Recursive, as a layer of the user's may look at the gradient while it is added to.
  mutable std::recursive_mutex mutex_;
  tensor gradient_;
};

namespace detail {

// Dense, with elements that nobody else sees, and outside any graph.
bool is_sole(const tensor& t) noexcept;
// Throws as set_leaf_grad() does.
void check_given_gradient(std::string_view who, const tensor& of, const tensor& gradient);

bool view_requires_grad(const tensor& t) noexcept;
intrusive_ptr<node> edge_of_view(const tensor& t);
// The node as it is now: none for a view whose node would have to be made again.
intrusive_ptr<node> present_node(const tensor& t) noexcept;
bool view_is_leaf(const tensor& t) noexcept;

inline tensor_extension* extension_of(const tensor& t) noexcept { return t.record().autograd.get(); }

}  // namespace detail

/// True for a leaf that was asked to, and for every result computed from one.
export inline bool requires_grad(const tensor& t) noexcept {
  const tensor_extension* e = detail::extension_of(t);
  return e != nullptr && (e->role != detail::is_view || detail::view_requires_grad(t));
}
/// True for a tensor that no recorded call made.
export inline bool is_leaf(const tensor& t) noexcept {
  const tensor_extension* e = detail::extension_of(t);
  return e == nullptr || e->role == detail::is_leaf || (e->role == detail::is_view && detail::view_is_leaf(t));
}

/// Makes a leaf collect its gradient. Throws dtype_error for a tensor that is not floating, error for a result of
/// recorded operators and for a tensor made in inference mode. Returns its argument.
export const tensor& require_grad(const tensor& t, bool wanted = true);

/// The gradient collected so far: of a leaf, or of a result of which retain_grad() was asked; undefined if there is
/// none. Backwards of several threads may collect at once.
export tensor leaf_grad(const tensor& t);
/// Replaces the collected gradient of a leaf. Throws error if t is no leaf that requires one, shape_error, dtype_error
/// or device_error if the gradient does not fit.
export void set_leaf_grad(const tensor& t, const tensor& gradient);
/// Drops the collected gradient.
export void zero_grad(const tensor& t) noexcept;

/// The same elements, outside the graph.
export tensor detach(const tensor& t);

export namespace author {

/// The node to which the gradient of t goes; empty if t needs none.
inline intrusive_ptr<node> gradient_edge(const tensor& t) {
  tensor_extension* const e = topbit::detail::extension_of(t);
  if (e == nullptr) return {};
  if (e->role == topbit::detail::is_view) return topbit::detail::edge_of_view(t);
  add_reference(e);
  return intrusive_ptr<node>(static_cast<node*>(e));
}
/// Makes t the result of a recorded call, in place of what it was. Throws error if t is undefined: all undefined
/// tensors are one object.
void set_creator(const tensor& t, intrusive_ptr<node> creator);

}  // namespace author

}  // namespace topbit

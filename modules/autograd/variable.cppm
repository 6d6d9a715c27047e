// Autograd's data on a tensor, and its accessors: a leaf, the node of the call that made it, or a view's base.
export module topbit.autograd:variable;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit {

/// Accumulates the gradient of a leaf. Shared by the leaf and the edges to it, so that a leaf may be destroyed before
/// its graph.
export class leaf_node final : public node {
 public:
  inline leaf_node() noexcept : node(detail::is_leaf) {}
  void backward(std::span<const tensor> of_results, std::span<tensor> of_inputs) override;
  void release() noexcept override;
  std::string_view name() const noexcept override;

  /// The accumulated gradient; undefined if there is none.
  tensor gradient() const noexcept;
  void set_gradient(tensor gradient) noexcept;
  /// Adds to the accumulated gradient; thread-safe. A shared gradient is not modified: the sum is another tensor.
  void accumulate(tensor gradient);

 private:
  // Recursive, since a user's layer may read the gradient during accumulation.
  mutable std::recursive_mutex mutex_;
  tensor gradient_;
};

namespace detail {

// Dense, unshared, and outside any graph.
bool is_sole(const tensor& t) noexcept;
// Throws as set_leaf_grad() does.
void check_given_gradient(std::string_view who, const tensor& of, const tensor& gradient);

bool view_requires_grad(const tensor& t) noexcept;
intrusive_ptr<node> edge_of_view(const tensor& t);
// The current node: none for a view whose node is out of date.
intrusive_ptr<node> present_node(const tensor& t) noexcept;
bool view_is_leaf(const tensor& t) noexcept;

// Autograd's own data of a tensor, behind those of other layers; of a wrapper, those of what it wraps.
inline intrusive_ptr<tensor_extension>& extension_slot(const tensor& t) noexcept {
  intrusive_ptr<tensor_extension>* e = &author::record_of(t).extension;
  while (*e && (*e)->role == author::layer_extension::chained) [[unlikely]] {
    auto* const layer = static_cast<author::layer_extension*>(e->get());
    e = layer->wraps ? &author::record_of(static_cast<author::wrapper_extension*>(layer)->wrapped).extension
                     : &layer->next;
  }
  return *e;
}
inline tensor_extension* extension_of(const tensor& t) noexcept { return extension_slot(t).get(); }

}  // namespace detail

/// True for a leaf with require_grad(), and for every result computed from one.
export inline bool requires_grad(const tensor& t) noexcept {
  const tensor_extension* e = detail::extension_of(t);
  return e != nullptr && (e->role != detail::is_view || detail::view_requires_grad(t));
}
/// True for a tensor that is not the result of a recorded call.
export inline bool is_leaf(const tensor& t) noexcept {
  const tensor_extension* e = detail::extension_of(t);
  return e == nullptr || e->role == detail::is_leaf || (e->role == detail::is_view && detail::view_is_leaf(t));
}

/// Makes a leaf accumulate its gradient. Throws dtype_error for a tensor that is not floating, error for a result of
/// recorded operators and for a tensor made in inference mode. Returns its argument.
export const tensor& require_grad(const tensor& t, bool wanted = true);

/// The accumulated gradient of a leaf, or of a result with retain_grad(); undefined if there is none. Several threads
/// may run backward concurrently.
export tensor leaf_grad(const tensor& t);
/// Replaces the accumulated gradient of a leaf. Throws error if t is not a leaf that requires one, shape_error,
/// dtype_error or device_error if the gradient does not match.
export void set_leaf_grad(const tensor& t, const tensor& gradient);
/// Drops the accumulated gradient.
export void zero_grad(const tensor& t) noexcept;

export namespace author {

/// The node to which the gradient of t goes; empty if t needs none.
inline intrusive_ptr<node> gradient_edge(const tensor& t) {
  tensor_extension* const e = topbit::detail::extension_of(t);
  if (e == nullptr) return {};
  if (e->role == topbit::detail::is_view) return topbit::detail::edge_of_view(t);
  add_reference(e);
  return intrusive_ptr<node>(static_cast<node*>(e));
}
/// Makes t the result of a recorded call. Throws error if t is undefined: all undefined tensors are one object.
void set_creator(const tensor& t, intrusive_ptr<node> creator);

}  // namespace author

}  // namespace topbit

// Views: tracks the base of a view, so that a write to either reaches the gradients of both.
//
// The first tensor of a chain of views is their base. When a call writes to a view, the graph of the base gets a node
// that replaces that part; every view of the base requests a new node when the version of the elements differs from
// that at its creation. (The scheme of PyTorch's in-place operators.)
export module topbit.autograd:view;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :mode;
import :node;
import :variable;

namespace topbit {

namespace detail {

enum class view_origin : std::uint8_t { recorded, no_grad, inference, one_of_several };

struct view_data final : tensor_extension {
  view_data(tensor of, view_origin from, std::uint32_t at) noexcept
      : tensor_extension(is_view), base(std::move(of)), version(at), origin(from) {}
  tensor base;  // not a view itself
  intrusive_ptr<node> creator;
  // Of the elements when `creator` was set. Written after it and read before it, so that a thread that sees this
  // version may read the creator without the lock under which another may have made it.
  std::atomic<std::uint32_t> version;
  view_origin origin;
};
inline view_data* view_of(const tensor& t) noexcept {
  tensor_extension* const e = extension_of(t);
  return e != nullptr && e->role == is_view ? static_cast<view_data*>(e) : nullptr;
}

}  // namespace detail

/// True for a tensor that an operator returned as a view of another.
export inline bool is_view(const tensor& t) noexcept { return detail::view_of(t) != nullptr; }
/// The base of a view, never a view itself. Undefined for a tensor that is not a view.
export inline tensor base_of(const tensor& t) noexcept {
  const detail::view_data* v = detail::view_of(t);
  return v != nullptr ? v->base : tensor();
}

export namespace author {

/// Marks `view` as a view of `base` if they share a storage. One of several views of one call cannot be written while
/// gradients are recorded.
void track_view(const tensor& base, const tensor& view, bool one_of_several = false);

/// Whether a recorded call may write to t. Throws error for a leaf that requires a gradient, for a view of one, for a
/// view that was made without recording or with others, and for a tensor made in inference mode.
void check_in_place(std::string_view op, const tensor& t);

/// After a recorded call has written to t: makes it the result of `creator`, and if it is a view, replaces that part of
/// its base. The node's first input must be t's edge before the call.
void rebase(const tensor& t, intrusive_ptr<node> creator);

}  // namespace author

}  // namespace topbit

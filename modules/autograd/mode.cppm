// Gradient modes: a state of the thread, stored in the key masks that the dispatcher reads anyway.
export module topbit.autograd:mode;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// False in a no_grad or inference_mode scope of this thread, and below the autograd kernels.
export inline bool grad_enabled() noexcept { return !current_thread_keys().exclude.intersects(autograd_keys); }

/// Records nothing for the length of the scope: calls skip autograd at no cost. In-place writes are still counted, and
/// views still tracked.
export class [[nodiscard("the guard ends with the full expression that makes it")]] no_grad : public exclude_guard {
 public:
  inline no_grad() noexcept : exclude_guard(autograd_keys) {}
};

/// Records again within a no_grad scope. Throws error in inference mode, where nothing can be recorded.
export class [[nodiscard("the guard ends with the full expression that makes it")]] enable_grad : public force_guard {
 public:
  inline enable_grad() : force_guard(enabled()) {}

 private:
  static thread_key_state enabled();
};

/// Records nothing, and makes tensors without autograd's keys, so that calls on them reach their kernels directly. Such
/// a tensor cannot be saved for backward nor require a gradient, outside the scope too; clone() it there. Tensors made
/// before keep their keys, and writes to them are counted.
export class [[nodiscard("the guard ends with the full expression that makes it")]] inference_mode {
 public:
  /// False makes a scope of normal mode within inference mode.
  inline explicit inference_mode(bool on = true) noexcept
      : keys_(for_mode(on)), before_(author::set_inference_mode(on)) {}
  inference_mode(const inference_mode&) = delete;
  inference_mode& operator=(const inference_mode&) = delete;
  inline ~inference_mode() { author::set_inference_mode(before_); }

 private:
  static inline thread_key_state for_mode(bool on) noexcept {
    const thread_key_state now = current_thread_keys();
    return {now.include, on ? now.exclude | autograd_keys : now.exclude - autograd_keys};
  }
  force_guard keys_;
  bool before_;
};
export inline bool is_inference_mode() noexcept { return author::in_inference_mode(); }
/// Made in inference mode, or a view of such a tensor.
export inline bool is_inference(const tensor& t) noexcept { return author::record_of(t).inference; }

/// For authors of kernels.
export namespace author {

/// Whether what a gradient rule computes from these tensors may be differentiated in turn: calls are recorded, or one
/// of them has a tangent. Where this is false, a rule may use a faster formula that cannot be differentiated.
template <std::same_as<tensor>... T>
bool may_be_derived(const T&... read) noexcept {
  return grad_enabled() || (read.keys().contains(key::ForwardAD) || ...);
}

/// For a kernel that has done autograd's work itself: calls in the scope skip autograd.
using below_autograd = no_grad;

/// The same, also without counting writes and tracking views. Not for users: a write in this scope can silently make a
/// gradient wrong.
class [[nodiscard("the guard ends with the full expression that makes it")]] below_views : public exclude_guard {
 public:
  inline below_views() noexcept : exclude_guard(autograd_keys | key_set(key::ADInplaceOrView)) {}
};

}  // namespace author

}  // namespace topbit

// Switching autocast on for a scope, and this thread's state.
export module topbit.autocast:scope;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Which casts a scope keeps until the outermost one ends. All are of float32 tensors, and are made anew when the
/// tensor has been written.
export enum class cached_casts : std::uint8_t {
  none,
  of_weights,        // leaves that require a gradient
  also_of_constants  // and tensors of more than 4096 elements that require none and have no views: frozen weights
};

namespace detail {

class cast_cache;

// Of one thread. Backends by their number.
struct autocast_state {
  std::uint32_t enabled = 0;
  std::array<dtype, author::backend_count + 1> lower{};
  cached_casts cached = cached_casts::of_weights;
  std::uint32_t depth = 0;           // scopes around this point
  cast_cache** outermost = nullptr;  // the cache of the outermost scope, made by its first cast

  inline bool is_on(backend b) const noexcept { return (enabled >> static_cast<unsigned>(b) & 1) != 0; }
};
extern constinit thread_local autocast_state this_thread_autocast [[gnu::tls_model("initial-exec")]];
// For layer_state.
void register_autocast_state();

}  // namespace detail

export struct autocast_options {
  /// bfloat16 or float16; what the backend prefers if not given: bfloat16 on the CPU, float16 on CUDA.
  std::optional<dtype> lower{};
  /// False makes a scope without autocast for this backend inside another one. Every backend takes it, so that one
  /// program is for backends with autocast and without.
  bool enabled = true;
  /// Activations in a scope without gradients are constants too: also_of_constants keeps them alive.
  cached_casts cached = cached_casts::of_weights;
};

/// Runs operators in a lower precision for the length of the scope, on this thread and backend: matrix products and
/// convolutions in bfloat16 or float16, what needs the range of float32 in float32, the rest as its arguments are (see
/// docs/autocast.md). Casts are recorded, so gradients of leaves have their dtype. Scopes nest; each restores the state
/// before it, also after an exception, and ends where it began: on the same thread, the innermost first.
///
/// The cast of a float32 leaf that requires a gradient is cached until the outermost scope ends or the leaf is
/// written. Gradient rules run without autocast, wherever backward() is called.
///
/// Throws device_error for a backend without autocast, unless the scope is not enabled; dtype_error for a dtype other
/// than bfloat16 and float16. Cost: off, nothing. Entering and leaving allocate nothing; the first cached cast does.
export class [[nodiscard("the scope ends with the full expression that makes it")]] autocast {
 public:
  explicit autocast(backend on, autocast_options options = {});
  autocast(const autocast&) = delete;
  autocast& operator=(const autocast&) = delete;
  ~autocast();

  /// Drops the casts cached so far on this thread.
  static void clear_cache() noexcept;

 private:
  // What the scope changes, as it was before.
  std::uint32_t enabled_before_, depth_before_;
  cached_casts cached_before_;
  dtype lower_before_;
  backend on_;
  detail::cast_cache* cache_ = nullptr;
  force_guard keys_;
};

/// Whether calls on this backend are cast now, on this thread.
export inline bool autocast_enabled(backend on) noexcept {
  return detail::this_thread_autocast.is_on(on) &&
         !current_thread_keys().exclude.intersects(key_set(key::AutocastFunctionality));
}
/// The dtype to which a scope on this backend casts now; what the backend prefers outside of scopes. Throws
/// device_error for a backend without autocast.
export dtype autocast_dtype(backend on);

export namespace author {

/// Gives a backend of one's own autocast, with the dtype it prefers. Once per backend, before its first scope; again
/// replaces the dtype. The operators' policies are installed apart, see `install_casts`.
void set_autocast_dtype(backend on, dtype preferred);

}  // namespace author

}  // namespace topbit

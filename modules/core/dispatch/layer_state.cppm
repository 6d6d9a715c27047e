// What the layers of a thread know, carried to another thread, or from the forward of a function to its backward.
//
// Most layers have no state but whether their key is in the thread's masks. One that has more registers it.
export module topbit.core:dispatch.layer_state;

import topbit.std;
import :keys.key;
import :keys.key_set;
import :dispatch.guard;

namespace topbit {

export namespace author {

/// The state that a layer has for each thread, besides its key.
struct layer_functions {
  /// The layer's functionality: whether a thread excludes it is part of the layer's state.
  key_set key;
  /// The calling thread's state; null for that of a new thread.
  std::shared_ptr<const void> (*current)() = nullptr;
  /// Makes such a state, of any thread, that of the calling one.
  void (*install)(const void* state) noexcept = nullptr;
  /// Whether the backward of a function runs with the state of its forward, as with autocast. Layers that watch calls,
  /// as modes do, have that of the thread that runs it.
  bool in_backward = true;
};

/// Registers a layer's state for as long as the process lives. Once, before other threads run calls: when its module is
/// initialised. Throws error if there are `most_layers` of them.
void add_layer_state(const layer_functions& layer);
inline constexpr std::size_t most_layers = 4;

/// The states of all layers that registered one. By default those of a new thread.
class layer_values {
 public:
  static layer_values of_this_thread();
  /// For the backward of a function: without those of layers that have `in_backward` false, which a guard leaves alone.
  static layer_values of_function();

 private:
  friend class layer_values_guard;
  static layer_values current(bool of_function);
  void install() const noexcept;

  std::array<std::shared_ptr<const void>, most_layers> states_;
  key_set excluded_ = topbit::detail::excluded_at_first;  // of the layers' keys
  bool of_function_ = false;
};

/// Runs a scope with such states; other keys of the thread are unchanged. Same thread only.
class [[nodiscard("the guard ends with the full expression that makes it")]] layer_values_guard : public force_guard {
 public:
  explicit layer_values_guard(const layer_values& values)
      : force_guard(with_keys_of(values)), before_(layer_values::current(values.of_function_)) {
    values.install();
  }
  ~layer_values_guard() { before_.install(); }

 private:
  static thread_key_state with_keys_of(const layer_values& values) noexcept;

  layer_values before_;
};

}  // namespace author

/// Everything that decides which layers a thread's calls pass, and what these do: its key sets, and the states of
/// layers such as autocast. By default those of a new thread.
export struct layer_state {
  thread_key_state keys;
  author::layer_values values;
};
/// That of this thread, to be copied to another one.
export inline layer_state current_layers() { return {current_thread_keys(), author::layer_values::of_this_thread()}; }

/// Runs a scope with the layers of another thread:
///
///   std::jthread([layers = tb::current_layers()] { const tb::layer_guard guard(layers); ... });
export class [[nodiscard("the guard ends with the full expression that makes it")]] layer_guard {
 public:
  explicit layer_guard(const layer_state& state) : keys_(state.keys), values_(state.values) {}
  layer_guard(const layer_guard&) = delete;
  layer_guard& operator=(const layer_guard&) = delete;

 private:
  force_guard keys_;
  author::layer_values_guard values_;
};

}  // namespace topbit

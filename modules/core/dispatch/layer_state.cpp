module topbit.core;

import topbit.std;

namespace topbit::author {

namespace {

struct registered_layers {
  std::array<layer_functions, most_layers> all{};
  std::atomic<std::size_t> count{0};

  std::span<const layer_functions> now() const noexcept {
    return std::span(all).first(count.load(std::memory_order_acquire));
  }
};
constinit registered_layers layers;

std::mutex& mutex_of_adding() {
  static std::mutex& mutex = hold_at_fork(*new std::mutex, fork_order::leaf);
  return mutex;
}

}  // namespace

void add_layer_state(const layer_functions& layer) {
  const std::lock_guard hold(mutex_of_adding());
  const std::size_t n = layers.count.load(std::memory_order_relaxed);
  if (n == most_layers) {
    throw error("add_layer_state: found " + std::to_string(n) + " layers with a state, and one more, wanted at most " +
                std::to_string(most_layers));
  }
  layers.all[n] = layer;
  layers.count.store(n + 1, std::memory_order_release);
}

layer_values layer_values::of_this_thread() { return current(false); }
layer_values layer_values::of_function() { return current(true); }

layer_values layer_values::current(bool of_function) {
  layer_values found;
  found.excluded_ = {};
  found.of_function_ = of_function;
  const key_set excluded = current_thread_keys().exclude;
  std::size_t i = 0;
  for (const layer_functions& layer : layers.now()) {
    std::shared_ptr<const void>& state = found.states_[i++];
    if (of_function && !layer.in_backward) continue;
    state = layer.current();
    found.excluded_ = found.excluded_ | (excluded & layer.key);
  }
  return found;
}

void layer_values::install() const noexcept {
  std::size_t i = 0;
  for (const layer_functions& layer : layers.now()) {
    const void* const state = states_[i++].get();
    if (!of_function_ || layer.in_backward) layer.install(state);
  }
}

thread_key_state layer_values_guard::with_keys_of(const layer_values& values) noexcept {
  thread_key_state keys = current_thread_keys();
  for (const layer_functions& layer : layers.now()) {
    if (values.of_function_ && !layer.in_backward) continue;
    keys.exclude = (keys.exclude - layer.key) | (values.excluded_ & layer.key);
  }
  return keys;
}

}  // namespace topbit::author

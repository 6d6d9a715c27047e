module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

// The lock keeps seed and offset consistent.
struct generator::state {
  mutable std::mutex lock;
  philox_state next;
};

generator::generator(std::uint64_t seed, key_set keys) : state_(std::make_shared<state>()), keys_(keys) {
  state_->next.seed = seed;
}

std::uint64_t generator::seed() const noexcept {
  const std::lock_guard hold(state_->lock);
  return state_->next.seed;
}

void generator::set_seed(std::uint64_t seed) noexcept {
  const std::lock_guard hold(state_->lock);
  state_->next = {seed, 0};
}

philox_state generator::take(std::uint64_t count) noexcept {
  const std::lock_guard hold(state_->lock);
  const philox_state taken = state_->next;
  state_->next.offset += count;
  return taken;
}

// Never destroyed: threads may draw random numbers until the process ends.
struct detail::default_generators {
  std::mutex lock;
  std::uint64_t seed = 67280421310721;  // PyTorch's default seed
  std::map<std::pair<device_type, int>, generator> all;

  default_generators() { author::hold_at_fork(lock, author::fork_order::calling); }
  generator& of(device where) {
    const auto [at, is_new] = all.try_emplace(std::pair(where.type, int{where.index}), seed);
    if (is_new) author::hold_at_fork(at->second.state_->lock, author::fork_order::leaf);
    return at->second;
  }
};

namespace {

detail::default_generators& defaults() {
  static auto* const it = new detail::default_generators;
  return *it;
}
// At load: in a child, a thread that was making them would never end.
[[maybe_unused]] const detail::default_generators& made_at_load = defaults();

}  // namespace

generator default_generator(device where) {
  detail::default_generators& d = defaults();
  const std::lock_guard hold(d.lock);
  return d.of(where);
}

generator manual_seed(std::uint64_t seed) {
  detail::default_generators& d = defaults();
  const std::lock_guard hold(d.lock);
  d.seed = seed;
  for (auto& [where, g] : d.all) g.set_seed(seed);
  return d.of(cpu);
}

}  // namespace topbit

module topbit.tensor;

import topbit.std;

namespace topbit {

// Seed and position change together.
struct generator::state {
  mutable std::mutex lock;
  random_stretch next;
};

generator::generator(std::uint64_t seed) : state_(std::make_shared<state>()) { state_->next.seed = seed; }

std::uint64_t generator::seed() const noexcept {
  const std::lock_guard hold(state_->lock);
  return state_->next.seed;
}

void generator::set_seed(std::uint64_t seed) noexcept {
  const std::lock_guard hold(state_->lock);
  state_->next = {seed, 0};
}

random_stretch generator::take(std::uint64_t count) noexcept {
  const std::lock_guard hold(state_->lock);
  const random_stretch taken = state_->next;
  state_->next.first += count;
  return taken;
}

}  // namespace topbit

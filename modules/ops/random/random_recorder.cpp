module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::author {

namespace {
constinit thread_local random_recorder* innermost = nullptr;
}  // namespace

random_recorder::random_recorder() noexcept : outer_(std::exchange(innermost, this)) {}
random_recorder::~random_recorder() { innermost = outer_; }

bool random_recorder::is_recording() noexcept { return innermost != nullptr; }

std::optional<recorded_numbers> random_recorder::ask(device where, const generator& source, std::uint64_t count) {
  for (random_recorder* one = innermost; one != nullptr; one = one->outer_) {
    if (auto recorded = one->draw(where, source, count)) return recorded;
  }
  return {};
}

}  // namespace topbit::author

module topbit.transform;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

constinit thread_local const batch_level* this_thread_level [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint64_t new_level_number() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

level_scope::level_scope(std::int64_t size, randomness random, chunk_place place) noexcept
    : level_{new_level_number(), size, random, this_thread_level, place, author::random_stream::depth()},
      birth_before_(author::set_birth_number(birth_of(level_))),
      mode_(key::FuncTorchVmapMode) {
  this_thread_level = &level_;
}

std::int64_t depth_of(const batch_level& l) noexcept {
  std::int64_t depth = 0;
  for (const batch_level* at = &l; at != nullptr; at = at->outer) ++depth;
  return depth;
}

std::string describe(const batch_level& l) {
  return std::to_string(l.size) + (l.size == 1 ? " example" : " examples") + ", level " + std::to_string(depth_of(l));
}

}  // namespace topbit::detail

module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {
constinit thread_local recording* innermost = nullptr;
}

recording::recording(registry& r) noexcept : registry_(&r), outer_(std::exchange(innermost, this)) {}
recording::~recording() { close(); }

void recording::close() noexcept {
  if (std::exchange(open_, false)) innermost = outer_;
}

recording::suspension::suspension() noexcept : before_(std::exchange(innermost, nullptr)) {}
recording::suspension::~suspension() { innermost = before_; }

recording* recording::of(const registry& r) noexcept {
  for (recording* each = innermost; each != nullptr; each = each->outer_) {
    if (each->registry_ == &r) return each;
  }
  return nullptr;
}

bool recording::forget(std::uint64_t id) noexcept {
  return std::erase_if(requests_, [&](const request& r) { return r.id == id; }) != 0;
}

}  // namespace topbit::detail

// Tensors as bytes, and a cache limit of host memory for one test. Statistics are process-wide, so tests compare with
// the values at their start. A build with the address sanitizer starts without a cache, so tests set the limit they
// need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

import topbit.core;
import topbit.tensor;

namespace support {

inline constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
inline constexpr std::size_t first_limit =
#if __has_feature(address_sanitizer)
    0;
#else
    1024 * MiB;
#endif

struct limit {
  explicit limit(std::size_t bytes) {
    topbit::release_cached_memory();
    topbit::set_host_memory_limit(bytes);
  }
  ~limit() { topbit::set_host_memory_limit(first_limit); }
};

inline topbit::tensor bytes(std::size_t n) {
  return topbit::author::make_tensor({static_cast<std::int64_t>(n)}, topbit::dtype::boolean, topbit::cpu);
}
inline void fill(const topbit::tensor& t, int with) {
  std::memset(t.data(), with, topbit::author::record_of(t).data->bytes);
}
inline bool holds(const topbit::tensor& t, int value) {
  const auto* const at = static_cast<const unsigned char*>(topbit::author::record_of(t).data->data);
  for (std::size_t i = 0; i < topbit::author::record_of(t).data->bytes; ++i) {
    if (at[i] != value) return false;
  }
  return true;
}
template <class F>
void elsewhere(F f) {
  std::thread(f).join();
}

}  // namespace support

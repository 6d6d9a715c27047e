// Memory of a device that the host cannot access, for backends that tests register: its addresses have a bit set that
// no host address has. Counts what is copied, and what is not given back. Include this file after every other header:
// it imports.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

import topbit;

namespace far_memory {

namespace tb = topbit;

inline std::atomic<std::int64_t> blocks = 0, bytes_in = 0, bytes_out = 0;

template <class T>
T* flipped(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) ^ std::uintptr_t{1} << 62);
}
inline void* allocate(tb::device, std::size_t bytes) {
  void* const p = std::malloc(bytes);
  if (p == nullptr) throw tb::device_error("found no memory for " + std::to_string(bytes) + " bytes");
  ++blocks;
  return flipped(p);
}
inline void release(tb::device, void* p) noexcept {
  --blocks;
  std::free(flipped(p));
}
inline void copy_in(tb::device, void* to, const void* from, std::size_t bytes) {
  bytes_in += static_cast<std::int64_t>(bytes);
  std::memcpy(flipped(to), from, bytes);
}
inline void copy_out(tb::device, void* to, const void* from, std::size_t bytes) {
  bytes_out += static_cast<std::int64_t>(bytes);
  std::memcpy(to, flipped(from), bytes);
}
inline constexpr tb::memory_hook hook{allocate, release, copy_in, copy_out};

}  // namespace far_memory

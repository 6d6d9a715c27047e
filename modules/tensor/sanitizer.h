// Poisons unused bytes of allocated blocks, so that AddressSanitizer reports access to them. No-op in other builds.
#pragma once

#include <cstddef>

#if __has_feature(address_sanitizer)
#  include <sanitizer/asan_interface.h>
#endif

namespace sanitizer {

// Bytes left unused between the head of a block and its elements, to be poisoned.
#if __has_feature(address_sanitizer)
inline constexpr std::size_t gap = 64;
inline void forbid(const void* from, std::size_t bytes) noexcept { __asan_poison_memory_region(from, bytes); }
inline void allow(const void* from, std::size_t bytes) noexcept { __asan_unpoison_memory_region(from, bytes); }
#else
inline constexpr std::size_t gap = 0;
inline void forbid(const void*, std::size_t) noexcept {}
inline void allow(const void*, std::size_t) noexcept {}
#endif

}  // namespace sanitizer

// Memory that belongs to a block and to nobody in it: the address sanitizer reports who touches it. Nothing elsewhere.
#pragma once

#include <cstddef>

#if __has_feature(address_sanitizer)
#  include <sanitizer/asan_interface.h>
#endif

namespace sanitizer {

// What is left free between two owners of a block, for it to be forbidden.
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

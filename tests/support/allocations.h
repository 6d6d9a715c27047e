// What this thread has asked the heap for: allocations.cpp replaces operator new and counts. A sanitizer keeps operator
// new to itself; then nothing is counted.
#pragma once

#include <cstddef>

namespace toy {

/// How often.
std::size_t allocations() noexcept;
/// Bytes it was given and has not given back. Meaningless where one thread frees what another one allocated.
std::ptrdiff_t live_bytes() noexcept;
/// The most that live_bytes() was since begin_peak().
std::ptrdiff_t peak_bytes() noexcept;
void begin_peak() noexcept;
/// The n-th allocation from now on, and no other, throws bad_alloc; 0: none.
void fail_allocation(std::size_t n) noexcept;

}  // namespace toy

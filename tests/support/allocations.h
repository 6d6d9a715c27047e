// Heap allocations of the calling thread, counted by replacing operator new in allocations.cpp. A sanitizer's own
// operator new takes precedence; then nothing is counted.
#pragma once

#include <cstddef>

namespace toy {

/// Number of allocations.
std::size_t allocations() noexcept;
/// Bytes allocated and not yet freed. Meaningless if one thread frees what another one allocated.
std::ptrdiff_t live_bytes() noexcept;
/// The maximum of live_bytes() since begin_peak().
std::ptrdiff_t peak_bytes() noexcept;
void begin_peak() noexcept;
/// Only the n-th allocation from now on throws bad_alloc; 0: none.
void fail_allocation(std::size_t n) noexcept;

}  // namespace toy

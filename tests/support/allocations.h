// How often this thread has asked the heap for memory: allocations.cpp replaces operator new and counts. The thread
// sanitizer keeps operator new to itself; then nothing is counted.
#pragma once

#include <cstddef>

namespace toy {

std::size_t allocations() noexcept;

}  // namespace toy

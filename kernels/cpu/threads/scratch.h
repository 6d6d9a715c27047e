// Working memory of a kernel: buffers per thread which only grow, so that a warm call allocates nothing.
//
// A kernel may hold one request of each level at a time; contents do not survive the next one of the same level. What
// runs in parts of a kernel asks for a level above the kernel's own, since the calling thread runs parts too.
#pragma once

#include <stdint.h>

namespace tb_cpu {

enum class scratch_level { kernel, part };

// Aligned to 64 bytes; null when memory has run out.
void* scratch(int64_t bytes, scratch_level level = scratch_level::kernel) noexcept;

}  // namespace tb_cpu

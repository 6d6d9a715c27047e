// Scratch memory for kernels: per-thread buffers that only grow, so that repeated calls allocate nothing.
//
// A kernel may hold one buffer of each level at a time; the next request of the same level invalidates it. Tasks use
// the level `part`, since the calling thread runs tasks too while it holds its `kernel` buffer, and the tasks of a
// convolution `image` too.
#pragma once

#include <stdint.h>

namespace tb_cpu {

enum class scratch_level { kernel, part, image };

// Aligned to 64 bytes; null if out of memory.
void* scratch(int64_t bytes, scratch_level level = scratch_level::kernel) noexcept;

}  // namespace tb_cpu

// Working memory of a kernel: one buffer per thread which only grows, so that a warm call allocates nothing.
//
// Contents do not survive from one request to the next, and a kernel may hold one request at a time.
#pragma once

#include <stdint.h>

namespace tb_cpu {

void* scratch(int64_t bytes) noexcept;  // aligned to 64 bytes; null when memory has run out

}  // namespace tb_cpu

// The number of threads that CPU kernels may use: TOPBIT_NUM_THREADS, or one per processor available to the process,
// unless set later.
#pragma once

#include <stdint.h>

namespace tb_cpu {

extern const int32_t most_threads;  // 1 in a build without threads

int32_t thread_count() noexcept;

// Sets parallel_grain from TOPBIT_PARALLEL_GRAIN. False if that is not an integer of at least 1.
bool read_parallel_grain() noexcept;

}  // namespace tb_cpu

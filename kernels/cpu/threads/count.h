// How many threads kernels of the host may use: TOPBIT_NUM_THREADS, or one per processor this process may run on, until
// somebody sets another number.
#pragma once

#include <stdint.h>

namespace tb_cpu {

extern const int32_t most_threads;  // 1 in a build without threads

int32_t thread_count() noexcept;

// Takes TOPBIT_PARALLEL_GRAIN over into parallel_grain. False if it is not a whole number of at least 1.
bool read_parallel_grain() noexcept;

}  // namespace tb_cpu

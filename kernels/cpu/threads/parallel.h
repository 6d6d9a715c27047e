// Parallel loops for CPU kernels.
//
// Wherever the partition affects a result (rounding), it must depend on the problem alone and never on the number of
// threads, so that results are the same for every number of threads. Nested parallel loops run sequentially.
#pragma once

#include <stdint.h>

namespace tb_cpu {

// The minimum work of a task, in elements: below it, a second thread costs more than it gains. 32768 unless
// TOPBIT_PARALLEL_GRAIN is set when the kernel table is chosen; only tests change it later. It affects the distribution
// of work, never the order of a sum.
extern int64_t parallel_grain;

int32_t threads() noexcept;
// Calls part(context, i) for each i below `parts`, in any order; returns when all calls have returned.
void run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) noexcept;

namespace {

// Calls part(i) for each i below `parts`.
template <typename Part>
void each_part(int64_t parts, const Part& part) {
  if (parts == 1) return part(int64_t(0));
  run_parts(parts, [](const void* context, int64_t i) { (*static_cast<const Part*>(context))(i); }, &part);
}

}  // namespace
}  // namespace tb_cpu

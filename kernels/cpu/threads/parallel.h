// Work in parts, several of them at a time: what a kernel uses to run on more than one thread.
//
// What the parts are must follow from the work alone and never from the number of threads, wherever that can be seen in
// a result: so results are the same for every number. Parts inside a part run one after another.
#pragma once

#include <stdint.h>

namespace tb_cpu {

// The least work of a part, in elements: below it a second thread costs more than it brings. 32768 unless
// TOPBIT_PARALLEL_GRAIN says otherwise when the kernel table is chosen, and never changed after that but by tests. It
// decides who does what, and not in which order a sum is made.
extern int64_t parallel_grain;

int32_t threads() noexcept;
// Calls part(context, i) for each i below `parts`, in any order; returns when all have ended.
void run_parts(int64_t parts, void (*part)(const void* context, int64_t i), const void* context) noexcept;

namespace {

// part(i) for each i below `parts`.
template <typename Part>
void each_part(int64_t parts, const Part& part) {
  if (parts == 1) return part(int64_t(0));
  run_parts(parts, [](const void* context, int64_t i) { (*static_cast<const Part*>(context))(i); }, &part);
}

}  // namespace
}  // namespace tb_cpu

// Decisions from the size of a plan: how to partition it among threads, and whether to use non-temporal stores.
#pragma once

#include "elementwise/for_each_row.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline int64_t positions(const tb_plan& plan) {
  int64_t count = 1;
  for (int d = 0; d < plan.ndim; ++d) count *= plan.sizes[d];
  return count;
}

// Bytes of operands that may fit in the cache together: more than most last-level caches have.
constexpr int64_t most_cached = int64_t(32) << 20;

// Whether to write the result with non-temporal stores. Not if the operands may fit in the cache together, nor in
// place, since the cache lines of the result are then already loaded.
inline bool passes_the_cache(const tb_plan& plan, int64_t count) {
  int64_t bytes = 0;
  for (int k = 0; k < plan.operands; ++k) {
    const tb_operand& operand = plan.operand[k];
    if (operand.strides[0] != 0) bytes += count * element_bytes[operand.dtype];
    if (k > 0 && operand.data == plan.operand[0].data) return false;
  }
  return bytes > most_cached;
}

// The part of a plan that begins at `first` along dimension d and has `count` positions there.
inline tb_plan slice(const tb_plan& plan, int d, int64_t first, int64_t count) {
  tb_plan part = plan;
  part.sizes[d] = count;
  for (int o = 0; o < plan.operands; ++o) {
    tb_operand& operand = part.operand[o];
    operand.data = static_cast<char*>(operand.data) + first * operand.strides[d] * element_bytes[operand.dtype];
  }
  return part;
}

// The dimension, at least `least`, to split into `parts`: the outermost one that is long enough, or the longest.
inline int dimension_to_cut(const tb_plan& plan, int least, int64_t parts) {
  int longest = least;
  for (int d = plan.ndim - 1; d >= least; --d) {
    if (plan.sizes[d] >= 4 * parts) return d;
    if (plan.sizes[d] > plan.sizes[longest]) longest = d;
  }
  return longest;
}

// Calls run(part of the plan) for disjoint parts that cover the plan, in parallel if there is enough work. No part
// begins inside a cache line of a dense result.
template <typename Run>
void in_parts(const tb_plan& plan, int least, int64_t work, const Run& run) {
  const int64_t most = work / parallel_grain, count = threads();
  if (most < 2 || count < 2) return run(plan);
  const int64_t wanted = most < 4 * count ? most : 4 * count;
  const int d = dimension_to_cut(plan, least, wanted);
  const int64_t unit = d == 0 ? 64 : 1, size = plan.sizes[d];
  const int64_t step = ((size + wanted - 1) / wanted + unit - 1) / unit * unit;
  each_part((size + step - 1) / step, [&](int64_t i) {
    const int64_t first = i * step;
    run(slice(plan, d, first, size - first < step ? size - first : step));
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Parts of one long row, for loops whose result does not depend on them.
#pragma once

#include "isa/arch.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int most_row_parts = 16;

// How many parts of at least `least` elements, and of parallel_grain, occupy the threads.
inline int64_t row_parts(int64_t count, int64_t least = 1) {
  const int64_t grain = parallel_grain < least ? least : parallel_grain;
  if (count / 2 < grain) return 1;
  const int64_t most = count / grain;
  const int64_t wanted = threads() < most ? threads() : most;
  return wanted < 1 ? 1 : wanted < most_row_parts ? wanted : most_row_parts;
}

// Calls visit(part, first, last) for each part of the elements 0 to count - 1.
template <typename Visit>
void each_row_part(int64_t count, int64_t parts, const Visit& visit) {
  if (parts == 1) return visit(int64_t(0), int64_t(0), count);
  const int64_t some = (count + parts - 1) / parts;
  each_part(parts, [&](int64_t part) {
    const int64_t first = part * some < count ? part * some : count;
    visit(part, first, count - first < some ? count : first + some);
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Writes a dense run of elements in blocks, past the cache if the results are larger than it.
#pragma once

#include "elementwise/partition.h"
#include "stream.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Elements of a block, which fit in the first cache with those they are computed from.
constexpr int64_t written_block = 2048;

// Whether to stream the results of operands of so many bytes together.
constexpr bool passes_cache(int64_t bytes) { return can_stream && bytes > most_cached; }

// Calls write(first, count, to), which writes `count` elements from `first` on. If it streams, blocks begin at a cache
// line; call end_stream() after the last run.
template <typename E, typename Write>
void write_blocks(E* out, int64_t length, bool streams, const Write& write) {
  alignas(64) E buffer[written_block];
  for (int64_t i = 0, some = 0; i < length; i += some) {
    E* const to = out + i;
    some = length - i < written_block ? length - i : written_block;
    if (!streams) {
      write(i, some, to);
      continue;
    }
    const int64_t beside = int64_t(reinterpret_cast<uintptr_t>(to) % 64), rest = (64 - beside) / int64_t(sizeof(E));
    if (beside != 0 && rest < some) some = rest;
    write(i, some, buffer);
    stream(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(buffer), some * int64_t(sizeof(E)));
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Checks of indices against a range, for loops that read them again while they are in the first cache.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Indices that are checked together, before the first of them is used: a few KiB.
constexpr int64_t index_block = 512;

// Whether each index is from `lowest`, at most 0, to range - 1. Of an index outside, one of the two differences is
// negative, even if the other one wraps: the loop has neither branches nor comparisons.
inline bool indices_within(const int64_t* index, int64_t count, int64_t lowest, int64_t range) {
  uint64_t outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t value = uint64_t(index[i]);
    outside |= (value - uint64_t(lowest)) | (uint64_t(range) - 1 - value);
  }
  return count == 0 || (range > 0 && int64_t(outside) >= 0);
}

// Prefetches what lies some way behind `count` elements that are read in order: farther than a processor does by
// itself, which stops at each page.
template <typename T>
void prefetch_ahead(const T* at, int64_t count) {
  constexpr int64_t line = 64 / sizeof(T), ahead = 1024;
  for (int64_t i = 0; i < count; i += line) __builtin_prefetch(at + ahead + i);
}

// Prefetches a share of the row that is accessed at random after this one: it is read in order, while the loads of
// this row do not fill the memory channel. Not if that row is too long to stay in a cache, or mostly left out.
template <typename T>
void prefetch_share(const T* next, int64_t length, int64_t first, int64_t last, int64_t of) {
  constexpr int64_t line = 64 / sizeof(T), most = 256 * 1024 / sizeof(T);
  if (length > most || length / 4 > of) return;
  const bool whole = last - first == of;
  const int64_t begin = whole ? 0 : length * first / of, end = whole ? length : length * last / of;
  for (int64_t i = begin; i < end; i += line) __builtin_prefetch(next + i);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

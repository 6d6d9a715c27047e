// Prefetching of rows of a dense matrix that the entries of a sparse matrix name: these are at random places, which no
// processor foresees.
#pragma once

#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

template <typename I>
class row_prefetch {
 public:
  // Rows of `bytes` bytes, `step` bytes apart. The processor finds the rest of a long row by itself.
  row_prefetch(const matrix<I>& a, const void* dense, int64_t step, int64_t bytes)
      : plain_(a.plain),
        last_entry_(a.nnz - 1),
        dense_(static_cast<const char*>(dense)),
        step_(step),
        last_byte_((bytes < most ? bytes : most) - 1) {}

  // The row that an entry somewhat after e names.
  void operator()(int64_t e) const {
    const int64_t soon = e + distance < last_entry_ ? e + distance : last_entry_;
    const char* const row = dense_ + static_cast<int64_t>(plain_[soon]) * step_;
    for (int64_t byte = 0; byte < last_byte_; byte += cache_line) __builtin_prefetch(row + byte);
    __builtin_prefetch(row + last_byte_);
  }

 private:
  static constexpr int64_t distance = 12, cache_line = 64, most = 8 * cache_line;

  const I* plain_;
  int64_t last_entry_;
  const char* dense_;
  int64_t step_, last_byte_;
};

}  // namespace
}  // namespace tb_sparse::TOPBIT_ARCH

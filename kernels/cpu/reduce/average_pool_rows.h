// Average pooling in double: columns are summed first, several at a time, and then those of each window. Windows of
// whole rows are dense sums. Averages have no dilation.
//
// Vectors have eight lanes, whatever the ISA has, and the order of a sum depends on the window and the shape alone, so
// results are equal on every ISA.
#pragma once

#include "isa/arch.h"
#include "reduce/pool_windows.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t pool_lanes = 8;
template <typename T>
using pool_numbers [[gnu::vector_size(pool_lanes * sizeof(T))]] = T;

template <typename T>
void add_numbers(pool_numbers<double>& to, const T* from) {
  pool_numbers<T> next;
  __builtin_memcpy(&next, from, sizeof next);
  to += __builtin_convertvector(next, pool_numbers<double>);
}

// The sum of dense elements, in 32 partial sums.
template <typename T>
double dense_sum(const T* in, int64_t count) {
  constexpr int64_t vectors = 4;
  pool_numbers<double> all[vectors] = {};
  int64_t i = 0;
  for (; i + vectors * pool_lanes <= count; i += vectors * pool_lanes) {
    for (int64_t u = 0; u < vectors; ++u) add_numbers(all[u], in + i + u * pool_lanes);
  }
  for (int64_t u = 0; i + pool_lanes <= count; ++u, i += pool_lanes) add_numbers(all[u], in + i);
  const pool_numbers<double> joined = (all[0] + all[1]) + (all[2] + all[3]);
  double sum =
      ((joined[0] + joined[4]) + (joined[2] + joined[6])) + ((joined[1] + joined[5]) + (joined[3] + joined[7]));
  for (; i < count; ++i) sum += double(in[i]);
  return sum;
}

template <typename T>
class average_pool_rows {
 public:
  explicit average_pool_rows(const tb_pool& call) : call_(call) {
    for (int64_t x = 0; x < call.out_width && x < most_columns; ++x) columns_[x] = window(call, 1, x);
  }

  void run(const T* image, T* out) {
    for (int64_t y = 0; y < call_.out_height; ++y, out += call_.out_width) {
      // Known from the image before, if there is one row of windows.
      if (y != y_) rows_ = window(call_, 0, y), y_ = y;
      for (int64_t x = 0, end = 0; x < call_.out_width; x = end) end = run_from(x, image, out);
    }
  }

 private:
  static constexpr int64_t most_columns = 512, long_row = 16;

  range columns(int64_t x) const { return x < most_columns ? columns_[x] : window(call_, 1, x); }

  T average(double sum, range columns) const { return T(sum / double(divisor(call_, rows_, columns))); }

  // Windows of the row from x on, as many as there are column sums for; returns where they end.
  int64_t run_from(int64_t x, const T* image, T* out) {
    const range first = columns(x);
    const int64_t width = first.end - first.first;
    if (width > most_columns || (call_.out_width == 1 && width == call_.width)) {
      out[x] = average(sum_of_rows(image, first), first);
      return x + 1;
    }
    int64_t end = x + 1;
    while (end < call_.out_width && columns(end).end - first.first <= most_columns) ++end;
    sum_columns(image + first.first, columns(end - 1).end - first.first);
    for (; x < end; ++x) {
      const range at = columns(x);
      out[x] = average(sum_of_columns(at.first - first.first, at.end - first.first), at);
    }
    return end;
  }

  double sum_of_rows(const T* image, range columns) const {
    const int64_t height = rows_.end - rows_.first, count = columns.end - columns.first;
    const T* const first = image + columns.first;
    if (height <= 0) return 0;
    if (count == call_.width) return dense_sum(first + rows_.first * call_.width, height * count);
    double sum = 0;
    for (int64_t y = rows_.first; y < rows_.end; ++y) sum += dense_sum(first + y * call_.width, count);
    return sum;
  }

  void sum_columns(const T* first, int64_t count) {
    int64_t x = 0;
    for (; x + pool_lanes <= count; x += pool_lanes) {
      pool_numbers<double> sum = {};
      for (int64_t y = rows_.first; y < rows_.end; ++y) add_numbers(sum, first + y * call_.width + x);
      __builtin_memcpy(sums_ + x, &sum, sizeof sum);
    }
    for (; x < count; ++x) {
      sums_[x] = 0;
      for (int64_t y = rows_.first; y < rows_.end; ++y) sums_[x] += double(first[y * call_.width + x]);
    }
  }

  double sum_of_columns(int64_t first, int64_t end) const {
    if (end - first >= long_row) return dense_sum(sums_ + first, end - first);
    double sum = 0;
    for (int64_t x = first; x < end; ++x) sum += sums_[x];
    return sum;
  }

  const tb_pool& call_;
  int64_t y_ = -1;
  range rows_ = {};
  range columns_[most_columns];
  double sums_[most_columns];
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Softmax of contiguous rows in SIMD. May run in place.
//
// A row takes three steps: the maximum; exponentials and their sum; multiplication by 1 / sum. The first two end in a
// reduction of lanes, whose latency the next step would wait for. Therefore the exponentials of a row are computed
// between the first step of the next row and the last step of the previous row, which do not depend on them.
// Exponentials are computed once and kept in L1.
#pragma once

#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Rows of K registers.
template <typename T, int K>
struct softmax_few {
  static constexpr int64_t width = vec<T>::size;

  static void write(const T* exps, vec<T> scale, T* out, int64_t cols) {
    kept<T, K> row(exps, K * width);
    for (vec<T>& x : row.x) x = x * scale;
    row.store(out, cols);
  }

  static void run(int64_t cols, const rows_at& r) {
    alignas(64) T exps[2][K * width];
    vec<T> top = kept<T, K>(r.as<const T>(1), cols).greatest(), scale;
    for (int64_t i = 0; i < r.count; ++i) {
      vec<T> next_top;
      if (i + 1 < r.count) next_top = kept<T, K>(r.as<const T>(1, i + 1), cols).greatest();
      kept<T, K> row(r.as<const T>(1, i), cols);
      const vec<T> sum = row.exp_and_sum(top, cols);
      row.store(exps[i % 2], K * width);
      if (i > 0) write(exps[(i - 1) % 2], scale, r.as<T>(0, i - 1), cols);
      scale = vec<T>(T(1)) / sum;
      top = next_top;
    }
    write(exps[(r.count - 1) % 2], scale, r.as<T>(0, r.count - 1), cols);
  }
};

// Longer rows, up to most_held elements. Memory is prefetched two rows ahead.
template <typename T>
constexpr int64_t most_held = 8 * 1024 / sizeof(T);

template <typename T>
void softmax_held(int64_t cols, const rows_at& r) {
  alignas(64) T exps[2][most_held<T>];
  vec<T> top = greatest_of(r.as<const T>(1), cols), scale;
  const auto write = [&](int64_t i) {
    const T* const from = exps[i % 2];
    T* const out = r.as<T>(0, i);
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      store_lanes<T>(out + c, lanes, vec<T>::load_aligned(from + c) * scale);
    });
  };
  for (int64_t i = 0; i < r.count; ++i) {
    vec<T> next_top;
    if (i + 1 < r.count) next_top = greatest_of(r.as<const T>(1, i + 1), cols);
    const T* const soon = r.as<const T>(1, i + 2 < r.count ? i + 2 : i);
    T* const to = exps[i % 2];
    const vec<T> sum = sum_of_exp<T>(r.as<const T>(1, i), cols, top, [=](int64_t c, int64_t, vec<T> e) {
      e.store_aligned(to + c);
      __builtin_prefetch(soon + c);
    });
    if (i > 0) write(i - 1);
    scale = vec<T>(T(1)) / sum;
    top = next_top;
  }
  write(r.count - 1);
}

template <typename T>
void softmax(const rows_at& r) {
  const int64_t cols = r.length[0];
  if (cols == 0 || run_kept<T, softmax_few>(cols, r)) return;
  if (cols <= most_held<T>) return softmax_held<T>(cols, r);
  for (int64_t i = 0; i < r.count; ++i) {
    const T* const in = r.as<const T>(1, i);
    T* const out = r.as<T>(0, i);
    const vec<T> scale = vec<T>(T(1)) / store_exp(in, out, cols, greatest_of(in, cols));
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      store_lanes<T>(out + c, lanes, load_lanes(out + c, lanes, T(0)) * scale);
    });
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

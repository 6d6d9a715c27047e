// Cross entropy of rows of scores given their labels, and its gradient, in SIMD, on the loops of softmax_loops.h.
#pragma once

#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The weight of a row's label; 0 for the label to ignore.
template <typename T>
T label_weight(const rows_at& r, int64_t i) {
  const int64_t label = *r.as<const int64_t>(3, i);
  if (label == r.number[0].i) return T(0);
  return r.row[4] == nullptr ? T(1) : r.as<const T>(4, i)[label];
}

template <typename T>
void cross_entropy(const rows_at& r) {
  each_peaks<T>(r, 2, [&](int64_t first, int64_t count, const T* tops, const T* log_sums) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = first + i, label = *r.as<const int64_t>(3, row);
      const T weight = label_weight<T>(r, row);
      *r.as<T>(1, row) = weight;
      const bool ignored = label == r.number[0].i;
      *r.as<T>(0, row) = ignored ? T(0) : (log_sums[i] - (r.as<const T>(2, row)[label] - tops[i])) * weight;
    }
  });
}

template <typename T>
struct label_gradient {
  T scale;
  bool ignored;
  int64_t label;
  label_gradient(const rows_at& r, int64_t i)
      : scale(*r.as<const T>(1, i) * label_weight<T>(r, i)),
        ignored(*r.as<const int64_t>(3, i) == r.number[0].i),
        label(*r.as<const int64_t>(3, i)) {}
};

template <typename T, int K>
struct cross_entropy_backward_few {
  static void run(int64_t cols, const rows_at& r) {
    for (int64_t i = 0; i < r.count; ++i) {
      const label_gradient<T> of(r, i);
      T* const out = r.as<T>(0, i);
      kept<T, K> row(r.as<const T>(2, i), cols);
      const vec<T> scale = vec<T>(of.scale) / row.exp_and_sum(row.greatest(), cols);
      for (vec<T>& x : row.x) x = of.ignored ? vec<T>(T(0)) : x * scale;
      row.store(out, cols);
      if (!of.ignored) out[of.label] -= of.scale;
    }
  }
};

template <typename T>
void cross_entropy_backward(const rows_at& r) {
  const int64_t cols = r.length[0];
  if (cols == 0 || run_kept<T, cross_entropy_backward_few>(cols, r)) return;
  for (int64_t i = 0; i < r.count; ++i) {
    const label_gradient<T> of(r, i);
    const T* const in = r.as<const T>(2, i);
    T* const out = r.as<T>(0, i);
    const vec<T> scale = vec<T>(of.scale) / store_exp(in, out, cols, greatest_of(in, cols));
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      const vec<T> value = load_lanes(out + c, lanes, T(0)) * scale;
      store_lanes<T>(out + c, lanes, of.ignored ? vec<T>(T(0)) : value);
    });
    if (!of.ignored) out[of.label] -= of.scale;
  }
}

template <typename T>
rows_loop cross_entropy_loop(bool backward) {
  return {.run = backward ? cross_entropy_backward<T> : cross_entropy<T>, .many = true};
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

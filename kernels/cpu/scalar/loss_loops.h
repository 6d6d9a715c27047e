// Cross entropy of a row of scores given its label, and its gradient, in the scalar build: one element at a time,
// summed in double.
#pragma once

#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
void cross_entropy(const rows_at& r) {
  const int64_t n = r.length[2], label = *r.as<const int64_t>(3);
  const T *const in = r.as<const T>(2), *const weights = r.as<const T>(4);
  const bool ignored = label == r.number[0].i;
  const T weight = ignored ? T(0) : weights == nullptr ? T(1) : weights[label];
  *r.as<T>(1) = weight;
  *r.as<T>(0) = T(0);
  if (ignored) return;
  const double top = greatest_of(in, n), log_sum = ::log(sum_of_exp(in, n, top));
  *r.as<T>(0) = T((log_sum - (double(in[label]) - top)) * double(weight));
}

template <typename T>
void cross_entropy_backward(const rows_at& r) {
  const int64_t n = r.length[0], label = *r.as<const int64_t>(3);
  const T *const in = r.as<const T>(2), *const weights = r.as<const T>(4);
  T* const out = r.as<T>(0);
  const bool ignored = label == r.number[0].i;
  const double weight = ignored ? 0 : weights == nullptr ? 1 : double(weights[label]);
  const double scale = double(*r.as<const T>(1)) * weight;
  const double top = ignored ? 0 : greatest_of(in, n), sum = ignored ? 1 : sum_of_exp(in, n, top);
  for (int64_t c = 0; c < n; ++c) {
    out[c] = ignored ? T(0) : T((::exp(double(in[c]) - top) / sum - (c == label ? 1 : 0)) * scale);
  }
}

template <typename T>
rows_loop cross_entropy_loop(bool backward) {
  return {.run = backward ? cross_entropy_backward<T> : cross_entropy<T>};
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

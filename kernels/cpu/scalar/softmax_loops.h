// Softmax of rows in the scalar build, one element at a time, summed in double. May run in place.
#pragma once

#include <math.h>

#include <limits>

#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
double greatest_of(const T* in, int64_t cols) {
  double top = -std::numeric_limits<double>::infinity();
  for (int64_t c = 0; c < cols; ++c) top = double(in[c]) > top ? double(in[c]) : top;
  return top;
}

template <typename T>
double sum_of_exp(const T* in, int64_t cols, double shift) {
  double sum = 0;
  for (int64_t c = 0; c < cols; ++c) sum += ::exp(double(in[c]) - shift);
  return sum;
}

template <typename T>
void softmax(const rows_at& r) {
  const int64_t cols = r.length[0];
  const T* const in = r.as<const T>(1);
  T* const out = r.as<T>(0);
  const double top = greatest_of(in, cols), sum = sum_of_exp(in, cols, top);
  for (int64_t c = 0; c < cols; ++c) out[c] = T(::exp(double(in[c]) - top) / sum);
}

template <typename T>
void log_softmax(const rows_at& r) {
  const int64_t cols = r.length[0];
  const T* const in = r.as<const T>(1);
  T* const out = r.as<T>(0);
  const double top = greatest_of(in, cols), log_sum = ::log(sum_of_exp(in, cols, top));
  for (int64_t c = 0; c < cols; ++c) out[c] = T(double(in[c]) - top - log_sum);
}

template <typename T>
void softmax_backward(const rows_at& r) {
  const T *const gradient = r.as<const T>(1), *const result = r.as<const T>(2);
  T* const out = r.as<T>(0);
  double sum = 0;
  for (int64_t c = 0; c < r.length[0]; ++c) sum += double(gradient[c]) * double(result[c]);
  for (int64_t c = 0; c < r.length[0]; ++c) out[c] = T((double(gradient[c]) - sum) * double(result[c]));
}

template <typename T>
void log_softmax_backward(const rows_at& r) {
  const T *const gradient = r.as<const T>(1), *const result = r.as<const T>(2);
  T* const out = r.as<T>(0);
  double sum = 0;
  for (int64_t c = 0; c < r.length[0]; ++c) sum += double(gradient[c]);
  for (int64_t c = 0; c < r.length[0]; ++c) out[c] = T(double(gradient[c]) - ::exp(double(result[c])) * sum);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

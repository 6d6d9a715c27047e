// Mean and variance of a dense row in SIMD.
//
// Sums are pairwise, in the type T that elements are computed in. The variance is computed from the differences to an
// approximate mean, then corrected by the error of that mean, so that rows far from 0 keep their precision: the error
// is a few ulp of an element's distance from the mean. Squares outside the range of the type are summed in double.
#pragma once

#include <math.h>

#include "row_vectors.h"
#include "rowwise/moments.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether a sum of squares of floats is far enough from overflow and underflow.
template <typename T>
bool holds(double squares, double epsilon) {
  if constexpr (std::is_same_v<T, double>) return true;
  return squares < 1e37 && squares + epsilon > 1e-28;
}

// From sums of the differences to `mean`, an approximate mean of elements `step` apart, and of their squares.
template <typename T, typename E>
moments corrected(const E* in, int64_t n, int64_t step, T mean, double left, double squares, double epsilon) {
  const double rest = left / double(n), of_rest = left * rest;
  // The difference cancels if the mean was off by as much as the spread of the elements.
  if (!holds<T>(squares, epsilon) || squares - of_rest < squares / 2) return moments_in_double(in, n, step);
  return {double(n), double(mean), rest, squares - of_rest};
}

template <typename T, typename E>
moments moments_of_run(const E* in, int64_t n, double epsilon) {
  const T sum =
      sum_of_lanes<T>(sum_over<T>(n, [=](int64_t i, int64_t lanes) { return load_lanes(in + i, lanes, T(0)); }));
  const T mean = T(double(sum) / double(n));
  if (!isfinite(mean)) return moments_in_double(in, n, 1);
  const vec<T> shift(mean);
  const auto [left, squares] = sum_over<T>(n, [=](int64_t i, int64_t lanes) {
                                 const vec<T> x = load_lanes(in + i, lanes, mean) - shift;
                                 return several<T, 2>{{x, x * x}};
                               }).of;
  return corrected<T>(in, n, 1, mean, double(sum_of_lanes<T>(left)), double(sum_of_lanes<T>(squares)), epsilon);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Softmax of a row, in vectors. Results may stand where the input does.
#pragma once

#include <limits>

#include "batches.h"
#include "exponential.h"
#include "logarithm.h"
#include "pairwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Sums f(i, lanes) over a row in vectors; f yields zeros in the lanes it was not asked for.
template <typename T, typename F>
T sum_over(int64_t cols, F f) {
  constexpr int64_t width = vec<T>::size;
  return pairwise<512>(0, cols, [f](int64_t first, int64_t count) {
    vec<T> part(T(0));
    int64_t i = 0;
    for (; i + width <= count; i += width) part = part + f(first + i, width);
    if (i < count) part = part + f(first + i, count - i);
    return sum_of_lanes<T>(part);
  });
}

template <typename T>
vec<T> load_lanes(const T* at, int64_t lanes, T rest) {
  return lanes == int64_t(vec<T>::size) ? vec<T>::load_unaligned(at) : load_part(at, lanes, rest);
}

template <typename T>
void store_lanes(T* at, int64_t lanes, vec<T> value) {
  if (lanes == int64_t(vec<T>::size)) {
    value.store_unaligned(at);
  } else {
    store_part(at, lanes, value);
  }
}

// Calls visit(i, lanes) for each vector of a row, the last one perhaps short.
template <typename T, typename Visit>
void each_vector(int64_t cols, Visit visit) {
  constexpr int64_t width = vec<T>::size;
  int64_t i = 0;
  for (; i + width <= cols; i += width) visit(i, width);
  if (i < cols) visit(i, cols - i);
}

// A NaN may be missed; it comes back through the sum. Lanes past the end are -inf, whose exp is 0.
template <typename T>
T greatest_of(const T* in, int64_t cols) {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  vec<T> greatest(lowest);
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    const auto x = load_lanes(in + i, lanes, lowest);
    greatest = xsimd::select(x > greatest, x, greatest);
  });
  alignas(64) T each[vec<T>::size];
  greatest.store_aligned(each);
  T top = each[0];
  for (const T x : each) top = x > top ? x : top;
  return top;
}

template <typename T>
T sum_of_exp(const T* in, int64_t cols, vec<T> shift) {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  return sum_over<T>(cols, [=](int64_t i, int64_t lanes) { return exp<T>(load_lanes(in + i, lanes, lowest) - shift); });
}

template <typename T>
void softmax_row(const T* in, T* out, int64_t cols) {
  const vec<T> shift(greatest_of(in, cols));
  const vec<T> sum(sum_of_exp(in, cols, shift));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    store_lanes<T>(out + i, lanes, exp<T>(load_lanes(in + i, lanes, T(0)) - shift) / sum);
  });
}

template <typename T>
void log_softmax_row(const T* in, T* out, int64_t cols) {
  const vec<T> shift(greatest_of(in, cols));
  const vec<T> log_sum = log<T>(vec<T>(sum_of_exp(in, cols, shift)));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    store_lanes<T>(out + i, lanes, load_lanes(in + i, lanes, T(0)) - shift - log_sum);
  });
}

template <typename T>
void softmax_backward_row(const T* gradient, const T* result, T* out, int64_t cols) {
  const vec<T> sum(sum_over<T>(cols, [=](int64_t i, int64_t lanes) {
    return load_lanes(gradient + i, lanes, T(0)) * load_lanes(result + i, lanes, T(0));
  }));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    const auto probability = load_lanes(result + i, lanes, T(0));
    store_lanes<T>(out + i, lanes, (load_lanes(gradient + i, lanes, T(0)) - sum) * probability);
  });
}

template <typename T>
void log_softmax_backward_row(const T* gradient, const T* result, T* out, int64_t cols) {
  const vec<T> sum(sum_over<T>(cols, [=](int64_t i, int64_t lanes) { return load_lanes(gradient + i, lanes, T(0)); }));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    const auto probability = exp<T>(load_lanes(result + i, lanes, T(0)));
    store_lanes<T>(out + i, lanes, load_lanes(gradient + i, lanes, T(0)) - probability * sum);
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

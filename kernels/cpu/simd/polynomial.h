// Polynomials: the same for all elements, or one of sixteen per element.
#pragma once

#include <stddef.h>

#include "double_word.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Every `step`-th coefficient from `first` on, as a polynomial in `power`, which is x^step.
template <size_t step, typename T, size_t N>
vec<T> part_of_polynomial(vec<T> power, const T (&c)[N], size_t first) {
  size_t k = first + (N - 1 - first) / step * step;
  vec<T> sum(c[k]);
  for (; k >= first + step; k -= step) sum = multiply_add(sum, power, vec<T>(c[k - step]));
  return sum;
}

// c[0] + c[1] x + c[2] x^2 + ..., as two or four independent Horner chains: a single long chain is bound by latency,
// since the out-of-order window covers only a few iterations.
template <typename T, size_t N>
vec<T> ascending_polynomial(vec<T> x, const T (&c)[N]) {
  const vec<T> square = x * x;
  if constexpr (N < 4) {
    return part_of_polynomial<1>(x, c, 0);
  } else if constexpr (N < 10) {
    return multiply_add(part_of_polynomial<2>(square, c, 1), x, part_of_polynomial<2>(square, c, 0));
  } else {
    const vec<T> fourth = square * square;
    const vec<T> low = multiply_add(part_of_polynomial<4>(fourth, c, 1), x, part_of_polynomial<4>(fourth, c, 0));
    const vec<T> high = multiply_add(part_of_polynomial<4>(fourth, c, 3), x, part_of_polynomial<4>(fourth, c, 2));
    return multiply_add(high, square, low);
  }
}

// Table look-up by the lowest four bits of each index; the other bits are ignored.
#if defined(__AVX512F__)

inline vec<float> entry_of(const float (&table)[16], vec<uint32_t> index) {
  return _mm512_permutexvar_ps(index, _mm512_loadu_ps(table));
}
inline vec<double> entry_of(const double (&table)[16], vec<uint64_t> index) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table), index, _mm512_loadu_pd(table + 8));
}

#elif defined(__AVX2__)

inline vec<float> entry_of(const float (&table)[16], vec<uint32_t> index) {
  const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
  const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), index);
  return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28)));
}
inline vec<double> entry_of(const double (&table)[16], vec<uint64_t> index) {
  return _mm256_i64gather_pd(table, _mm256_and_si256(index, _mm256_set1_epi64x(15)), 8);
}

#else

template <typename T>
vec<T> entry_of(const T (&table)[16], vec<typename number<T>::bits> index) {
  alignas(64) typename number<T>::bits at[vec<T>::size];
  alignas(64) T lanes[vec<T>::size];
  index.store_aligned(at);
  for (size_t lane = 0; lane < vec<T>::size; ++lane) lanes[lane] = table[at[lane] & 15];
  return vec<T>::load_aligned(lanes);
}

#endif

// The piece of a piecewise polynomial on [0, 15.5 step] that x is in: k step is the multiple of step nearest to x, k is
// the index, and the polynomial is in the rest, x - k step.
template <typename T>
struct piece {
  vec<typename number<T>::bits> index;
  vec<T> rest;
};
template <typename T>
piece<T> piece_of(vec<T> x, T step) {
  const vec<T> magic(number<T>::magic), nearest = multiply_add(x, vec<T>(T(1) / step), magic);
  return {bits_of<T>(nearest), multiply_add(nearest - magic, vec<T>(-step), x)};
}

// c[first] + c[first + 1] x + ..., by Horner's rule.
template <size_t first, typename T, size_t N>
vec<T> polynomial_of_piece(vec<typename number<T>::bits> index, vec<T> x, const T (&c)[N][16]) {
  vec<T> sum = entry_of(c[N - 1], index);
  for (size_t k = N - 1; k > first; --k) sum = multiply_add(sum, x, entry_of(c[k - 1], index));
  return sum;
}

// A piecewise polynomial of x with a low part. c[0] and c[1] are the high and the low part of the constant coefficient.
// The high part of the result is c[0]; the low part is everything else.
template <typename T, size_t N>
parts<T> piecewise(parts<T> x, T step, const T (&c)[N][16]) {
  const auto [index, rest] = piece_of(x.high, step);
  return {entry_of(c[0], index), polynomial_of_piece<1>(index, rest + x.low, c)};
}
template <typename T, size_t N>
parts<T> piecewise(vec<T> x, T step, const T (&c)[N][16]) {
  return piecewise<T>({x, vec<T>(T(0))}, step, c);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

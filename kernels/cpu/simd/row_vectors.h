// Loads, stores and reductions of a contiguous row in SIMD registers.
#pragma once

#include "half_vectors.h"
#include "reduce/pairwise_sum.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

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

// Calls visit(i, lanes) for each register of a row; the last one may be partial.
template <typename T, typename Visit>
void each_vector(int64_t cols, Visit visit) {
  constexpr int64_t width = vec<T>::size;
  int64_t i = 0;
  for (; i + width <= cols; i += width) visit(i, width);
  if (i < cols) visit(i, cols - i);
}

// Sums f(i, lanes) over a row; f must yield 0 in the unused lanes. Its result type needs only operator+.
template <typename T, typename F>
auto sum_over(int64_t cols, F f) {
  constexpr int64_t width = vec<T>::size;
  return pairwise<32 * width>(0, cols, [f](int64_t first, int64_t count) {
    if (count < width) return f(first, count);
    auto part = f(first, width);
    int64_t i = width;
    for (; i + width <= count; i += width) part = part + f(first + i, width);
    if (i < count) part = part + f(first + i, count - i);
    return part;
  });
}

template <typename T, int N>
struct several {
  vec<T> of[N];
  friend several operator+(const several& a, const several& b) {
    several result = a;
    for (int k = 0; k < N; ++k) result.of[k] = a.of[k] + b.of[k];
    return result;
  }
};

// Reduces the lanes pairwise; every lane holds the result.
template <typename T, typename Fold>
vec<T> reduce_lanes(vec<T> x, Fold reducer) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    x = reducer(x, vec<T>(_mm512_shuffle_f32x4(x, x, 0x4E)));
    x = reducer(x, vec<T>(_mm512_shuffle_f32x4(x, x, 0xB1)));
    x = reducer(x, vec<T>(_mm512_permute_ps(x, 0x4E)));
    return reducer(x, vec<T>(_mm512_permute_ps(x, 0xB1)));
  } else {
    x = reducer(x, vec<T>(_mm512_shuffle_f64x2(x, x, 0x4E)));
    x = reducer(x, vec<T>(_mm512_shuffle_f64x2(x, x, 0xB1)));
    return reducer(x, vec<T>(_mm512_permute_pd(x, 0x55)));
  }
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<T, float>) {
    x = reducer(x, vec<T>(_mm256_permute2f128_ps(x, x, 1)));
    x = reducer(x, vec<T>(_mm256_permute_ps(x, 0x4E)));
    return reducer(x, vec<T>(_mm256_permute_ps(x, 0xB1)));
  } else {
    x = reducer(x, vec<T>(_mm256_permute2f128_pd(x, x, 1)));
    return reducer(x, vec<T>(_mm256_permute_pd(x, 5)));
  }
#else
  constexpr int width = vec<T>::size;
  for (int apart = width / 2; apart > 0; apart /= 2) {
    alignas(64) T lanes[width], permuted[width];
    x.store_aligned(lanes);
    for (int lane = 0; lane < width; ++lane) permuted[lane] = lanes[lane ^ apart];
    x = reducer(x, vec<T>::load_aligned(permuted));
  }
  return x;
#endif
}

template <typename T>
vec<T> sum_everywhere(vec<T> x) {
  return reduce_lanes(x, [](vec<T> a, vec<T> b) { return a + b; });
}
// If one argument is NaN, the second one.
template <typename T>
vec<T> greater(vec<T> a, vec<T> b) {
  return xsimd::select(a > b, a, b);
}
template <typename T>
vec<T> greatest_everywhere(vec<T> x) {
  return reduce_lanes(x, [](vec<T> a, vec<T> b) { return greater<T>(a, b); });
}

inline float first_lane(vec<float> x) {
#if defined(__AVX512F__)
  return _mm512_cvtss_f32(x);
#elif defined(__AVX2__)
  return _mm256_cvtss_f32(x);
#else
  return x.get(0);
#endif
}
inline double first_lane(vec<double> x) {
#if defined(__AVX512F__)
  return _mm512_cvtsd_f64(x);
#elif defined(__AVX2__)
  return _mm256_cvtsd_f64(x);
#else
  return x.get(0);
#endif
}

template <typename T>
T sum_of_lanes(vec<T> x) {
  return first_lane(sum_everywhere<T>(x));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

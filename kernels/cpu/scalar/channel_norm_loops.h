// Loops of the norms of channels in the scalar build, one element at a time. Sums are accumulated in double.
#pragma once

#include "rowwise/moments.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline void put(float& to, float x) { to = x; }
inline void put(double& to, double x) { to = x; }
inline void put(tb_kernel::half& to, float x) { to = tb_kernel::to_half(x); }
inline void put(tb_kernel::bfloat16& to, float x) { to = tb_kernel::to_bfloat16(x); }

// A number for all elements of a run, or one for each.
template <typename T>
struct same {
  T value;
  explicit same(T number) : value(number) {}
  double load(int64_t) const { return double(value); }
};
template <typename T>
struct each {
  const T* at;
  double load(int64_t i) const { return double(at[i]); }
};

template <typename T, typename E>
moments moments_of_run(const E* in, int64_t n, double) {
  return moments_in_double(in, n, 1);
}
// Of `count` adjacent columns of `n` elements, `step` apart.
template <typename T, typename E>
void moments_of_columns(const E* in, int64_t n, int64_t step, int64_t count, double, moments* all) {
  for (int64_t c = 0; c < count; ++c) all[c] = moments_in_double(in + c, n, step);
}

// out = (in - mean) * scale + shift.
template <typename T, typename E, template <typename> class Number>
void scale_run(const E* in, E* out, int64_t n, Number<T> mean, Number<T> scale, Number<T> shift) {
  for (int64_t i = 0; i < n; ++i) put(out[i], T((number_of(in[i]) - mean.load(i)) * scale.load(i) + shift.load(i)));
}

// The sums of gradient and of gradient * (in - mean).
template <typename T, typename E>
void sums_of_columns(const E* gradient, const E* in, int64_t n, int64_t step, int64_t count, const T* mean,
                     gradient_sums* all) {
  for (int64_t c = 0; c < count; ++c) {
    all[c] = {};
    for (int64_t i = c; i < c + n * step; i += step) {
      all[c].add({number_of(gradient[i]), number_of(gradient[i]) * (number_of(in[i]) - double(mean[c]))});
    }
  }
}
template <typename T, typename E>
gradient_sums sums_of_run(const E* gradient, const E* in, int64_t n, T mean) {
  gradient_sums sums;
  sums_of_columns<T>(gradient, in, n, 1, 1, &mean, &sums);
  return sums;
}

// out = gradient * by_gradient + (in - mean) * by_in + rest.
template <typename T, typename E, template <typename> class Number>
void gradient_run(const E* gradient, const E* in, E* out, int64_t n, Number<T> mean, Number<T> by_gradient,
                  Number<T> by_in, Number<T> rest) {
  for (int64_t i = 0; i < n; ++i) {
    const double other = (number_of(in[i]) - mean.load(i)) * by_in.load(i) + rest.load(i);
    put(out[i], T(number_of(gradient[i]) * by_gradient.load(i) + other));
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// exp(x - greatest) in SIMD, for sums of exponentials along rows and across them.
#pragma once

#include "exponential.h"
#include "reduce/reducers.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr bool exponentials_in_lanes = true;

template <typename T>
vec<T> shifted_exponential(vec<T> x, T shift) {
  return exp<T>(x - vec<T>(shift));
}
template <typename V>
V shifted_exponential(V x, double shift) {
  using T = std::remove_cvref_t<decltype(x[0])>;
  return __builtin_bit_cast(
      V, shifted_exponential<T>(vec<T>(__builtin_bit_cast(typename vec<T>::register_type, x)), T(shift)).data);
}

// reducing<F, T>::across for sums F of exponentials, with shift(constant) for each column.
template <typename F, typename T, double Shift(double)>
void add_exponentials_across(void* state, const void* elements, int64_t n, int64_t rows, int64_t step, int64_t) {
  constexpr int64_t flushed = 32, width = vec<T>::size;
  auto& s = *static_cast<typename reducing<F, T>::columns*>(state);
  const T* x = static_cast<const T*>(elements);
  T shifts[tile];
  for (int64_t c = 0; c < n; ++c) shifts[c] = T(Shift(s.constant[c]));
  for (int64_t r = 0; r < rows; ++r, x += step) {
    int64_t c = 0;
    for (; c + width <= n; c += width) {
      const vec<T> e = exp<T>(vec<T>::load_unaligned(x + c) - vec<T>::load_unaligned(shifts + c));
      (vec<T>::load_unaligned(s.part + c) + e).store_unaligned(s.part + c);
    }
    if (c < n) {
      const vec<T> e = exp<T>(load_part(x + c, n - c, T(0)) - load_part(shifts + c, n - c, T(0)));
      store_part<T>(s.part + c, n - c, load_part(s.part + c, n - c, T(0)) + e);
    }
    if ((r + 1) % flushed == 0) reducing<F, T>::move_parts(s, n);
  }
  reducing<F, T>::move_parts(s, n);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

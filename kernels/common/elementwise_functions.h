// Elementwise arithmetic, bitwise operations and predicates on one element, shared by the CPU's and CUDA's kernels.
//
// A function is a struct with a static apply(); T is float, double, int64_t or bool_t, a byte that is 0 or 1.
// Parameters of an operation (alpha, bounds, ...) are passed as `k`, in T. int64_t wraps by unsigned arithmetic, as
// signed overflow is undefined; integer divisors were checked not to be zero.
#pragma once

#include <math.h>
#include <stdint.h>

#include <type_traits>

#include "function.h"
#include "is_nan.h"

namespace tb_kernel {
namespace {

using bool_t = uint8_t;

template <typename T>
struct numbers {
  T n0, n1, n2;
};

template <typename T>
inline constexpr bool is_float = std::is_floating_point_v<T>;
template <typename T>
using wrapping = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;

namespace fn {

// Arithmetic.

struct fill {
  template <typename T>
  static TB_FUNCTION T apply(const numbers<T>& k) {
    return k.n0;
  }
};
struct neg {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return -x;
    return T(0 - wrapping<T>(x));
  }
};
struct abs {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::fabs(x);
    if constexpr (std::is_same_v<T, bool_t>) return x;
    return x < 0 ? T(0 - wrapping<T>(x)) : x;
  }
};
struct sign {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T((x > T(0)) - (x < T(0)));
  }
};
struct square {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(wrapping<T>(x) * wrapping<T>(x));
  }
};
struct relu {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return x <= T(0) ? T(0) : x;
  }
};
struct deg2rad {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return x * T(0.01745329251994329577);  // pi / 180
  }
};
struct rad2deg {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return x * T(57.295779513082320877);  // 180 / pi
  }
};
struct reciprocal {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(1) / x;
  }
};

struct add {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    if constexpr (std::is_same_v<T, bool_t>) return a | (k.n0 & b);
    return T(wrapping<T>(a) + wrapping<T>(k.n0) * wrapping<T>(b));
  }
};
struct sub {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    return T(wrapping<T>(a) - wrapping<T>(k.n0) * wrapping<T>(b));
  }
};
struct mul {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (std::is_same_v<T, bool_t>) return a & b;
    return T(wrapping<T>(a) * wrapping<T>(b));
  }
};
struct div {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a / b;
  }
};
struct div_trunc {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (is_float<T>) {
      return ::trunc(a / b);
    } else {
      return b == -1 ? T(0 - wrapping<T>(a)) : a / b;
    }
  }
};
struct fmod {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (is_float<T>) {
      return T(::fmod(a, b));
    } else {
      return b == -1 ? T(0) : a % b;
    }
  }
};
struct remainder {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    const T rest = fmod::apply(a, b, k);
    return rest != T(0) && (b < T(0)) != (rest < T(0)) ? T(rest + b) : rest;
  }
};
// Computed from the remainder, so that a quotient just below an integer is not rounded up to it (as in Python's
// divmod).
struct div_floor {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    if constexpr (is_float<T>) {
      if (b == T(0)) return a / b;
      const T rest = T(::fmod(a, b));
      T quotient = (a - rest) / b;
      if (rest != T(0) && (b < T(0)) != (rest < T(0))) quotient -= T(1);
      if (quotient == T(0)) return T(::copysign(T(0), a / b));
      const T whole = ::floor(quotient);
      return quotient - whole > T(0.5) ? whole + T(1) : whole;
    } else {
      const T quotient = div_trunc::apply(a, b, k);
      return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }
  }
};
struct pow {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (is_float<T>) {
      return T(::pow(a, b));
    } else {
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
      uint64_t result = 1, factor = uint64_t(a);
      for (uint64_t rest = uint64_t(b); rest != 0; rest /= 2, factor *= factor) {
        if (rest % 2 != 0) result *= factor;
      }
      return T(result);
    }
  }
};
struct maximum {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a > b || is_nan(a) ? a : b;
  }
};
struct minimum {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a < b || is_nan(a) ? a : b;
  }
};
// Comparisons in this order pass a NaN of x, and are one instruction each; whether a bound is NaN is the same for all
// elements.
struct clamp {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    const T above = k.n0 > x ? k.n0 : x, inside = k.n1 < above ? k.n1 : above;
    return is_nan(k.n0) ? k.n0 : is_nan(k.n1) ? k.n1 : inside;
  }
};
struct fmax {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a > b || is_nan(b) ? a : b;
  }
};
struct fmin {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a < b || is_nan(b) ? a : b;
  }
};
struct threshold_backward {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    return b <= k.n0 ? T(0) : a;  // where b is NaN the gradient passes
  }
};
struct heaviside {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a == T(0) ? b : T(a > T(0));
  }
};
struct where {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, T c, const numbers<T>&) {
    return a != T(0) ? b : c;
  }
};
struct addcmul {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, T c, const numbers<T>& k) {
    return T(wrapping<T>(a) + wrapping<T>(k.n0) * wrapping<T>(b) * wrapping<T>(c));
  }
};
struct addcdiv {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, T c, const numbers<T>& k) {
    return a + k.n0 * b / c;
  }
};
// Exact at c = 0 and c = 1; between them the result never lies outside the interval from a to b.
struct lerp {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, T c, const numbers<T>&) {
    return ::fabs(c) < T(0.5) ? a + c * (b - a) : b - (b - a) * (T(1) - c);
  }
};

// Bitwise operations.

struct bitwise_not {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, bool_t>) return x == 0;
    return T(~x);
  }
};
struct bitwise_and {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a & b;
  }
};
struct bitwise_or {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a | b;
  }
};
struct bitwise_xor {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return a ^ b;
  }
};
// n0 is the bit width of the elements: shifts by a negative count or by at least n0 give 0, or for shift_right the
// sign.
struct shift_left {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    return b < 0 || b >= k.n0 ? T(0) : T(uint64_t(a) << b);
  }
};
struct shift_right {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    return a >> (b < 0 || b >= k.n0 ? 63 : b);
  }
};

// Predicates.

struct logical_not {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    return x == T(0);
  }
};
struct isnan {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    return is_nan(x);
  }
};
struct isinf {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::fabs(x) == T(INFINITY);
    return 0;
  }
};
struct isposinf {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return x == T(INFINITY);
    return 0;
  }
};
struct isneginf {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return x == -T(INFINITY);
    return 0;
  }
};
struct isfinite {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::fabs(x) < T(INFINITY);
    return 1;
  }
};
// The sign of zeros and NaNs counts.
struct signbit {
  template <typename T>
  static TB_FUNCTION bool_t apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return T(::copysign(T(1), x)) < T(0);
    return x < T(0);
  }
};
struct eq {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a == b;
  }
};
struct ne {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a != b;
  }
};
struct lt {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a < b;
  }
};
struct le {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a <= b;
  }
};
struct gt {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a > b;
  }
};
struct ge {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return a >= b;
  }
};
struct logical_and {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return bool_t(a != T(0)) & bool_t(b != T(0));
  }
};
struct logical_or {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return bool_t(a != T(0)) | bool_t(b != T(0));
  }
};
struct logical_xor {
  template <typename T>
  static TB_FUNCTION bool_t apply(T a, T b, const numbers<T>&) {
    return bool_t(a != T(0)) ^ bool_t(b != T(0));
  }
};

}  // namespace fn
}  // namespace
}  // namespace tb_kernel

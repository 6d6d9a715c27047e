// The elementwise functions on one element: rounding, roots, exponentials, trigonometry, activations, powers; see
// elementwise_functions.h. T is float or double unless noted.
#pragma once

#include "elementwise_functions.h"
#include "special_functions.h"

namespace tb_kernel {
namespace {

namespace fn {

// Integers are already rounded.
struct ceil {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::ceil(x);
    return x;
  }
};
struct floor {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::floor(x);
    return x;
  }
};
struct round {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    if constexpr (is_float<T>) {
      if (k.n0 == T(0)) return T(::rint(x));
      const T scale = T(::pow(T(10), ::fabs(k.n0)));
      if (!(::fabs(x) < T(INFINITY))) return x;
      if (k.n0 < T(0)) {
        const T whole = T(::rint(x / scale));
        return whole == T(0) ? whole : whole * scale;
      }
      // If this overflows, x has no such decimals.
      const T scaled = x * scale;
      return ::fabs(scaled) < T(INFINITY) ? T(::rint(scaled)) / scale : x;
    } else {
      return x;
    }
  }
};
struct trunc {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (is_float<T>) return ::trunc(x);
    return x;
  }
};
struct frac {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return x - ::trunc(x);
  }
};
struct sqrt {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(::sqrt(x));
  }
};
struct rsqrt {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(1) / T(::sqrt(x));
  }
};

// Functions of the C library, in the type of the argument.
struct exp {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::expf(x);
    return ::exp(x);
  }
};
struct exp2 {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::exp2f(x);
    return ::exp2(x);
  }
};
struct expm1 {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::expm1f(x);
    return ::expm1(x);
  }
};
struct log {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::logf(x);
    return ::log(x);
  }
};
struct log2 {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::log2f(x);
    return ::log2(x);
  }
};
struct log10 {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::log10f(x);
    return ::log10(x);
  }
};
struct log1p {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::log1pf(x);
    return ::log1p(x);
  }
};
struct sin {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::sinf(x);
    return ::sin(x);
  }
};
struct cos {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::cosf(x);
    return ::cos(x);
  }
};
struct tan {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::tanf(x);
    return ::tan(x);
  }
};
struct asin {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::asinf(x);
    return ::asin(x);
  }
};
struct acos {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::acosf(x);
    return ::acos(x);
  }
};
struct atan {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::atanf(x);
    return ::atan(x);
  }
};
struct sinh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::sinhf(x);
    return ::sinh(x);
  }
};
struct cosh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::coshf(x);
    return ::cosh(x);
  }
};
struct tanh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::tanhf(x);
    return ::tanh(x);
  }
};
struct asinh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::asinhf(x);
    return ::asinh(x);
  }
};
struct acosh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::acoshf(x);
    return ::acosh(x);
  }
};
struct atanh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::atanhf(x);
    return ::atanh(x);
  }
};
struct erf {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::erff(x);
    return ::erf(x);
  }
};
struct erfc {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::erfcf(x);
    return ::erfc(x);
  }
};
struct erfinv {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(inverse_error_function(double(x)));
  }
};
struct lgamma {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(log_gamma(double(x)));
  }
};
struct digamma {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    return T(digamma_function(double(x)));
  }
};

struct sigmoid {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return T(1) / (T(1) + exp::apply(-x, k));
  }
};
struct logit {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    if (k.n0 >= T(0)) x = x < k.n0 ? k.n0 : x > T(1) - k.n0 ? T(1) - k.n0 : x;
    return log::apply(x / (T(1) - x), k);
  }
};
struct nan_to_num {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    if (is_nan(x)) return k.n0;
    return x == T(INFINITY) ? k.n1 : x == T(-INFINITY) ? k.n2 : x;
  }
};
struct silu {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x / (T(1) + exp::apply(-x, k));
  }
};
struct gelu {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    const T scaled = x * T(0.70710678118654752440);
    // For x < 0, 1 + erf would cancel.
    return x * T(0.5) * (x < T(0) ? erfc::apply(-scaled, k) : T(1) + erf::apply(scaled, k));
  }
};
// The approximation of Hendrycks and Gimpel (2016), with sqrt(2 / pi).
struct gelu_tanh {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (T(1) + tanh::apply(inner, k));
  }
};
struct softplus {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x * k.n0 > k.n1 ? x : log1p::apply(exp::apply(x * k.n0, k), k) / k.n0;
  }
};
struct elu {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x <= T(0) ? expm1::apply(x * k.n2, k) * k.n0 * k.n1 : x * k.n1;
  }
};
struct leaky_relu {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x > T(0) ? x : x * k.n0;
  }
};
struct prelu {
  template <typename T>
  static TB_FUNCTION T apply(T x, T weight, const numbers<T>&) {
    return x > T(0) ? x : x * weight;
  }
};
// Integers too.
struct threshold {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x <= k.n0 ? k.n1 : x;
  }
};
struct hardshrink {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return ::fabs(x) <= k.n0 ? T(0) : x;
  }
};
// Between the bounds a zero with the sign of x, or NaN.
struct softshrink {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x > k.n0 ? x - k.n0 : x < -k.n0 ? x + k.n0 : x * T(0);
  }
};
struct mish {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return x * tanh::apply(log1p::apply(exp::apply(x, k), k), k);
  }
};
struct hardsigmoid {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    const T y = x + T(3);
    return (y < T(0) ? T(0) : y > T(6) ? T(6) : y) / T(6);
  }
};
struct hardswish {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>&) {
    const T y = x + T(3);
    return x * (y < T(0) ? T(0) : y > T(6) ? T(6) : y) / T(6);
  }
};
struct log_sigmoid {
  template <typename T>
  static TB_FUNCTION T apply(T x, const numbers<T>& k) {
    return (x < T(0) ? x : T(0)) - log1p::apply(exp::apply(-T(::fabs(x)), k), k);
  }
};

struct atan2 {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::atan2f(a, b);
    return ::atan2(a, b);
  }
};
struct hypot {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    if constexpr (std::is_same_v<T, float>) return ::hypotf(a, b);
    return ::hypot(a, b);
  }
};
struct copysign {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return T(::copysign(a, b));
  }
};
struct logaddexp {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    if (a == b && ::fabs(a) == T(INFINITY)) return a;
    const T high = a > b || is_nan(a) ? a : b;
    return high + log1p::apply(exp::apply(-T(::fabs(a - b)), k), k);
  }
};
struct xlogy {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    if (is_nan(b)) return b;
    return a == T(0) ? T(0) : a * log::apply(b, k);
  }
};

}  // namespace fn
}  // namespace
}  // namespace tb_kernel

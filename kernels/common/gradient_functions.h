// Losses of elements, and gradients of activations and of losses, on one element; see elementwise_functions.h. T is
// float or double. `g` is the gradient of the result.
#pragma once

#include "float_functions.h"

namespace tb_kernel {
namespace {

// The logistic function s and its derivative, s (1 - s), by an exponential that does not overflow.
template <typename T>
struct logistic {
  T value, slope;
  static TB_FUNCTION logistic of(T x, const numbers<T>& k) {
    const T e = fn::exp::apply(-T(::fabs(x)), k), inverse = T(1) / (T(1) + e), small = e * inverse;
    return {x < T(0) ? small : inverse, small * inverse};
  }
};

namespace fn {

// Losses of elements.

struct squared_difference {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>&) {
    return (a - b) * (a - b);
  }
};
struct squared_difference_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T a, T b, const numbers<T>&) {
    return g * (a - b) * T(2);
  }
};
// k.n0 is beta.
struct smooth_l1 {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    const T d = T(::fabs(a - b));
    return d < k.n0 ? d * d * (T(0.5) / k.n0) : d - T(0.5) * k.n0;
  }
};
// Zero where a difference is, also for a beta of 0, and NaN where it is.
struct smooth_l1_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T a, T b, const numbers<T>& k) {
    const T d = a - b;
    return T(::fabs(d)) < k.n0 ? g * (d / k.n0) : d > T(0) ? g : d < T(0) ? -g : g * d;
  }
};
// k.n0 is delta.
struct huber {
  template <typename T>
  static TB_FUNCTION T apply(T a, T b, const numbers<T>& k) {
    const T d = T(::fabs(a - b));
    return d < k.n0 ? d * d * T(0.5) : (d - T(0.5) * k.n0) * k.n0;
  }
};
struct huber_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T a, T b, const numbers<T>& k) {
    const T d = a - b;
    return d >= k.n0 ? g * k.n0 : d <= -k.n0 ? g * -k.n0 : g * d;
  }
};

// Gradients by the result y.

struct tanh_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T y, const numbers<T>&) {
    return g * (T(1) - y * y);
  }
};
struct sigmoid_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T y, const numbers<T>&) {
    return g * (T(1) - y) * y;
  }
};
struct elu_result_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T y, const numbers<T>& k) {
    return g * (y <= T(0) ? (y + k.n0 * k.n1) * k.n2 : k.n1);
  }
};

// Gradients by the argument x. Of the piecewise linear ones, those of clamp and hardsigmoid are 0 where x is NaN; the
// others pass g.

struct shrink_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    return ::fabs(x) <= k.n0 ? T(0) : g;
  }
};
struct clamp_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    return ((x > k.n0) & (x < k.n1)) ? g : T(0);
  }
};
struct leaky_relu_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    return x > T(0) ? g : g * k.n0;
  }
};
struct hardswish_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>&) {
    const T between = g * (x * T(1.0 / 3) + T(0.5));
    return x <= T(-3) ? T(0) : x < T(3) ? between : g;
  }
};
struct hardsigmoid_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>&) {
    return ::fabs(x) < T(3) ? g * T(1.0 / 6) : T(0);
  }
};
struct prelu_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, T weight, const numbers<T>&) {
    return x > T(0) ? g : g * weight;
  }
};
struct prelu_weight_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>&) {
    return x > T(0) ? T(0) : g * x;
  }
};
struct elu_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    return g * (x <= T(0) ? exp::apply(x * k.n2, k) * (k.n0 * k.n1 * k.n2) : k.n1);
  }
};
struct softplus_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    return x * k.n0 > k.n1 ? g : g * sigmoid::apply(x * k.n0, k);
  }
};
// s + x s (1 - s).
struct silu_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    const auto s = logistic<T>::of(x, k);
    return g * (s.value + x * s.slope);
  }
};
// P(x) + x P'(x) with P the normal distribution function.
struct gelu_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    const T root_half = T(0.70710678118654752440), root_half_pi = T(0.39894228040143267794);
    const T p = T(0.5) * erfc::apply(-x * root_half, k);
    return g * (p + x * (exp::apply(x * x * T(-0.5), k) * root_half_pi));
  }
};
// gelu_tanh is x s(u) with u = 2 b (x + c x^3), b = sqrt(2 / pi): s + x s (1 - s) u'.
struct gelu_tanh_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    const T two_b = T(1.59576912160573071176), c = T(0.044715), square = x * x;
    const auto s = logistic<T>::of(x * (two_b + two_b * c * square), k);
    return g * (s.value + x * s.slope * (two_b + two_b * 3 * c * square));
  }
};
// With w = exp(x), v = w (w + 2) and d = 1 / (v + 2): tanh(softplus(x)) = v d, of derivative 4 w (1 + w) d^2. Where the
// argument is clamped the latter is nothing beside the former.
struct mish_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T x, const numbers<T>& k) {
    const T most = sizeof(T) == 4 ? T(24) : T(44), w = exp::apply(x > most ? most : x, k);
    const T v = w * (w + T(2)), d = T(1) / (v + T(2));
    return g * (v * d + (x * w) * d * ((T(4) + T(4) * w) * d));
  }
};
// Of b s(c) by c.
struct glu_gate_backward {
  template <typename T>
  static TB_FUNCTION T apply(T g, T b, T c, const numbers<T>& k) {
    return g * b * logistic<T>::of(c, k).slope;
  }
};

}  // namespace fn
}  // namespace
}  // namespace tb_kernel

// Gradients of activations of a SIMD register: g times the derivative at x. Their errors are in ulp of g or of the
// result, whichever is greater: where the terms of a derivative cancel, only the former is small.
#pragma once

#include "activations.h"
#include "error_function.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The logistic function and its derivative, s (1 - s), by one exponential that does not overflow.
template <typename T>
struct logistic {
  vec<T> value, slope;
};
template <typename T>
logistic<T> logistic_of(vec<T> x) {
  const vec<T> one(T(1)), e = exp<T>(negative(xsimd::abs(x))), inverse = one / (one + e), small = e * inverse;
  return {xsimd::select(x < vec<T>(T(0)), small, inverse), small * inverse};
}

template <typename T>
vec<T> elu_backward(vec<T> g, vec<T> x, T alpha, T factor, T input_factor) {
  const vec<T> below = exp<T>(x * vec<T>(input_factor)) * vec<T>(alpha * factor * input_factor);
  return g * xsimd::select(x <= vec<T>(T(0)), below, vec<T>(factor));
}

template <typename T>
vec<T> softplus_backward(vec<T> g, vec<T> x, T beta, T threshold) {
  const vec<T> y = x * vec<T>(beta);
  return g * xsimd::select(y > vec<T>(threshold), vec<T>(T(1)), sigmoid<T>(y));
}

// s + x s (1 - s).
template <typename T>
vec<T> silu_backward(vec<T> g, vec<T> x) {
  const logistic<T> s = logistic_of<T>(x);
  return g * multiply_add(x, s.slope, s.value);
}

// Of b s(c) by c.
template <typename T>
vec<T> glu_gate_backward(vec<T> g, vec<T> b, vec<T> c) {
  return g * b * logistic_of<T>(c).slope;
}

// gelu_tanh is x s(u) with u = 2 b (x + c x^3), b = sqrt(2 / pi): s + x s (1 - s) u'.
template <typename T>
vec<T> gelu_tanh_backward(vec<T> g, vec<T> x) {
  constexpr T two_b = T(1.59576912160573071176), c = T(0.044715);
  const vec<T> square = x * x, linear(two_b), cubic(two_b * c), slope_cubic(two_b * 3 * c);
  const logistic<T> s = logistic_of<T>(x * multiply_add(square, cubic, linear));
  return g * multiply_add(x * s.slope, multiply_add(square, slope_cubic, linear), s.value);
}

// P(x) + x P'(x) with P the normal distribution function; the sum of this at x and at -x is 1.
inline vec<float> gelu_backward(vec<float> g, vec<float> x) {
  using table = scaled_normal_tail;
  const vec<float> size = at_most(table::zero_from, xsimd::abs(x)), root_half_pi(0.39894228040143267794f);
  const parts<float> ratio = piecewise(size, table::step, table::ratio);
  const vec<float> rest = multiply_add(size, negative(root_half_pi), ratio.high + ratio.low);
  const vec<float> below = exp<float>(size * size * vec<float>(-0.5f)) * rest;
  return g * xsimd::select(x < vec<float>(0.0f), below, vec<float>(1.0f) - below);
}
inline vec<double> gelu_backward(vec<double> g, vec<double> x) {
  const vec<double> half(0.5), root_half(0.70710678118654752440), root_half_pi(0.39894228040143267794);
  const vec<double> density = exp<double>(x * x * vec<double>(-0.5)) * root_half_pi;
  return g * multiply_add(x, density, multiply_add(half, erf<double>(x * root_half), half));
}

// With w = exp(x), v = w (w + 2) and d = 1 / (v + 2): tanh(softplus(x)) = v d, of derivative 4 w (1 + w) d^2. Where the
// argument is clamped the latter is nothing beside the former.
template <typename T>
vec<T> mish_backward(vec<T> g, vec<T> x) {
  const vec<T> one(T(1)), two(T(2)), w = exp<T>(at_most(T(sizeof(T) == 4 ? 24 : 44), x));
  const vec<T> v = w * (w + two), d = one / (v + two);
  return g * multiply_add((x * w) * d, (multiply_add(w, vec<T>(T(4)), vec<T>(T(4)))) * d, v * d);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

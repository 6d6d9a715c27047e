// Activations, in the floating type of their argument.
#pragma once

#include <cmath>
#include <numbers>

namespace oracle {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
T silu(T x) {
  return x / (1 + std::exp(-x));
}

/// By erfc, since 1 + erf cancels for negative numbers.
template <class T>
T gelu(T x) {
  return x * std::erfc(-x / std::numbers::sqrt2_v<T>) / 2;
}

/// The form with tanh, written with exp for the same reason.
template <class T>
T gelu_tanh(T x) {
  const T root = T(0.797884560802865355879892119868763737L);  // sqrt(2 / pi)
  return x / (1 + std::exp(-2 * root * x * (1 + T(0.044715L) * x * x)));
}

inline double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
inline long double log_gamma(long double x) {
  int sign;
  return ::lgammal_r(x, &sign);
}

// By the asymptotic series from 30 on, where its ninth term is below 2^-80, and by recurrence and reflection elsewhere.
inline long double digamma(long double x) {
  if (x == 0) return std::copysign(std::numeric_limits<long double>::infinity(), -x);
  if (x < 0) {
    const long double rest = x - std::rint(x), pi = std::numbers::pi_v<long double>;
    if (rest == 0) return std::numeric_limits<long double>::quiet_NaN();
    return digamma(1 - x) - (std::fabs(rest) == 0.5L ? 0 : pi / std::tan(pi * rest));
  }
  long double moved = 0;
  for (; x < 30; x += 1) moved -= 1 / x;
  const long double terms[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                               1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  long double power = 1 / (x * x), series = 0;
  for (const long double term : terms) {
    series += term * power;
    power /= x * x;
  }
  return moved + std::log(x) - 0.5L / x - series;
}

// fmod() with the sign of the divisor, as Python's %.
template <typename Wide>
Wide remainder(Wide a, Wide b) {
  const Wide rest = std::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

}  // namespace oracle

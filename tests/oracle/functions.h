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

}  // namespace oracle

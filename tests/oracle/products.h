// Sums of terms, such as those of a product of matrices, with the size of what was added up: rounding is a part of
// that, and not of a sum that nearly cancels.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace oracle {

template <class T = long double>
struct sum {
  T value = 0;
  long double magnitude = 0;

  void add(T term) {
    if constexpr (std::is_integral_v<T>)  // wraps, as kernels do: signed overflow would be undefined
      value = static_cast<T>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(term));
    else
      value += term;
    magnitude += std::fabs(static_cast<long double>(term));
  }
};

/// term(0) + .. + term(n - 1), added in this order.
template <class T = long double, class Index, class Term>
sum<T> sum_of(Index n, Term term) {
  sum<T> all;
  for (Index i = 0; i < n; ++i) all.add(term(i));
  return all;
}

}  // namespace oracle

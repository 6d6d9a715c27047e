// One row of numbers: its softmax, and its mean and variance. x(i) is the element i of n.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "products.h"

namespace oracle {

/// The exponentials of a row, shifted by the greatest element, so that none overflows. A NaN makes all results NaN.
struct exponentials {
  long double greatest = -std::numeric_limits<long double>::infinity(), sum = 0;

  template <class Index, class Element>
  exponentials(Index n, Element x) {
    for (Index i = 0; i < n; ++i) {
      if (std::isnan(x(i)) || x(i) > greatest) greatest = x(i);
    }
    sum = sum_of(n, [&](Index i) { return std::exp(x(i) - greatest); }).value;
  }
  template <class Row>
  explicit exponentials(const Row& row) : exponentials(row.size(), [&](auto i) { return row[i]; }) {}

  long double softmax(long double x) const { return std::exp(x - greatest) / sum; }
  long double log_softmax(long double x) const { return x - greatest - std::log(sum); }
  long double log_sum() const { return std::isinf(greatest) ? greatest : greatest + std::log(sum); }
};

/// Mean and variance, of differences from the first element: a mean far from 0 would take their digits.
struct moments {
  long double first = 0, shift = 0, squares = 0, count = 0;

  template <class Index, class Element>
  moments(Index n, Element x) : count(static_cast<long double>(n)) {
    if (n > 0 && std::isfinite(x(0))) first = x(0);  // an infinity is the mean of its row
    shift = sum_of(n, [&](Index i) { return x(i) - first; }).value / count;
    squares = sum_of(n, [&](Index i) { return deviation(x(i)) * deviation(x(i)); }).value;
  }
  template <class Row>
  explicit moments(const Row& row) : moments(row.size(), [&](auto i) { return row[i]; }) {}

  long double mean() const { return first + shift; }
  long double deviation(long double x) const { return x - first - shift; }
  long double variance(long double correction = 0) const { return squares / std::max(0.0L, count - correction); }
};

}  // namespace oracle

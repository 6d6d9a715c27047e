// Means and variances of elements, and sums of their gradients, in double.
#pragma once

#include <math.h>

#include "half.h"
#include "isa/arch.h"
#include "reduce/pairwise_sum.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline double number_of(float x) { return double(x); }
inline double number_of(double x) { return x; }
inline double number_of(tb_kernel::half x) { return double(tb_kernel::to_float(x)); }
inline double number_of(tb_kernel::bfloat16 x) { return double(tb_kernel::to_float(x)); }

// Of some elements: their number, their mean, which is base + offset so that it is more exact than they are, and the
// sum of the squared differences to it.
struct moments {
  double count = 0, base = 0, offset = 0, squares = 0;

  double mean() const { return base + offset; }
  double variance() const { return squares / count; }
  // How far the mean is below a number, which is it rounded: 0 for an infinite one.
  double below(double rounded) const { return isfinite(rounded) ? rounded - base - offset : 0; }

  // Those of the elements of both (Chan, Golub and LeVeque).
  void add(const moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double both = count + other.count, apart = other.base - base + other.offset - offset;
    // An infinite mean stays one.
    offset = isfinite(apart) ? offset + apart * (other.count / both) : offset + other.offset;
    squares += other.squares + apart * apart * (count * (other.count / both));
    count = both;
  }
};

// The sums of gradients, and of gradients times the differences of elements to their mean.
struct gradient_sums {
  double gradient = 0, product = 0;
  void add(const gradient_sums& other) {
    gradient += other.gradient;
    product += other.product;
  }
};

struct two_sums {
  double first = 0, second = 0;
  two_sums operator+(const two_sums& other) const { return {first + other.first, second + other.second}; }
};

// Of n > 0 elements, `step` apart, relative to the first one. Sums are pairwise.
template <typename E>
[[gnu::noinline]] moments moments_in_double(const E* in, int64_t n, int64_t step) {
  const double base = isfinite(number_of(in[0])) ? number_of(in[0]) : 0;
  const auto sums_about = [=](double middle) {
    return pairwise<64>(0, n, [=](int64_t first, int64_t count) {
      two_sums part;
      for (int64_t i = first; i < first + count; ++i) {
        const double x = number_of(in[i * step]) - base - middle;
        part = part + two_sums{x, x * x};
      }
      return part;
    });
  };
  const double middle = sums_about(0).first / double(n);
  const two_sums sums = sums_about(middle);
  const double rest = sums.first / double(n);
  return {double(n), base, isfinite(rest) ? middle + rest : middle, sums.second - sums.first * rest};
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

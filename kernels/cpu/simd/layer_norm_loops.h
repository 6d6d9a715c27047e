// Layer norm, RMS norm and their gradients in SIMD. A row is in cache after its first pass.
//
// Sums are pairwise, in the type of the row. The variance is computed from the differences to an approximate mean, then
// corrected by the error of that mean, so that rows far from 0 keep their precision: the error is a few ulp of an
// element's distance from the mean. Squares outside the range of the type are summed in double.
#pragma once

#include <math.h>

#include "interleaved_rows.h"
#include "multiply_add.h"
#include "row_vectors.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether a sum of squares of floats is far enough from overflow and underflow.
template <typename T>
bool holds(double squares, double epsilon) {
  if constexpr (std::is_same_v<T, double>) return true;
  return squares < 1e37 && squares + epsilon > 1e-28;
}

template <typename T>
struct moments {
  T mean;       // rounded to the row's type
  double rest;  // rounding error of mean
  double rstd;
};

template <typename T>
[[gnu::noinline]] moments<T> moments_in_double(const T* in, int64_t n, double epsilon) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < n; ++i) sum += double(in[i]);
  const double mean = sum / double(n);
  for (int64_t i = 0; i < n; ++i) squares += (double(in[i]) - mean) * (double(in[i]) - mean);
  return {T(mean), isinf(mean) ? 0 : mean - double(T(mean)), 1 / sqrt(squares / double(n) + epsilon)};
}

template <typename T>
moments<T> moments_of(const T* in, int64_t n, double epsilon) {
  const T sum =
      sum_of_lanes<T>(sum_over<T>(n, [=](int64_t i, int64_t lanes) { return load_lanes(in + i, lanes, T(0)); }));
  const T mean = T(double(sum) / double(n));
  if (!isfinite(mean)) return moments_in_double(in, n, epsilon);
  const vec<T> shift(mean);
  const auto [left, squares] = sum_over<T>(n, [=](int64_t i, int64_t lanes) {
                                 const vec<T> x = load_lanes(in + i, lanes, mean) - shift;
                                 return several<T, 2>{{x, x * x}};
                               }).of;
  const double rest = double(sum_of_lanes<T>(left)) / double(n), all = double(sum_of_lanes<T>(squares));
  // If the approximate mean was off by as much as the elements' spread, the difference of the two terms cancels.
  const double variance = all / double(n) - rest * rest;
  if (!holds<T>(all, epsilon) || variance < all / double(n) / 2) return moments_in_double(in, n, epsilon);
  return {mean, rest, 1 / sqrt(variance + epsilon)};
}

// The optional weight and bias of a norm: 1 and 0 if omitted.
template <typename T, bool Weight, bool Bias>
struct parameters {
  const T *weight, *bias;
  vec<T> apply(vec<T> x, int64_t i, int64_t lanes) const {
    if constexpr (Weight && Bias)
      return multiply_add<T>(x, load_lanes(weight + i, lanes, T(0)), load_lanes(bias + i, lanes, T(0)));
    else if constexpr (Weight)
      return x * load_lanes(weight + i, lanes, T(0));
    else if constexpr (Bias)
      return x + load_lanes(bias + i, lanes, T(0));
    else
      return x;
  }
};
template <typename T, typename F>
void with_parameters(const T* weight, const T* bias, F f) {
  if (weight != nullptr && bias != nullptr) return f(parameters<T, true, true>{weight, bias});
  if (weight != nullptr) return f(parameters<T, true, false>{weight, bias});
  if (bias != nullptr) return f(parameters<T, false, true>{weight, bias});
  f(parameters<T, false, false>{weight, bias});
}

template <typename T>
void layer_norm(const rows_at& r) {
  const int64_t n = r.length[3];
  for (int64_t row = 0; row < r.count; ++row) {
    const T* const in = r.as<const T>(3, row);
    T* const out = r.as<T>(0, row);
    const moments<T> m = moments_of(in, n, r.number[0].f);
    *r.as<T>(1, row) = T(double(m.mean) + m.rest);
    *r.as<T>(2, row) = T(m.rstd);
    const vec<T> mean(m.mean), rstd(T(m.rstd)), shift(T(-m.rest * m.rstd));
    with_parameters(r.as<const T>(4, row), r.as<const T>(5, row), [=](const auto& parameters) {
      each_vector<T>(n, [=](int64_t i, int64_t lanes) {
        const vec<T> x = multiply_add<T>(load_lanes(in + i, lanes, T(0)) - mean, rstd, shift);
        store_lanes<T>(out + i, lanes, parameters.apply(x, i, lanes));
      });
    });
  }
}

// With x the normalised input and g = gradient * weight: rstd * (g - mean(g) - x * mean(g * x)).
template <typename T>
void layer_norm_backward(const rows_at& r) {
  const int64_t n = r.length[0];
  for (int64_t row = 0; row < r.count; ++row) {
    const T *const gradient = r.as<const T>(1, row), *const in = r.as<const T>(2, row);
    T* const out = r.as<T>(0, row);
    const T middle = *r.as<const T>(3, row);
    const vec<T> mean(middle), rstd(*r.as<const T>(4, row));
    with_parameters<T>(r.as<const T>(5, row), nullptr, [=](const auto& parameters) {
      const auto g = [=](int64_t i, int64_t lanes) {
        return parameters.apply(load_lanes(gradient + i, lanes, T(0)), i, lanes);
      };
      const auto x = [=](int64_t i, int64_t lanes) { return (load_lanes(in + i, lanes, middle) - mean) * rstd; };
      const auto [sum, product] = sum_over<T>(n, [=](int64_t i, int64_t lanes) {
                                    const vec<T> one = g(i, lanes);
                                    return several<T, 2>{{one, one * x(i, lanes)}};
                                  }).of;
      const vec<T> of_g(T(double(sum_of_lanes<T>(sum)) / double(n))),
          of_product(T(double(sum_of_lanes<T>(product)) / double(n)));
      each_vector<T>(n, [=](int64_t i, int64_t lanes) {
        store_lanes<T>(out + i, lanes, rstd * (g(i, lanes) - of_g - x(i, lanes) * of_product));
      });
    });
  }
}

// For interleaved rows; a single row is dense.
template <typename T>
void layer_norm_weights(const rows_at& r) {
  const T *const means = r.as<const T>(4), *const rstds = r.as<const T>(5);
  each_columns<T>(r, [&](const columns<T>& some, int64_t first) {
    struct sums {
      several<T, columns<T>::many> product, gradient;
      sums operator+(const sums& other) const { return {product + other.product, gradient + other.gradient}; }
    };
    const T *const gradient = r.as<const T>(2, first), *const in = r.as<const T>(3, first);
    const sums total = sum_down(r.length[2], [&](int64_t i) {
      const vec<T> mean(means[i * r.step[4]]), rstd(rstds[i * r.step[5]]);
      const auto g = some.load(gradient + i * r.step[2]);
      return sums{
          each_of<T>(g, some.load(in + i * r.step[3]), [=](vec<T> a, vec<T> x) { return a * ((x - mean) * rstd); }), g};
    });
    if (r.row[0] != nullptr) some.store(r.as<T>(0, first), total.product);
    if (r.row[1] != nullptr) some.store(r.as<T>(1, first), total.gradient);
  });
}

template <typename T>
[[gnu::noinline]] double squares_in_double(const T* in, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += double(in[i]) * double(in[i]);
  return squares;
}

template <typename T>
void rms_norm(const rows_at& r) {
  const int64_t n = r.length[2];
  const double epsilon = r.number[0].f;
  for (int64_t row = 0; row < r.count; ++row) {
    const T* const in = r.as<const T>(2, row);
    T* const out = r.as<T>(0, row);
    double squares = double(sum_of_lanes<T>(sum_over<T>(n, [=](int64_t i, int64_t lanes) {
      const vec<T> x = load_lanes(in + i, lanes, T(0));
      return x * x;
    })));
    if (!holds<T>(squares, epsilon)) squares = squares_in_double(in, n);
    const double root = 1 / sqrt(squares / double(n) + epsilon);
    if (r.row[1] != nullptr) *r.as<T>(1, row) = T(root);
    const vec<T> rstd(static_cast<T>(root));
    with_parameters<T>(r.as<const T>(3, row), nullptr, [=](const auto& parameters) {
      each_vector<T>(n, [=](int64_t i, int64_t lanes) {
        store_lanes<T>(out + i, lanes, parameters.apply(load_lanes(in + i, lanes, T(0)) * rstd, i, lanes));
      });
    });
  }
}

template <typename T>
rows_loop layer_loop(int32_t op) {
  switch (op) {
    case TB_LAYER_NORM: return {.run = layer_norm<T>, .many = true};
    case TB_LAYER_NORM_BACKWARD: return {.run = layer_norm_backward<T>, .many = true};
    case TB_LAYER_NORM_WEIGHTS:
      return {.run = layer_norm_weights<T>, .across = layer_norm_weights<T>, .shared = operand(4) | operand(5)};
    case TB_RMS_NORM: return {.run = rms_norm<T>, .many = true};
    default: return {};
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

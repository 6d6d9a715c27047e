// Layer norm, RMS norm and their gradients in SIMD. A row is in cache after its first pass.
//
// Sums are pairwise, in the type T that elements are computed in; see row_moments.h. float16 and bfloat16 rows are
// converted in registers.
#pragma once

#include "elementwise/write_blocks.h"
#include "interleaved_rows.h"
#include "multiply_add.h"
#include "row_moments.h"
#include "row_vectors.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

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

// Writes a row of value(i, lanes).
template <typename T, typename E, typename Value>
void write_row(E* out, int64_t n, bool streams, Value value) {
  write_blocks(out, n, streams, [=](int64_t first, int64_t count, E* to) {
    each_vector<T>(count,
                   [=](int64_t i, int64_t lanes) { store_lanes(to + i, lanes, vec<T>(value(first + i, lanes))); });
  });
}

template <typename T, typename E>
void layer_norm(const rows_at& r) {
  const int64_t n = r.length[3];
  for (int64_t row = 0; row < r.count; ++row) {
    const E* const in = r.as<const E>(3, row);
    E* const out = r.as<E>(0, row);
    const moments found = n == 0 ? moments{} : moments_of_run<T>(in, n, r.number[0].f);
    const double inverse = 1 / sqrt(found.variance() + r.number[0].f);
    const T middle = T(found.mean());
    *r.as<T>(1, row) = middle;
    *r.as<T>(2, row) = T(inverse);
    const vec<T> mean(middle), rstd(static_cast<T>(inverse)), shift(T(found.below(double(middle)) * inverse));
    with_parameters(r.as<const T>(4, row), r.as<const T>(5, row), [=](const auto& parameters) {
      write_row<T>(out, n, r.streams, [=](int64_t i, int64_t lanes) {
        const vec<T> x = multiply_add<T>(load_lanes(in + i, lanes, T(0)) - mean, rstd, shift);
        return parameters.apply(x, i, lanes);
      });
    });
  }
}

// With x the normalised input and g = gradient * weight: rstd * (g - mean(g) - x * mean(g * x)).
template <typename T, typename E>
void layer_norm_backward(const rows_at& r) {
  const int64_t n = r.length[0];
  for (int64_t row = 0; row < r.count; ++row) {
    const E *const gradient = r.as<const E>(1, row), *const in = r.as<const E>(2, row);
    E* const out = r.as<E>(0, row);
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
      write_row<T>(out, n, r.streams,
                   [=](int64_t i, int64_t lanes) { return rstd * (g(i, lanes) - of_g - x(i, lanes) * of_product); });
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

template <typename E>
[[gnu::noinline]] double squares_in_double(const E* in, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += number_of(in[i]) * number_of(in[i]);
  return squares;
}

template <typename T, typename E>
void rms_norm(const rows_at& r) {
  const int64_t n = r.length[2];
  const double epsilon = r.number[0].f;
  for (int64_t row = 0; row < r.count; ++row) {
    const E* const in = r.as<const E>(2, row);
    E* const out = r.as<E>(0, row);
    double squares = double(sum_of_lanes<T>(sum_over<T>(n, [=](int64_t i, int64_t lanes) {
      const vec<T> x = load_lanes(in + i, lanes, T(0));
      return x * x;
    })));
    if (!holds<T>(squares, epsilon)) squares = squares_in_double(in, n);
    const double root = 1 / sqrt(squares / double(n) + epsilon);
    if (r.row[1] != nullptr) *r.as<T>(1, row) = T(root);
    const vec<T> rstd(static_cast<T>(root));
    with_parameters<T>(r.as<const T>(3, row), nullptr, [=](const auto& parameters) {
      write_row<T>(out, n, r.streams, [=](int64_t i, int64_t lanes) {
        return parameters.apply(load_lanes(in + i, lanes, T(0)) * rstd, i, lanes);
      });
    });
  }
}

// With x = in * rstd and g = gradient * weight: rstd * (g - x * mean(g * x)).
template <typename T, typename E>
void rms_norm_backward(const rows_at& r) {
  const int64_t n = r.length[3];
  const double epsilon = r.number[0].f;
  for (int64_t row = 0; row < r.count; ++row) {
    const E *const gradient = r.as<const E>(2, row), *const in = r.as<const E>(3, row);
    with_parameters<T>(r.as<const T>(4, row), nullptr, [&](const auto& parameters) {
      const auto g = [=](int64_t i, int64_t lanes) {
        return parameters.apply(load_lanes(gradient + i, lanes, T(0)), i, lanes);
      };
      const auto sums = sum_over<T>(n, [=](int64_t i, int64_t lanes) {
        const vec<T> x = load_lanes(in + i, lanes, T(0));
        return several<T, 2>{{x * x, g(i, lanes) * x}};
      });
      double squares = double(sum_of_lanes<T>(sums.of[0]));
      if (!holds<T>(squares, epsilon)) squares = squares_in_double(in, n);
      const double root = 1 / sqrt(squares / double(n) + epsilon);
      if (r.row[1] != nullptr) *r.as<T>(1, row) = T(root);
      if (r.row[0] == nullptr) return;
      E* const out = r.as<E>(0, row);
      const double product = double(sum_of_lanes<T>(sums.of[1]));
      const vec<T> rstd(static_cast<T>(root)), by_unit(T(-root * (product / double(n))));
      write_row<T>(out, n, r.streams, [=](int64_t i, int64_t lanes) {
        const vec<T> x = load_lanes(in + i, lanes, T(0));
        return rstd * multiply_add<T>(x * rstd, by_unit, g(i, lanes));
      });
    });
  }
}

// A loop that may have written past the cache.
template <rows_fn Loop>
void finished(const rows_at& r) {
  Loop(r);
  if (r.streams) end_stream();
}

template <typename T, typename E = T>
rows_loop layer_loop(int32_t op) {
  switch (op) {
    case TB_LAYER_NORM: return {.run = finished<layer_norm<T, E>>, .many = true, .streams = true};
    case TB_LAYER_NORM_BACKWARD: return {.run = finished<layer_norm_backward<T, E>>, .many = true, .streams = true};
    case TB_RMS_NORM: return {.run = finished<rms_norm<T, E>>, .many = true, .streams = true};
    case TB_RMS_NORM_BACKWARD: return {.run = finished<rms_norm_backward<T, E>>, .many = true, .streams = true};
    case TB_LAYER_NORM_WEIGHTS:
      if constexpr (std::is_same_v<T, E>)
        return {.run = layer_norm_weights<T>, .across = layer_norm_weights<T>, .shared = operand(4) | operand(5)};
      return {};
    default: return {};
  }
}

// Null unless the rows, but not the parameters and statistics, are dense and of one half-precision dtype.
inline rows_loop half_layer_loop(const tb_rowwise& call) {
  const uint32_t rows = call.op == TB_LAYER_NORM            ? operand(0) | operand(3)
                        : call.op == TB_LAYER_NORM_BACKWARD ? operand(0) | operand(1) | operand(2)
                        : call.op == TB_RMS_NORM            ? operand(0) | operand(2)
                        : call.op == TB_RMS_NORM_BACKWARD   ? operand(0) | operand(2) | operand(3)
                                                            : 0;
  int32_t dtype = TB_F32;
  for (int k = 0; k < call.operands; ++k) {
    const tb_row_operand& row = call.row[k];
    if ((rows & operand(k)) == 0 || row.data == nullptr) continue;
    if (dtype == TB_F32) dtype = row.dtype;
    if (row.dtype != dtype || row.step != 1) return {};
  }
  rows_loop loop = dtype == TB_F16    ? layer_loop<float, half>(call.op)
                   : dtype == TB_BF16 ? layer_loop<float, bfloat16>(call.op)
                                      : rows_loop{};
  loop.as_is = rows;
  return loop;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

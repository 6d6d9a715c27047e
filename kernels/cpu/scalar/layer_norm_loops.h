// Layer norm, RMS norm and their gradients in the scalar build, one element at a time. Sums are accumulated in double.
#pragma once

#include <math.h>

#include "rowwise/moments.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
void layer_norm(const rows_at& r) {
  const T *const in = r.as<const T>(3), *const weight = r.as<const T>(4), *const bias = r.as<const T>(5);
  T* const out = r.as<T>(0);
  const int64_t n = r.length[3];
  const moments found = n == 0 ? moments{} : moments_in_double(in, n, 1);
  const double rstd = 1 / sqrt(found.variance() + r.number[0].f);
  *r.as<T>(1) = T(found.mean());
  *r.as<T>(2) = T(rstd);
  for (int64_t i = 0; i < n; ++i) {
    const double x = (double(in[i]) - found.base - found.offset) * rstd * (weight == nullptr ? 1 : double(weight[i]));
    out[i] = T(x + (bias == nullptr ? 0 : double(bias[i])));
  }
}

// With x the normalised input and g = gradient * weight: rstd * (g - mean(g) - x * mean(g * x)).
template <typename T>
void layer_norm_backward(const rows_at& r) {
  const T *const gradient = r.as<const T>(1), *const in = r.as<const T>(2), *const weight = r.as<const T>(5);
  const double mean = double(*r.as<const T>(3)), rstd = double(*r.as<const T>(4));
  T* const out = r.as<T>(0);
  const int64_t n = r.length[0];
  const auto g = [=](int64_t i) { return double(gradient[i]) * (weight == nullptr ? 1 : double(weight[i])); };
  const auto x = [=](int64_t i) { return (double(in[i]) - mean) * rstd; };
  double sum = 0, product = 0;
  for (int64_t i = 0; i < n; ++i) sum += g(i), product += g(i) * x(i);
  for (int64_t i = 0; i < n; ++i) out[i] = T(rstd * (g(i) - sum / double(n) - x(i) * (product / double(n))));
}

template <typename T>
void layer_norm_weights(const rows_at& r) {
  const T *const gradient = r.as<const T>(2), *const in = r.as<const T>(3), *const mean = r.as<const T>(4);
  const T* const rstd = r.as<const T>(5);
  double sum = 0, product = 0;
  for (int64_t i = 0; i < r.length[2]; ++i) {
    const double g = double(gradient[i]);
    sum += g;
    product += g * ((double(in[i]) - double(mean[i])) * double(rstd[i]));
  }
  if (r.row[0] != nullptr) *r.as<T>(0) = T(product);
  if (r.row[1] != nullptr) *r.as<T>(1) = T(sum);
}

template <typename T>
void rms_norm(const rows_at& r) {
  const T *const in = r.as<const T>(2), *const weight = r.as<const T>(3);
  T* const out = r.as<T>(0);
  const int64_t n = r.length[2];
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += double(in[i]) * double(in[i]);
  const double rstd = 1 / sqrt(squares / double(n) + r.number[0].f);
  if (r.row[1] != nullptr) *r.as<T>(1) = T(rstd);
  for (int64_t i = 0; i < n; ++i) out[i] = T(double(in[i]) * rstd * (weight == nullptr ? 1 : double(weight[i])));
}

// With x = in * rstd and g = gradient * weight: rstd * (g - x * mean(g * x)).
template <typename T>
void rms_norm_backward(const rows_at& r) {
  const T *const gradient = r.as<const T>(2), *const in = r.as<const T>(3), *const weight = r.as<const T>(4);
  T* const out = r.as<T>(0);
  const int64_t n = r.length[3];
  const auto g = [=](int64_t i) { return double(gradient[i]) * (weight == nullptr ? 1 : double(weight[i])); };
  double squares = 0, product = 0;
  for (int64_t i = 0; i < n; ++i) squares += double(in[i]) * double(in[i]), product += g(i) * double(in[i]);
  const double rstd = 1 / sqrt(squares / double(n) + r.number[0].f);
  if (r.row[1] != nullptr) *r.as<T>(1) = T(rstd);
  if (out == nullptr) return;
  const double by_unit = rstd * (product / double(n));
  for (int64_t i = 0; i < n; ++i) out[i] = T(rstd * (g(i) - double(in[i]) * rstd * by_unit));
}

template <typename T>
rows_loop layer_loop(int32_t op) {
  switch (op) {
    case TB_LAYER_NORM: return {.run = layer_norm<T>};
    case TB_LAYER_NORM_BACKWARD: return {.run = layer_norm_backward<T>};
    case TB_LAYER_NORM_WEIGHTS: return {.run = layer_norm_weights<T>};
    case TB_RMS_NORM: return {.run = rms_norm<T>};
    case TB_RMS_NORM_BACKWARD: return {.run = rms_norm_backward<T>};
    default: return {};
  }
}

inline rows_loop half_layer_loop(const tb_rowwise&) { return {}; }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Cumulative sums, products, maxima and minima, and logcumsumexp of a row. Floating-point sums and products are kept in
// double.
#include <math.h>

#include <type_traits>

#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The accumulator type. int64_t wraps by unsigned arithmetic, as signed overflow is undefined.
template <typename T>
using running = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

template <typename T, typename Step>
void scan(const rows_at& r, running<T> now, Step step) {
  const T* const in = r.as<const T>(1);
  T* const out = r.as<T>(0);
  for (int64_t i = 0; i < r.length[0]; ++i) {
    now = step(now, running<T>(in[i]));
    out[i] = T(now);
  }
}

template <typename T>
void cumsum(const rows_at& r) {
  scan<T>(r, 0, [](auto a, auto b) { return a + b; });
}
template <typename T>
void cumprod(const rows_at& r) {
  scan<T>(r, 1, [](auto a, auto b) { return a * b; });
}

// log(exp(a) + exp(b)). NaN propagates. Infinities are handled separately, since their difference may be NaN.
double log_add_exp(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  const double low = a < b ? a : b, high = a < b ? b : a;
  return isinf(high) ? high : high + log1p(exp(low - high));
}

template <typename T>
void logcumsumexp(const rows_at& r) {
  scan<T>(r, -double(INFINITY), log_add_exp);
}

// The index is that of the last of equal elements; from the first NaN on, that of the last NaN.
template <typename T, typename Beats>
void extreme(const rows_at& r, Beats beats) {
  const T* const in = r.as<const T>(2);
  T* const out = r.as<T>(0);
  int64_t* const index = r.as<int64_t>(1);
  int64_t best = 0;
  for (int64_t i = 0; i < r.length[0]; ++i) {
    if (in[i] != in[i] || beats(in[i], in[best])) best = i;
    out[i] = in[best];
    index[i] = best;
  }
}

template <typename T>
void cummax(const rows_at& r) {
  extreme<T>(r, [](T a, T b) { return a >= b; });
}
template <typename T>
void cummin(const rows_at& r) {
  extreme<T>(r, [](T a, T b) { return a <= b; });
}

}  // namespace

rows_loop scan_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_CUMSUM: return {.run = by_number(call, nullptr, cumsum<int64_t>, cumsum<float>, cumsum<double>)};
    case TB_CUMPROD: return {.run = by_number(call, nullptr, cumprod<int64_t>, cumprod<float>, cumprod<double>)};
    case TB_LOGCUMSUMEXP: return {.run = by_float(call, logcumsumexp<float>, logcumsumexp<double>)};
    case TB_CUMMAX:
      return {.run = by_number(call, cummax<uint8_t>, cummax<int64_t>, cummax<float>, cummax<double>),
              .whole = operand(1)};
    case TB_CUMMIN:
      return {.run = by_number(call, cummin<uint8_t>, cummin<int64_t>, cummin<float>, cummin<double>),
              .whole = operand(1)};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

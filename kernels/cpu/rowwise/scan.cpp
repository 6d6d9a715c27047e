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

// Rows of one call, some at once, so that their sums do not wait for each other.
template <typename T, int64_t AtOnce, typename Step>
void scan_some(const rows_at& r, int64_t first, running<T> start, Step step) {
  running<T> now[AtOnce];
  const T* in[AtOnce];
  T* out[AtOnce];
  for (int64_t k = 0; k < AtOnce; ++k) {
    now[k] = start;
    in[k] = r.as<const T>(1, first + k);
    out[k] = r.as<T>(0, first + k);
  }
  for (int64_t i = 0; i < r.length[0]; ++i) {
    for (int64_t k = 0; k < AtOnce; ++k) {
      now[k] = step(now[k], running<T>(in[k][i]));
      out[k][i] = T(now[k]);
    }
  }
}
template <typename T, typename Step>
void scan(const rows_at& r, running<T> start, Step step) {
  constexpr int64_t at_once = 8;
  int64_t first = 0;
  for (; first + at_once <= r.count; first += at_once) scan_some<T, at_once>(r, first, start, step);
  for (; first < r.count; ++first) scan_some<T, 1>(r, first, start, step);
}

// Interleaved rows: the elements of a tile of rows are added to its sums one by one, in the order of `scan`.
template <typename T, typename Step>
void scan_across(const rows_at& r, running<T> start, Step step) {
  constexpr int64_t tile = 256;
  running<T> now[tile];
  for (int64_t first = 0; first < r.count; first += tile) {
    const int64_t some = r.count - first < tile ? r.count - first : tile;
    const T* in = r.as<const T>(1) + first;
    T* out = r.as<T>(0) + first;
    for (int64_t c = 0; c < some; ++c) now[c] = start;
    for (int64_t i = 0; i < r.length[0]; ++i, in += r.step[1], out += r.step[0]) {
#pragma clang loop vectorize(assume_safety)
      for (int64_t c = 0; c < some; ++c) {
        now[c] = step(now[c], running<T>(in[c]));
        out[c] = T(now[c]);
      }
    }
  }
}

struct plus {
  template <typename A>
  A operator()(A a, A b) const {
    return a + b;
  }
};
struct times {
  template <typename A>
  A operator()(A a, A b) const {
    return a * b;
  }
};

template <typename T>
void cumsum(const rows_at& r) {
  scan<T>(r, 0, plus());
}
template <typename T>
void cumprod(const rows_at& r) {
  scan<T>(r, 1, times());
}

template <typename T>
void cumsum_across(const rows_at& r) {
  scan_across<T>(r, 0, plus());
}
template <typename T>
void cumprod_across(const rows_at& r) {
  scan_across<T>(r, 1, times());
}

// log(exp(a) + exp(b)). NaN propagates. Infinities are handled separately, since their difference may be NaN.
double log_add_exp(double a, double b) {
  if (isnan(a) || isnan(b)) return a + b;
  const double low = a < b ? a : b, high = a < b ? b : a;
  return isinf(high) ? high : high + log1p(exp(low - high));
}

template <typename T>
void logcumsumexp(const rows_at& r) {
  scan_some<T, 1>(r, 0, -double(INFINITY), log_add_exp);
}

// The index is that of the last of equal elements; from the first NaN on, that of the last NaN. Behind the beginning of
// a row most blocks have no element that replaces the best one, and are filled with it.
template <typename T, typename Beats>
void extreme(const rows_at& r, Beats beats) {
  constexpr int64_t block = 16, beginning = 64;
  const T* const in = r.as<const T>(2);
  T* const out = r.as<T>(0);
  int64_t* const index = r.as<int64_t>(1);
  int64_t best = 0;
  const auto scan_to = [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (in[i] != in[i] || beats(in[i], in[best])) best = i;
      out[i] = in[best];
      index[i] = best;
    }
  };
  const int64_t length = r.length[0];
  int64_t i = length < beginning ? length : beginning;
  scan_to(0, i);
  for (; i + block <= length; i += block) {
    const T top = in[best];
    bool any = false;
    for (int64_t k = i; k < i + block; ++k) any |= (in[k] != in[k]) | beats(in[k], top);
    if (any) {
      scan_to(i, i + block);
      continue;
    }
    for (int64_t k = i; k < i + block; ++k) out[k] = top;
    for (int64_t k = i; k < i + block; ++k) index[k] = best;
  }
  scan_to(i, length);
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
    case TB_CUMSUM:
      return {.run = by_number(call, nullptr, cumsum<int64_t>, cumsum<float>, cumsum<double>),
              .across = by_number(call, nullptr, cumsum_across<int64_t>, cumsum_across<float>, cumsum_across<double>),
              .many = true};
    case TB_CUMPROD:
      return {
          .run = by_number(call, nullptr, cumprod<int64_t>, cumprod<float>, cumprod<double>),
          .across = by_number(call, nullptr, cumprod_across<int64_t>, cumprod_across<float>, cumprod_across<double>),
          .many = true};
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

// Softmax of interleaved rows: each lane processes one row, with the same result as for a contiguous row.
#pragma once

#include "interleaved_rows.h"
#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
several<T, 4> greatest_down(const columns<T>& some, const T* in, int64_t step, int64_t length) {
  several<T, 4> top;
  for (auto& t : top.of) t = vec<T>(lowest<T>);
  for (int64_t i = 0; i < length; ++i) {
    top = each_of<T>(some.load(in + i * step), top, [](vec<T> a, vec<T> b) { return greater<T>(a, b); });
  }
  return top;
}

template <typename T>
void softmax_across(const rows_at& r) {
  const int64_t length = r.length[0], from = r.step[1], to = r.step[0];
  if (length == 0) return;
  each_columns<T>(r, [&](const columns<T>& some, int64_t first) {
    const T* const in = r.as<const T>(1, first);
    T* const out = r.as<T>(0, first);
    const auto top = greatest_down<T>(some, in, from, length);
    auto scale = sum_as_along<T>(length, [&](int64_t i) {
      const auto e =
          each_of<T>(some.load(in + i * from), top, [](vec<T> x, vec<T> shift) { return exp<T>(x - shift); });
      some.store(out + i * to, e);
      return e;
    });
    for (auto& s : scale.of) s = vec<T>(T(1)) / s;
    for (int64_t i = 0; i < length; ++i) {
      some.store(out + i * to, each_of<T>(some.load(out + i * to), scale, [](vec<T> x, vec<T> s) { return x * s; }));
    }
  });
}

template <typename T>
void log_softmax_across(const rows_at& r) {
  const int64_t length = r.length[0], from = r.step[1], to = r.step[0];
  if (length == 0) return;
  const auto minus = [](vec<T> x, vec<T> y) { return x - y; };
  each_columns<T>(r, [&](const columns<T>& some, int64_t first) {
    const T* const in = r.as<const T>(1, first);
    T* const out = r.as<T>(0, first);
    const auto top = greatest_down<T>(some, in, from, length);
    auto log_sum = sum_as_along<T>(length, [&](int64_t i) {
      return each_of<T>(some.load(in + i * from), top, [](vec<T> x, vec<T> shift) { return exp<T>(x - shift); });
    });
    for (auto& s : log_sum.of) s = log<T>(s);
    for (int64_t i = 0; i < length; ++i) {
      some.store(out + i * to, each_of<T>(each_of<T>(some.load(in + i * from), top, minus), log_sum, minus));
    }
  });
}

template <typename T>
void softmax_backward_across(const rows_at& r) {
  const int64_t length = r.length[0];
  if (length == 0) return;
  each_columns<T>(r, [&](const columns<T>& some, int64_t first) {
    const T *const gradient = r.as<const T>(1, first), *const result = r.as<const T>(2, first);
    T* const out = r.as<T>(0, first);
    const auto times = [](vec<T> x, vec<T> y) { return x * y; };
    const auto sum = sum_as_along<T>(length, [&](int64_t i) {
      return each_of<T>(some.load(gradient + i * r.step[1]), some.load(result + i * r.step[2]), times);
    });
    for (int64_t i = 0; i < length; ++i) {
      const auto apart = each_of<T>(some.load(gradient + i * r.step[1]), sum, [](vec<T> x, vec<T> y) { return x - y; });
      some.store(out + i * r.step[0], each_of<T>(apart, some.load(result + i * r.step[2]), times));
    }
  });
}

template <typename T>
void log_softmax_backward_across(const rows_at& r) {
  const int64_t length = r.length[0];
  if (length == 0) return;
  each_columns<T>(r, [&](const columns<T>& some, int64_t first) {
    const T *const gradient = r.as<const T>(1, first), *const result = r.as<const T>(2, first);
    T* const out = r.as<T>(0, first);
    const auto sum = sum_as_along<T>(length, [&](int64_t i) { return some.load(gradient + i * r.step[1]); });
    for (int64_t i = 0; i < length; ++i) {
      const auto part = each_of<T>(some.load(result + i * r.step[2]), sum,
                                   [](vec<T> logarithm, vec<T> s) { return exp<T>(logarithm) * s; });
      some.store(out + i * r.step[0],
                 each_of<T>(some.load(gradient + i * r.step[1]), part, [](vec<T> x, vec<T> y) { return x - y; }));
    }
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Loops of the norms of channels in SIMD: over dense runs of elements, and over columns, the channels of elements that
// are beside each other.
//
// Sums are pairwise, in the type that elements are computed in.
#pragma once

#include "interleaved_rows.h"
#include "multiply_add.h"
#include "row_moments.h"
#include "row_vectors.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A number for all elements of a run, or one for each.
template <typename T>
struct same {
  vec<T> value;
  explicit same(T number) : value(number) {}
  vec<T> load(int64_t, int64_t) const { return value; }
};
template <typename T>
struct each {
  const T* at;
  vec<T> load(int64_t i, int64_t lanes) const { return load_lanes(at + i, lanes, T(0)); }
};

template <typename T>
struct column_sums {
  several<T, columns<T>::many> first, second;
  column_sums operator+(const column_sums& other) const { return {first + other.first, second + other.second}; }
};

// Calls visit(columns, index of the first column) for `count` columns.
template <typename T, typename Visit>
void each_columns_of(int64_t count, Visit visit) {
  constexpr int64_t most = columns<T>::many * columns<T>::width;
  for (int64_t first = 0; first < count; first += most) {
    visit(columns<T>{count - first < most ? count - first : most}, first);
  }
}

// Of `count` adjacent columns of `n` elements, `step` apart.
template <typename T, typename E>
void moments_of_columns(const E* in, int64_t n, int64_t step, int64_t count, double epsilon, moments* all) {
  each_columns_of<T>(count, [&](const columns<T>& some, int64_t first) {
    constexpr int64_t most = columns<T>::many * columns<T>::width;
    const E* const at = in + first;
    several<T, columns<T>::many> mean = sum_down(n, [&](int64_t i) { return some.load(at + i * step); });
    for (vec<T>& m : mean.of) m = m / vec<T>(T(n));
    const column_sums<T> sums = sum_down(n, [&](int64_t i) {
      const auto x = each_of<T>(some.load(at + i * step), mean, [](vec<T> a, vec<T> b) { return a - b; });
      return column_sums<T>{x, each_of<T>(x, x, [](vec<T> a, vec<T> b) { return a * b; })};
    });
    T means[most], left[most], squares[most];
    some.store(means, mean);
    some.store(left, sums.first);
    some.store(squares, sums.second);
    for (int64_t c = 0; c < some.count; ++c) {
      all[first + c] = isfinite(means[c])
                           ? corrected<T>(at + c, n, step, means[c], double(left[c]), double(squares[c]), epsilon)
                           : moments_in_double(at + c, n, step);
    }
  });
}

// out = (in - mean) * scale + shift.
template <typename T, typename E, template <typename> class Number>
void scale_run(const E* in, E* out, int64_t n, Number<T> mean, Number<T> scale, Number<T> shift) {
  each_vector<T>(n, [=](int64_t i, int64_t lanes) {
    const vec<T> x = load_lanes(in + i, lanes, T(0)) - mean.load(i, lanes);
    store_lanes(out + i, lanes, multiply_add<T>(x, scale.load(i, lanes), shift.load(i, lanes)));
  });
}

// The sums of gradient and of gradient * (in - mean).
template <typename T, typename E>
gradient_sums sums_of_run(const E* gradient, const E* in, int64_t n, T mean) {
  const vec<T> shift(mean);
  const auto [sum, product] = sum_over<T>(n, [=](int64_t i, int64_t lanes) {
                                const vec<T> g = load_lanes(gradient + i, lanes, T(0));
                                return several<T, 2>{{g, g * (load_lanes(in + i, lanes, mean) - shift)}};
                              }).of;
  return {double(sum_of_lanes<T>(sum)), double(sum_of_lanes<T>(product))};
}
template <typename T, typename E>
void sums_of_columns(const E* gradient, const E* in, int64_t n, int64_t step, int64_t count, const T* mean,
                     gradient_sums* all) {
  each_columns_of<T>(count, [&](const columns<T>& some, int64_t first) {
    constexpr int64_t most = columns<T>::many * columns<T>::width;
    const auto means = some.load(mean + first);
    const column_sums<T> sums = sum_down(n, [&](int64_t i) {
      const auto g = some.load(gradient + first + i * step);
      const auto x = each_of<T>(some.load(in + first + i * step), means, [](vec<T> a, vec<T> b) { return a - b; });
      return column_sums<T>{g, each_of<T>(g, x, [](vec<T> a, vec<T> b) { return a * b; })};
    });
    T sum[most], product[most];
    some.store(sum, sums.first);
    some.store(product, sums.second);
    for (int64_t c = 0; c < some.count; ++c) all[first + c] = {double(sum[c]), double(product[c])};
  });
}

// out = gradient * by_gradient + (in - mean) * by_in + rest.
template <typename T, typename E, template <typename> class Number>
void gradient_run(const E* gradient, const E* in, E* out, int64_t n, Number<T> mean, Number<T> by_gradient,
                  Number<T> by_in, Number<T> rest) {
  each_vector<T>(n, [=](int64_t i, int64_t lanes) {
    const vec<T> x = load_lanes(in + i, lanes, T(0)) - mean.load(i, lanes);
    const vec<T> other = multiply_add<T>(x, by_in.load(i, lanes), rest.load(i, lanes));
    const vec<T> g = load_lanes(gradient + i, lanes, T(0));
    store_lanes(out + i, lanes, multiply_add<T>(g, by_gradient.load(i, lanes), other));
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Loads, stores and sums for interleaved rows: each SIMD lane processes one row.
#pragma once

#include "row_vectors.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Adjacent columns in several SIMD registers, of which the last may be partial.
template <typename T>
struct columns {
  static constexpr int many = 4;
  static constexpr int64_t width = vec<T>::size;
  using vectors = several<T, many>;
  int64_t count;

  template <typename E>
  vectors load(const E* at) const {
    vectors x;
    for (int k = 0; k < many; ++k) {
      const int64_t rest = count - k * width;
      x.of[k] = rest >= width ? load_lanes(at + k * width, width, T(0))
                : rest > 0    ? load_lanes(at + k * width, rest, T(0))
                              : vec<T>(T(0));
    }
    return x;
  }
  void store(T* at, const vectors& x) const {
    for (int k = 0; k < many && k * width < count; ++k) {
      store_lanes<T>(at + k * width, count - k * width < width ? count - k * width : width, x.of[k]);
    }
  }
};

template <typename T, typename F>
several<T, 4> each_of(const several<T, 4>& a, const several<T, 4>& b, F f) {
  several<T, 4> result;
  for (int k = 0; k < 4; ++k) result.of[k] = f(a.of[k], b.of[k]);
  return result;
}

// Calls visit(columns, index of the first column) for all rows.
template <typename T, typename Visit>
void each_columns(const rows_at& r, Visit visit) {
  constexpr int64_t most = columns<T>::many * columns<T>::width;
  for (int64_t first = 0; first < r.count; first += most) {
    visit(columns<T>{r.count - first < most ? r.count - first : most}, first);
  }
}

// Sums f(i) over the elements of rows in the order in which sum_over() and sum_everywhere() sum a contiguous row, so
// that results do not depend on the memory layout: one sum per lane there, then pairwise over the lanes.
template <typename T, typename F>
several<T, columns<T>::many> sum_as_along(int64_t length, F f) {
  constexpr int width = vec<T>::size;
  struct lanes {
    several<T, columns<T>::many> of[width];
    lanes operator+(const lanes& other) const {
      lanes sum = *this;
      for (int l = 0; l < width; ++l) sum.of[l] = of[l] + other.of[l];
      return sum;
    }
  };
  lanes sum = pairwise<32 * width>(0, length, [f](int64_t first, int64_t count) {
    lanes part;
    for (int64_t l = 0; l < width; ++l) {
      if (l < count) {
        part.of[l] = f(first + l);
      } else {
        for (auto& zero : part.of[l].of) zero = vec<T>(T(0));
      }
    }
    for (int64_t i = width; i < count; ++i) part.of[i % width] = part.of[i % width] + f(first + i);
    return part;
  });
  for (int apart = width / 2; apart > 0; apart /= 2) {
    for (int l = 0; l < apart; ++l) sum.of[l] = sum.of[l] + sum.of[l + apart];
  }
  return sum.of[0];
}

// Sums f(i) over the elements of rows, pairwise over blocks.
template <typename F>
auto sum_down(int64_t length, F f) {
  return pairwise<64>(0, length, [f](int64_t first, int64_t count) {
    auto sum = f(first);
    for (int64_t i = 1; i < count; ++i) sum = sum + f(first + i);
    return sum;
  });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

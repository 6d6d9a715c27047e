// Shared parts of softmax, and log_softmax and the gradients, in SIMD. May run in place.
//
// The maximum may miss a NaN; the NaN then appears in the sum.
#pragma once

#include <limits>

#include "exponential.h"
#include "logarithm.h"
#include "row_vectors.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Up to this many registers of a row are kept in registers and their exponentials computed together.
#if defined(__AVX512F__)
constexpr int most_kept = 8;
#else
constexpr int most_kept = 4;
#endif

template <typename T>
constexpr T lowest = -std::numeric_limits<T>::infinity();

// Loads the partial register at the end of a row, padded with its first element: this does not change the maximum, and
// its exponential is not a slow case.
template <typename T>
vec<T> load_filled(const T* at, int64_t lanes) {
  return load_part(at, lanes, *at);
}

template <typename T>
vec<T> greatest_of(const T* in, int64_t cols) {
  constexpr int64_t width = vec<T>::size;
  vec<T> top[4];
  for (vec<T>& one : top) one = vec<T>(lowest<T>);
  int64_t i = 0;
  for (; i + 4 * width <= cols; i += 4 * width) {
    for (int k = 0; k < 4; ++k) top[k] = greater<T>(vec<T>::load_unaligned(in + i + k * width), top[k]);
  }
  for (; i + width <= cols; i += width) top[0] = greater<T>(vec<T>::load_unaligned(in + i), top[0]);
  if (i < cols) top[1] = greater<T>(load_filled(in + i, cols - i), top[1]);
  return greatest_everywhere<T>(greater<T>(greater<T>(top[0], top[1]), greater<T>(top[2], top[3])));
}

// Sums exp(in - greatest) over a row, and calls visit(first, lanes, exponentials) for each register; lanes past the end
// hold arbitrary values.
template <typename T, typename Visit>
vec<T> sum_of_exp(const T* in, int64_t cols, vec<T> greatest, Visit visit) {
  constexpr int64_t width = vec<T>::size;
  const auto exps = [&]<int K>(vec<T>(&x)[K], int64_t first, int64_t lanes) {
    for (vec<T>& one : x) one = one - greatest;
    exp_together<T>(x);
    for (int k = 0; k < K; ++k) visit(first + k * width, lanes, x[k]);
  };
  return sum_everywhere<T>(pairwise<32 * width>(0, cols, [&](int64_t first, int64_t count) {
    const int64_t end = first + count;
    vec<T> sum(T(0));
    for (; first + most_kept * width <= end; first += most_kept * width) {
      vec<T> x[most_kept];
      for (int k = 0; k < most_kept; ++k) x[k] = vec<T>::load_unaligned(in + first + k * width);
      exps(x, first, width);
      for (const vec<T>& one : x) sum = sum + one;
    }
    for (; first + width <= end; first += width) {
      vec<T> x[] = {vec<T>::load_unaligned(in + first)};
      exps(x, first, width);
      sum = sum + x[0];
    }
    if (first < end) {
      vec<T> x[] = {load_filled(in + first, end - first)};
      exps(x, first, end - first);
      sum = sum + first_of<T>(x[0], end - first);
    }
    return sum;
  }));
}

// Stores exp(in - greatest) in `out` and returns the sum.
template <typename T>
vec<T> store_exp(const T* in, T* out, int64_t cols, vec<T> greatest) {
  return sum_of_exp<T>(in, cols, greatest,
                       [=](int64_t c, int64_t lanes, vec<T> e) { store_lanes<T>(out + c, lanes, e); });
}

// A row of K registers, the last of which may be partial.
template <typename T, int K>
struct kept {
  static constexpr int64_t width = vec<T>::size;
  vec<T> x[K];

  kept(const T* in, int64_t cols) {
    for (int k = 0; k + 1 < K; ++k) x[k] = vec<T>::load_unaligned(in + k * width);
    x[K - 1] = load_filled(in + (K - 1) * width, cols - (K - 1) * width);
  }
  void store(T* out, int64_t cols) const {
    for (int k = 0; k + 1 < K; ++k) x[k].store_unaligned(out + k * width);
    store_part(out + (K - 1) * width, cols - (K - 1) * width, x[K - 1]);
  }
  vec<T> greatest() const {
    vec<T> top = x[0];
    for (int k = 1; k < K; ++k) top = greater<T>(x[k], top);
    // Removes a NaN in the first register, which comparisons would keep.
    return greatest_everywhere<T>(greater<T>(top, vec<T>(lowest<T>)));
  }
  // Replaces the elements by exp(element - shift) and returns the sum.
  vec<T> exp_and_sum(vec<T> shift, int64_t cols) {
    for (vec<T>& one : x) one = one - shift;
    exp_together<T>(x);
    const vec<T> last = first_of<T>(x[K - 1], cols - (K - 1) * width);
    if constexpr (K == 1) return sum_everywhere<T>(last);
    vec<T> part = x[0];
    for (int k = 1; k + 1 < K; ++k) part = part + x[k];
    return sum_everywhere<T>(part + last);
  }
};

// Calls Few<T, K>::run(arguments...) with the smallest sufficient K; returns false if the row needs more than most_kept
// registers.
template <typename T, template <typename, int> class Few, int K = 1, typename... A>
bool run_kept(int64_t cols, A&&... arguments) {
  if constexpr (K <= most_kept) {
    if (cols > K * int64_t(vec<T>::size)) return run_kept<T, Few, K + 1>(cols, arguments...);
    Few<T, K>::run(cols, arguments...);
    return true;
  } else {
    return false;
  }
}

// The maximum of each of some rows, and the sum of exp(element - maximum).
template <typename T>
struct peaks {
  static constexpr int64_t width = vec<T>::size;
  alignas(64) T top[width], sum[width];

  void take(int64_t i, vec<T> greatest, vec<T> total) { top[i] = first_lane(greatest), sum[i] = first_lane(total); }
};
template <typename T, int K>
struct peaks_few {
  static void run(int64_t cols, peaks<T>& found, const rows_at& r, int in, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      kept<T, K> row(r.as<const T>(in, first + i), cols);
      const vec<T> top = row.greatest();
      found.take(i, top, row.exp_and_sum(top, cols));
    }
  }
};

// Calls visit(first, count, tops, logarithms of sums) for a few rows of operand `in` at a time: one register of
// logarithms is computed at once, as long as the rows stay in cache.
template <typename T, typename Visit>
void each_peaks(const rows_at& r, int in, Visit visit) {
  constexpr int64_t width = vec<T>::size, room = 16 * 1024 / sizeof(T);
  const int64_t cols = r.length[in], together = cols * width <= room ? width : 1;
  peaks<T> found;
  vec<T>(T(1)).store_aligned(found.sum);
  for (int64_t first = 0; first < r.count; first += together) {
    const int64_t some = r.count - first < together ? r.count - first : together;
    if (!run_kept<T, peaks_few>(cols, found, r, in, first, some)) {
      for (int64_t i = 0; i < some; ++i) {
        const T* const row = r.as<const T>(in, first + i);
        const vec<T> top = greatest_of(row, cols);
        found.take(i, top, sum_of_exp<T>(row, cols, top, [](int64_t, int64_t, vec<T>) {}));
      }
    }
    log<T>(vec<T>::load_aligned(found.sum)).store_aligned(found.sum);
    visit(first, some, found.top, found.sum);
  }
}

template <typename T>
void log_softmax(const rows_at& r) {
  const int64_t cols = r.length[0];
  if (cols == 0) return;
  each_peaks<T>(r, 1, [&](int64_t first, int64_t count, const T* tops, const T* log_sums) {
    for (int64_t i = 0; i < count; ++i) {
      const T* const in = r.as<const T>(1, first + i);
      T* const out = r.as<T>(0, first + i);
      const vec<T> top(tops[i]), log_sum(log_sums[i]);
      each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
        store_lanes<T>(out + c, lanes, load_lanes(in + c, lanes, T(0)) - top - log_sum);
      });
    }
  });
}

template <typename T>
void softmax_backward(const rows_at& r) {
  const int64_t cols = r.length[0];
  for (int64_t i = 0; i < r.count; ++i) {
    const T *const gradient = r.as<const T>(1, i), *const result = r.as<const T>(2, i);
    T* const out = r.as<T>(0, i);
    const vec<T> sum = sum_everywhere<T>(sum_over<T>(cols, [=](int64_t c, int64_t lanes) {
      return load_lanes(gradient + c, lanes, T(0)) * load_lanes(result + c, lanes, T(0));
    }));
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      const vec<T> probability = load_lanes(result + c, lanes, T(0));
      store_lanes<T>(out + c, lanes, (load_lanes(gradient + c, lanes, T(0)) - sum) * probability);
    });
  }
}

template <typename T>
void log_softmax_backward(const rows_at& r) {
  const int64_t cols = r.length[0];
  for (int64_t i = 0; i < r.count; ++i) {
    const T *const gradient = r.as<const T>(1, i), *const result = r.as<const T>(2, i);
    T* const out = r.as<T>(0, i);
    const vec<T> sum = sum_everywhere<T>(
        sum_over<T>(cols, [=](int64_t c, int64_t lanes) { return load_lanes(gradient + c, lanes, T(0)); }));
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      const vec<T> probability = exp<T>(load_lanes(result + c, lanes, T(0)));
      store_lanes<T>(out + c, lanes, load_lanes(gradient + c, lanes, T(0)) - probability * sum);
    });
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

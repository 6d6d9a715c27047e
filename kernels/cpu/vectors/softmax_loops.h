// Softmax of rows, in vectors. Results may stand where the input does.
//
// The exponential of an element is computed once: it waits in a register where a row has few vectors, else where the
// result goes. A NaN is missed by the maximum and comes back through the sum.
#pragma once

#include <limits>

#include "exponential.h"
#include "logarithm.h"
#include "row_vectors.h"
#include "rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// As many vectors of a row are kept in registers.
#if defined(__AVX512F__)
constexpr int most_kept = 8;
#else
constexpr int most_kept = 4;
#endif

template <typename T>
constexpr T lowest = -std::numeric_limits<T>::infinity();

// A short vector at the end of a row, filled up with its first element: that changes no maximum, and its exponential is
// no harder than the others.
template <typename T>
vec<T> load_filled(const T* at, int64_t lanes) {
  return load_part(at, lanes, *at);
}

template <typename T>
vec<T> greatest_of(const T* in, int64_t cols) {
  constexpr int64_t width = vec<T>::size;
  vec<T> a(lowest<T>), b(lowest<T>);
  int64_t i = 0;
  for (; i + 2 * width <= cols; i += 2 * width) {
    a = greater<T>(vec<T>::load_unaligned(in + i), a);
    b = greater<T>(vec<T>::load_unaligned(in + i + width), b);
  }
  if (i + width <= cols) {
    b = greater<T>(vec<T>::load_unaligned(in + i), b);
    i += width;
  }
  if (i < cols) a = greater<T>(load_filled(in + i, cols - i), a);
  return greatest_everywhere<T>(greater<T>(a, b));
}

// exp(in - shift), and 0 in the lanes past the end.
template <typename T>
vec<T> exp_of(const T* in, int64_t lanes, vec<T> shift) {
  if (lanes == int64_t(vec<T>::size)) return exp<T>(vec<T>::load_unaligned(in) - shift);
  return first_of<T>(exp<T>(load_filled(in, lanes) - shift), lanes);
}

// A row of K vectors, the last one perhaps short.
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
    // The first vector's NaN, which no comparison would let go.
    return greatest_everywhere<T>(greater<T>(top, vec<T>(lowest<T>)));
  }
  // Leaves the exponentials of the elements minus `shift`, and returns their sum.
  vec<T> exp_and_sum(vec<T> shift, int64_t cols) {
    for (vec<T>& one : x) one = exp<T>(one - shift);
    const vec<T> last = first_of<T>(x[K - 1], cols - (K - 1) * width);
    if constexpr (K == 1) return sum_everywhere<T>(last);
    vec<T> part = x[0];
    for (int k = 1; k + 1 < K; ++k) part = part + x[k];
    return sum_everywhere<T>(part + last);
  }
};

// Calls Few<T, K>::run(arguments...) of as few vectors as a row has, or returns false.
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

template <typename T, int K>
struct softmax_few {
  static void run(int64_t cols, const rows_at& r) {
    for (int64_t i = 0; i < r.count; ++i) {
      kept<T, K> row(r.as<const T>(1, i), cols);
      const vec<T> scale = vec<T>(T(1)) / row.exp_and_sum(row.greatest(), cols);
      for (vec<T>& x : row.x) x = x * scale;
      row.store(r.as<T>(0, i), cols);
    }
  }
};

// Leaves exp(in - greatest) in `out`, and returns the sum.
template <typename T>
vec<T> store_exp(const T* in, T* out, int64_t cols) {
  const vec<T> top = greatest_of(in, cols);
  return sum_everywhere<T>(sum_over<T>(cols, [=](int64_t c, int64_t lanes) {
    const vec<T> e = exp_of(in + c, lanes, top);
    store_lanes<T>(out + c, lanes, e);
    return e;
  }));
}

template <typename T>
void softmax(const rows_at& r) {
  const int64_t cols = r.length[0];
  if (cols == 0 || run_kept<T, softmax_few>(cols, r)) return;
  for (int64_t i = 0; i < r.count; ++i) {
    T* const out = r.as<T>(0, i);
    const vec<T> scale = vec<T>(T(1)) / store_exp(r.as<const T>(1, i), out, cols);
    each_vector<T>(cols, [=](int64_t c, int64_t lanes) {
      store_lanes<T>(out + c, lanes, load_lanes(out + c, lanes, T(0)) * scale);
    });
  }
}

// The greatest element of some rows, and the sum of exp(element - greatest).
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

// Calls visit(first, count, tops, logarithms of sums) for a few rows at a time, of an operand `in`: as many logarithms
// as a vector has lanes are taken at once, where the rows stay in the cache.
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
        found.take(i, top, sum_everywhere<T>(sum_over<T>(cols, [=](int64_t c, int64_t lanes) {
                     return exp_of(row + c, lanes, top);
                   })));
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

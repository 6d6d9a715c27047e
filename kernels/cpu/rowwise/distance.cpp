// Distances of rows: norms of the differences of each row of a batch from all rows of a second operand.
//
// Differences are formed and added in registers, for a tile of several rows of the batch by two registers of rows of
// the second operand, which is transposed in blocks. A sum takes the terms in their order, whatever the instruction set
// and the tile: 32 terms in the compute type, and the sums of such blocks in double. With u half an ulp of 1, the
// relative error of a sum is that of its terms and at most 33 u for a distance in float, whatever its length, and (31 +
// n / 32) u for n terms in double (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); a square root
// has half of it. A sum of squares of floats that may have overflowed, or lost terms too small for a float, is computed
// once more in double.
#include <math.h>

#include <type_traits>

#include "elementwise/transpose.h"
#include "rowwise/rowwise.h"
#include "vector_lanes.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX2__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

template <typename T>
constexpr int width = register_bytes / int(sizeof(T));
template <typename T>
using numbers = tb_kernel::lanes<T, width<T>>;

constexpr int block = 32;         // terms
constexpr int tile = 6;           // rows
constexpr int rows_at_once = 60;  // whose sums stay in the cache while a block of the second operand is transposed
// Each task transposes the second operand, which costs as much as some rows.
constexpr int least_task_rows = 4 * tile;

// The orders. add() joins a sum with a difference, join() the sum of a block with that of those before it.
struct sum_of_terms {
  static double join(double sum, double part) { return sum + part; }
  template <typename T>
  static T norm(T sum) {
    return sum;
  }
};
struct squares : sum_of_terms {
  template <typename V>
  static V add(V sum, V x) {
#if defined(__FMA__)
    return __builtin_elementwise_fma(x, x, sum);
#else
    return x * x + sum;
#endif
  }
  static float norm(float sum) { return sqrtf(sum); }
  static double norm(double sum) { return ::sqrt(sum); }
};
struct magnitudes : sum_of_terms {
  template <typename V>
  static V add(V sum, V x) {
    return sum + __builtin_elementwise_abs(x);
  }
};
struct differing : sum_of_terms {
  template <typename V>
  static V add(V sum, V x) {
    return sum + (x != 0 ? V{} + 1 : V{});
  }
};
struct largest : sum_of_terms {
  template <typename V>
  static V add(V sum, V x) {
    const V size = __builtin_elementwise_abs(x);
    return ((size > sum) | (size != size)) ? size : sum;
  }
  static double join(double sum, double part) { return part > sum || part != part ? part : sum; }
};

// Adds a block of terms to the sums of `Rows` rows, of `Registers` registers each, which it begins if it is the
// `first`; `columns` has as many of each term.
template <typename Order, typename T, int Rows, int Registers>
void add_block(const T* in, int64_t pitch, int64_t terms, const T* columns, double* sum, bool first) {
  constexpr int64_t step = Registers * width<T>;
  numbers<T> part[Rows][Registers] = {};
  for (int64_t k = 0; k < terms; ++k, columns += step) {
    numbers<T> other[Registers];
    __builtin_memcpy(other, columns, sizeof other);
#pragma clang loop unroll(full)
    for (int i = 0; i < Rows; ++i) {
      const T x = in[i * pitch + k];
#pragma clang loop unroll(full)
      for (int n = 0; n < Registers; ++n) part[i][n] = Order::add(part[i][n], x - other[n]);
    }
  }
  for (int i = 0; i < Rows; ++i) {
    T of_block[step];
    __builtin_memcpy(of_block, part[i], sizeof of_block);
    double* const to = sum + i * step;
    if (first) {
      for (int64_t n = 0; n < step; ++n) to[n] = double(of_block[n]);
    } else {
      for (int64_t n = 0; n < step; ++n) to[n] = Order::join(to[n], double(of_block[n]));
    }
  }
}

// Whether a sum of squares of floats has neither overflowed nor may have lost much to terms that are too small for a
// float, of which each is off by less than 2^-126.
bool in_range(double sum) { return sum >= 0x1p-60 && sum <= 0x1p126; }

float distance_in_double(const float* a, const float* b, int64_t terms) {
  double sum = 0;
  for (int64_t k = 0; k < terms; ++k) {
    const double x = double(a[k]) - double(b[k]);
    sum += x * x;
  }
  return float(::sqrt(sum));
}

// A batch of rows, and the rows whose distances from them are wanted.
template <typename T>
struct points {
  const T *in, *other;
  T* out;
  int64_t pitch, out_pitch, rows, others, terms;
};

// The distances from the others first to first + count - 1, which fill `Registers` registers or a part of them.
template <typename Order, typename T, int Registers>
void distances_from(const points<T>& p, int64_t first, int64_t count) {
  constexpr int64_t step = Registers * width<T>, bytes = sizeof(T);
  alignas(64) T columns[block * step] = {};
  alignas(64) double sum[rows_at_once * step];
  const T* const other = p.other + first * p.terms;
  for (int64_t begin = 0; begin < p.rows; begin += rows_at_once) {
    const int64_t rows = p.rows - begin < rows_at_once ? p.rows - begin : rows_at_once;
    int64_t k = 0;
    do {
      const int64_t terms = p.terms - k < block ? p.terms - k : block;
      transpose(columns, step * bytes, other + k, p.terms * bytes, terms, count, bytes);
      const T* const in = p.in + begin * p.pitch + k;
      int64_t i = 0;
      for (; i + tile <= rows; i += tile) {
        add_block<Order, T, tile, Registers>(in + i * p.pitch, p.pitch, terms, columns, sum + i * step, k == 0);
      }
      for (; i < rows; ++i) {
        add_block<Order, T, 1, Registers>(in + i * p.pitch, 0, terms, columns, sum + i * step, k == 0);
      }
      k += block;
    } while (k < p.terms);
    for (int64_t i = 0; i < rows; ++i) {
      const double* const of_row = sum + i * step;
      T* const out = p.out + (begin + i) * p.out_pitch + first;
      for (int64_t n = 0; n < count; ++n) out[n] = Order::norm(T(of_row[n]));
      if constexpr (std::is_same_v<Order, squares> && std::is_same_v<T, float>) {
        bool all_in_range = true;
        for (int64_t n = 0; n < count; ++n) all_in_range &= in_range(of_row[n]);
        for (int64_t n = 0; n < count && !all_in_range; ++n) {
          if (in_range(of_row[n])) continue;
          out[n] = distance_in_double(p.in + (begin + i) * p.pitch, other + n * p.terms, p.terms);
        }
      }
    }
  }
}

template <typename Order, typename T>
void in_tiles(const points<T>& p) {
  for (int64_t first = 0; first < p.others; first += 2 * width<T>) {
    const int64_t left = p.others - first;
    if (left <= width<T>) {
      distances_from<Order, T, 1>(p, first, left);
    } else {
      distances_from<Order, T, 2>(p, first, left < 2 * width<T> ? left : 2 * width<T>);
    }
  }
}

template <typename T>
void by_powers(const points<T>& p, double order) {
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.others; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < p.terms; ++k) {
        sum += ::pow(::fabs(double(p.in[i * p.pitch + k]) - double(p.other[j * p.terms + k])), order);
      }
      p.out[i * p.out_pitch + j] = T(::pow(sum, 1 / order));
    }
  }
}

template <typename T>
void distances(const points<T>& p, double order) {
  if (order == 0) return in_tiles<differing>(p);
  if (order == 1) return in_tiles<magnitudes>(p);
  if (order == 2) return in_tiles<squares>(p);
  if (__builtin_isinf(order)) return in_tiles<largest>(p);
  by_powers(p, order);
}

template <typename T>
void run_distances(const rows_at& r) {
  // Rows that have the second operand in common are done together.
  const int64_t together = r.pitch[2] == 0 ? r.count : 1;
  for (int64_t i = 0; i < r.count; i += together) {
    distances(points<T>{r.as<const T>(1, i), r.as<const T>(2, i), r.as<T>(0, i), r.pitch[1], r.pitch[0], together,
                        r.length[0], r.length[1]},
              r.number[0].f);
  }
}

}  // namespace

rows_loop distance_rows(const tb_rowwise& call) {
  if (call.op != TB_DISTANCE) return {};
  return {
      .run = by_float(call, run_distances<float>, run_distances<double>), .many = true, .least_rows = least_task_rows};
}

}  // namespace tb_cpu::TOPBIT_ARCH

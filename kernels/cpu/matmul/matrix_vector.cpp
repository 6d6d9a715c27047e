// Matrix-vector products. Each element of the matrix is read once, so memory bandwidth is the limit, and the order in
// which rows are read decides (dot_terms.h).
#include "half.h"
#include "layout.h"
#include "matmul/dot_terms.h"
#include "matmul/matmul.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The length of a sequential sum before partial sums are added.
constexpr int64_t chain = 256;
// Outputs per block where rows of the matrix are contiguous along outputs.
constexpr int64_t wide = 4096;
// Rows along outputs of up to so many bytes are added one after another, since sums are stored for each. Measured.
constexpr int64_t short_added_row = 2048;

// The vector as contiguous elements of T: the operand itself, or a copy.
template <typename T, typename E>
const T* dense_vector(const vector_product& product) {
  const E* const from = static_cast<const E*>(product.vector);
  if constexpr (!is_half<E>) {
    if (product.vector_step == 1) return from;
  }
  T* const to = static_cast<T*>(scratch(product.depth * int64_t(sizeof(T)), scratch_level::part));
  if (to == nullptr) return nullptr;
  for (int64_t p = 0; p < product.depth; ++p) to[p] = number_of<T>(from[p * product.vector_step]);
  return to;
}

// The rows of a matrix whose dot products are computed together.
constexpr int rows_together = sizeof(vec<float>) == 64 ? 8 : 4;

// Dot products of `Rows` rows with the vector, lane by lane: two accumulators per row, added to the total every `chain`
// pairs of registers. The rows are read together or, with OneByOne, one after another.
template <typename Terms, int Rows, bool OneByOne>
[[gnu::always_inline]] inline void sum_rows(const typename Terms::element* matrix, int64_t step,
                                            const typename Terms::factor* vector, int64_t depth,
                                            typename Terms::number* out) {
  using T = typename Terms::number;
  constexpr int64_t width = Terms::width, both = 2 * width, longest = chain * both;
  vec<T> total[Rows];
  for (auto& t : total) t = vec<T>(T(0));
  for (int64_t from = 0; from < depth; from += longest) {
    const int64_t end = depth - from < longest ? depth : from + longest, whole = end - (end - from) % both;
    vec<T> even[Rows], odd[Rows];
    for (int r = 0; r < Rows; ++r) even[r] = odd[r] = vec<T>(T(0));
    constexpr int group = OneByOne ? 1 : Rows;
#pragma clang loop unroll(full)
    for (int first = 0; first < Rows; first += group) {
      int64_t p = from;
      for (; p < whole; p += both) {
        const auto x = Terms::load(vector + p, width), y = Terms::load(vector + p + width, width);
#pragma clang loop unroll(full)
        for (int r = first; r < first + group; ++r) {
          even[r] = Terms::add(Terms::load(matrix + r * step + p, width), x, even[r]);
          odd[r] = Terms::add(Terms::load(matrix + r * step + p + width, width), y, odd[r]);
        }
      }
      for (; p < end; p += width) {
        const int64_t lanes = end - p < width ? end - p : width;
        const auto x = Terms::load(vector + p, lanes);
        for (int r = first; r < first + group; ++r) {
          even[r] = Terms::add(Terms::load(matrix + r * step + p, lanes), x, even[r]);
        }
      }
    }
    for (int r = 0; r < Rows; ++r) total[r] += even[r] + odd[r];
  }
  for (int r = 0; r < Rows; ++r) out[r] = sum_of_lanes<T>(total[r]);
}

template <typename T, typename E, int Rows, bool OneByOne>
void sum_elements(const E* matrix, int64_t step, const T* vector, int64_t depth, T* out) {
  sum_rows<element_terms<T, E>, Rows, OneByOne>(matrix, step, vector, depth, out);
}
#if defined(__AVX512F__)
template <int Rows, bool OneByOne>
[[gnu::target("avx512bf16")]] void sum_pairs(const bfloat16* matrix, int64_t step, const bfloat16* vector,
                                             int64_t depth, float* out) {
  sum_rows<pair_terms, Rows, OneByOne>(matrix, step, vector, depth, out);
}
#endif

// Calls several(...) for rows_together rows at a time, and single(...) for each of the others.
template <typename E, typename V, typename T>
void sum_each_row(void (*several)(const E*, int64_t, const V*, int64_t, T*),
                  void (*single)(const E*, int64_t, const V*, int64_t, T*), const E* matrix, int64_t step,
                  const V* vector, int64_t depth, int64_t rows, T* out) {
  int64_t i = 0;
  for (; i + rows_together <= rows; i += rows_together) several(matrix + i * step, step, vector, depth, out + i);
  for (; i < rows; ++i) single(matrix + i * step, step, vector, depth, out + i);
}

// to += factor[0] * row 0 + factor[1] * row 1 + ..., in this order.
template <typename T, int Rows, typename E>
void add_rows(const E* matrix, int64_t step, const T* factor, int64_t columns, T* to) {
  constexpr int64_t width = vector_width<T>;
  vec<T> by[Rows];
  for (int r = 0; r < Rows; ++r) by[r] = vec<T>(factor[r]);
  int64_t j = 0;
  for (; j + width <= columns; j += width) {
    vec<T> sum = vec<T>::load_unaligned(to + j);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) sum = multiply_add(by[r], load_neighbours<T>(matrix + r * step + j, width), sum);
    sum.store_unaligned(to + j);
  }
  if (j < columns) {
    vec<T> sum = load_part(to + j, columns - j, T(0));
    for (int r = 0; r < Rows; ++r) {
      sum = multiply_add(by[r], load_neighbours<T>(matrix + r * step + j, columns - j), sum);
    }
    store_part(to + j, columns - j, sum);
  }
}

template <int Rows, typename T, typename E>
void add_each_row(const E* matrix, int64_t step, const T* vector, int64_t depth, int64_t columns, T* total) {
  T sums[wide];
  for (int64_t j = 0; j < columns; ++j) total[j] = T(0);
  for (int64_t from = 0; from < depth; from += chain) {
    const int64_t end = depth - from < chain ? depth : from + chain;
    T* const to = from == 0 ? total : sums;
    if (from != 0) {
      for (int64_t j = 0; j < columns; ++j) sums[j] = T(0);
    }
    int64_t p = from;
    for (; p + Rows <= end; p += Rows) add_rows<T, Rows>(matrix + p * step, step, vector + p, columns, to);
    for (; p < end; ++p) add_rows<T, 1>(matrix + p * step, step, vector + p, columns, to);
    if (from != 0) {
      for (int64_t j = 0; j < columns; ++j) total[j] += sums[j];
    }
  }
}

// By pairs if the processor has them and the vector is contiguous.
template <typename T, typename E>
void sum_outputs(const vector_product& product, const E* matrix, const T* vector, int64_t rows, bool one_by_one,
                 T* out) {
  const int64_t step = product.output_step, depth = product.depth;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, bfloat16>) {
    if (by_pairs<E>() && product.vector_step == 1) {
      return sum_each_row(one_by_one ? &sum_pairs<rows_together, true> : &sum_pairs<rows_together, false>,
                          &sum_pairs<1, true>, matrix, step, static_cast<const E*>(product.vector), depth, rows, out);
    }
  }
#endif
  sum_each_row(one_by_one ? &sum_elements<T, E, rows_together, true> : &sum_elements<T, E, rows_together, false>,
               &sum_elements<T, E, 1, true>, matrix, step, vector, depth, rows, out);
}

template <typename T, typename E>
tb_status multiply(const vector_product& product, int64_t first, int64_t outputs, const epilogue<T>& end) {
  const T* const vector = dense_vector<T, E>(product);
  if (vector == nullptr) return TB_OUT_OF_MEMORY;
  const bool along = product.depth_step == 1;
  const bool streams = comes_from_memory(outputs * product.depth, sizeof(E));
  const bool one_by_one = streams && (along ? product.depth * int64_t(sizeof(E)) <= short_row
                                            : outputs * int64_t(sizeof(E)) <= short_added_row);
  const int64_t most = along ? epilogue_columns : wide;
  T sums[wide];
  for (int64_t j = 0; j < outputs; j += most) {
    const int64_t count = outputs - j < most ? outputs - j : most;
    const E* const matrix = static_cast<const E*>(product.matrix) + (first + j) * product.output_step;
    if (along) {
      sum_outputs(product, matrix, vector, count, one_by_one, sums);
    } else {
      const auto add = one_by_one ? &add_each_row<1, T, E> : &add_each_row<8, T, E>;
      add(matrix, product.depth_step, vector, product.depth, count, sums);
    }
    for (int64_t done = 0; done < count; done += epilogue_columns) {
      const int64_t some = count - done < epilogue_columns ? count - done : epilogue_columns;
      finish(end, 0, 1, first + j + done, some, sums + done, 0);
    }
  }
  return TB_OK;
}

}  // namespace

tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<float>& end) {
  switch (product.dtype) {
    case TB_F16: return multiply<float, tb_kernel::half>(product, first, outputs, end);
    case TB_BF16: return multiply<float, tb_kernel::bfloat16>(product, first, outputs, end);
    default: return multiply<float, float>(product, first, outputs, end);
  }
}
tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<double>& end) {
  return multiply<double, double>(product, first, outputs, end);
}

}  // namespace tb_cpu::TOPBIT_ARCH

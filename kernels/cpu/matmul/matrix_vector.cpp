// Matrix-vector products. Each element of the matrix is read once, so memory bandwidth is the limit and the matrix is
// read sequentially.
#include "half.h"
#include "layout.h"
#include "matmul/matmul.h"
#include "matmul/pairs.h"
#include "multiply_add.h"
#include "row_vectors.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The length of a sequential sum before partial sums are added.
constexpr int64_t chain = 256;
// Outputs per block where rows of the matrix are contiguous along outputs.
constexpr int64_t wide = 2048;

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

// Dot products of `Rows` rows with the vector, lane by lane: two accumulators per row, added to the total every `chain`
// vectors.
template <typename T, int Rows, typename E>
void sum_rows(const E* matrix, int64_t step, const T* vector, int64_t depth, T* out) {
  constexpr int64_t width = vector_width<T>;
  vec<T> total[Rows];
  for (auto& t : total) t = vec<T>(T(0));
  for (int64_t from = 0; from < depth; from += 2 * chain * width) {
    const int64_t end = depth - from < 2 * chain * width ? depth : from + 2 * chain * width;
    vec<T> even[Rows], odd[Rows];
    for (int r = 0; r < Rows; ++r) even[r] = odd[r] = vec<T>(T(0));
    int64_t p = from;
    for (; p + 2 * width <= end; p += 2 * width) {
      const vec<T> x = vec<T>::load_unaligned(vector + p), y = vec<T>::load_unaligned(vector + p + width);
#pragma clang loop unroll(full)
      for (int r = 0; r < Rows; ++r) {
        even[r] = multiply_add(load_neighbours<T>(matrix + r * step + p, width), x, even[r]);
        odd[r] = multiply_add(load_neighbours<T>(matrix + r * step + p + width, width), y, odd[r]);
      }
    }
    for (; p < end; p += width) {
      const int64_t lanes = end - p < width ? end - p : width;
      const vec<T> x = load_neighbours<T>(vector + p, lanes);
      for (int r = 0; r < Rows; ++r)
        even[r] = multiply_add(load_neighbours<T>(matrix + r * step + p, lanes), x, even[r]);
    }
    for (int r = 0; r < Rows; ++r) total[r] += even[r] + odd[r];
  }
  for (int r = 0; r < Rows; ++r) out[r] = sum_of_lanes<T>(total[r]);
}

#if defined(__AVX512F__)
// The same for pairs of bfloat16 elements.
template <int Rows>
[[gnu::target("avx512bf16")]] void sum_pairs(const bfloat16* matrix, int64_t step, const bfloat16* vector,
                                             int64_t depth, float* out) {
  constexpr int64_t width = 2 * vector_width<float>;
  const auto multiply_pairs = [](__m512 sum, __m512i a, __m512i b) __attribute__((target("avx512bf16"))) {
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
  };
  __m512 total[Rows];
  for (auto& t : total) t = _mm512_setzero_ps();
  for (int64_t from = 0; from < depth; from += 2 * chain * width) {
    const int64_t end = depth - from < 2 * chain * width ? depth : from + 2 * chain * width;
    __m512 even[Rows], odd[Rows];
    for (int r = 0; r < Rows; ++r) even[r] = odd[r] = _mm512_setzero_ps();
    int64_t p = from;
    for (; p + 2 * width <= end; p += 2 * width) {
      const __m512i x = _mm512_loadu_si512(vector + p), y = _mm512_loadu_si512(vector + p + width);
#  pragma clang loop unroll(full)
      for (int r = 0; r < Rows; ++r) {
        even[r] = multiply_pairs(even[r], _mm512_loadu_si512(matrix + r * step + p), x);
        odd[r] = multiply_pairs(odd[r], _mm512_loadu_si512(matrix + r * step + p + width), y);
      }
    }
    for (; p < end; p += width) {
      const auto lanes = static_cast<__mmask32>(end - p < width ? (1u << (end - p)) - 1 : ~0u);
      const __m512i x = _mm512_maskz_loadu_epi16(lanes, vector + p);
      for (int r = 0; r < Rows; ++r) {
        even[r] = multiply_pairs(even[r], _mm512_maskz_loadu_epi16(lanes, matrix + r * step + p), x);
      }
    }
    for (int r = 0; r < Rows; ++r) total[r] = _mm512_add_ps(total[r], _mm512_add_ps(even[r], odd[r]));
  }
  for (int r = 0; r < Rows; ++r) out[r] = sum_of_lanes<float>(total[r]);
}

void sum_each_row_of_pairs(const bfloat16* matrix, int64_t step, const bfloat16* vector, int64_t depth, int64_t rows,
                           float* out) {
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) sum_pairs<8>(matrix + i * step, step, vector, depth, out + i);
  for (; i < rows; ++i) sum_pairs<1>(matrix + i * step, step, vector, depth, out + i);
}
#endif

template <typename T, typename E>
void sum_each_row(const E* matrix, int64_t step, const T* vector, int64_t depth, int64_t rows, T* out) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) sum_rows<T, 4>(matrix + i * step, step, vector, depth, out + i);
  for (; i < rows; ++i) sum_rows<T, 1>(matrix + i * step, step, vector, depth, out + i);
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

template <typename T, typename E>
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
    for (; p + 8 <= end; p += 8) add_rows<T, 8>(matrix + p * step, step, vector + p, columns, to);
    for (; p < end; ++p) add_rows<T, 1>(matrix + p * step, step, vector + p, columns, to);
    if (from != 0) {
      for (int64_t j = 0; j < columns; ++j) total[j] += sums[j];
    }
  }
}

// By pairs if the processor has them and the vector is contiguous.
template <typename T, typename E>
void sum_outputs(const vector_product& product, const E* matrix, const T* vector, int64_t rows, T* out) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, bfloat16>) {
    if (by_pairs<E>() && product.vector_step == 1) {
      return sum_each_row_of_pairs(matrix, product.output_step, static_cast<const E*>(product.vector), product.depth,
                                   rows, out);
    }
  }
#endif
  sum_each_row(matrix, product.output_step, vector, product.depth, rows, out);
}

template <typename T, typename E>
tb_status multiply(const vector_product& product, int64_t first, int64_t outputs, const epilogue<T>& end) {
  const T* const vector = dense_vector<T, E>(product);
  if (vector == nullptr) return TB_OUT_OF_MEMORY;
  const bool along = product.depth_step == 1;
  const int64_t most = along ? epilogue_columns : wide;
  T sums[wide];
  for (int64_t j = 0; j < outputs; j += most) {
    const int64_t count = outputs - j < most ? outputs - j : most;
    const E* const matrix = static_cast<const E*>(product.matrix) + (first + j) * product.output_step;
    if (along) {
      sum_outputs(product, matrix, vector, count, sums);
    } else {
      add_each_row(matrix, product.depth_step, vector, product.depth, count, sums);
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

// The matrix product of one architecture: selects the algorithm for a call and sets up operands and epilogue.
#include "matmul/matmul.h"

#include "elementwise/for_each_row.h"
#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/few_rows.h"
#include "matmul/pack.h"
#include "matmul/pairs.h"
#include "product_forms.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Up to these sizes, operands are read in place without considering blocking and packing.
constexpr int64_t small_side = 256;
constexpr int64_t small_work = 128 * 128 * 128;
// What a call of the micro-kernel costs beside its multiply-adds, in these.
constexpr int64_t call_cost = 2048;

// A product whose result is too small to be divided among threads is divided by depth, into parts of this many terms
// that are summed in order.
constexpr int64_t most_rows_by_depth = 64, most_columns_by_depth = 128, depth_of_part = 4096;

struct call {
  tb_matmul p;
  loop_fn activation;
};

const void* moved(const void* base, int64_t elements, int32_t dtype) {
  return base == nullptr ? nullptr : static_cast<const char*>(base) + elements * element_bytes[dtype];
}

template <typename T>
epilogue<T> end_of(const call& c, int64_t at) {
  const tb_matmul& p = c.p;
  const bool relu = p.activation == TB_RELU;
  return {const_cast<void*>(moved(p.out, at * p.out_batch, p.out_dtype)),
          p.out_row,
          p.out_col,
          moved(p.added, at * p.added_batch, p.out_dtype),
          p.added_row,
          p.added_col,
          p.out_dtype,
          T(p.alpha.f),
          T(p.beta.f),
          relu ? nullptr : c.activation,
          relu};
}

template <typename T>
void run_end(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* tile,
             int64_t tile_row) {
  finish(*static_cast<const epilogue<T>*>(context), row, rows, column, columns, tile, tile_row);
}

// Whether both operands can be read in place, in one block.
template <typename T>
bool is_small(const tb_matmul& p) {
  const bool readable = p.b_col == 1 && (p.a_col == 1 || p.a_row == 1) && (loads_parts || p.n % vector_width<T> == 0);
  return readable && p.k <= block_depth<T> && p.k > 0 && p.m <= small_side && p.n <= small_side &&
         p.m * p.n * p.k <= small_work && p.m > 1 && p.n > 1 &&
         (p.m <= 2 * tile_rows || p.b_row * int64_t(sizeof(T)) % 4096 != 0);
}

template <typename T>
tb_status multiply_small(const void* context, int64_t at, int64_t, int64_t, int64_t, int64_t) {
  const call& c = *static_cast<const call*>(context);
  const tb_matmul& p = c.p;
  using order = typename left_block<T>::order;
  const left_block<T> a{static_cast<const T*>(p.a) + at * p.a_batch, p.a_col == 1 ? p.a_row : p.a_col,
                        p.a_col == 1 ? order::rows : order::columns};
  const right_block<T> b{static_cast<const T*>(p.b) + at * p.b_batch, p.b_row, false};
  if (p.out_col == 1 && p.added == nullptr && p.alpha.f == 1 && p.activation < 0) {
    multiply_block(a, b, {static_cast<T*>(p.out) + at * p.out_batch, p.out_row, false, nullptr}, p.m, p.n, p.k);
    return TB_OK;
  }
  const epilogue<T> how = end_of<T>(c, at);
  const tile_end<T> end{&run_end<T>, &how};
  multiply_block(a, b, {nullptr, 0, false, &end}, p.m, p.n, p.k);
  return TB_OK;
}

template <typename T, typename E>
tb_status multiply_blocks(const void* context, int64_t at, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const call& c = *static_cast<const call*>(context);
  const tb_matmul& p = c.p;
  const strided<E> a{static_cast<const E*>(p.a) + at * p.a_batch, p.a_row, p.a_col};
  const strided<E> b{static_cast<const E*>(p.b) + at * p.b_batch, p.b_row, p.b_col};
  blocked_product<T> product{{nullptr, a.row, a.col, &pack_left_of<T, E>, &a},
                             {nullptr, b.row, &pack_right_of<T, E>, &b},
                             p.m,
                             p.n,
                             p.k,
                             end_of<T>(c, at)};
  if constexpr (!is_half<E>) {
    if (a.col == 1 || a.row == 1) product.a.in_place = a.at;
    if (b.col == 1) product.b.in_place = b.at;
  }
  return multiply_rectangle(product, row, rows, column, columns);
}

#if defined(__AVX512F__)
tb_status multiply_pairs(const void* context, int64_t at, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const call& c = *static_cast<const call*>(context);
  const tb_matmul& p = c.p;
  const bfloat16_matrix a{{static_cast<const bfloat16*>(p.a) + at * p.a_batch, p.a_row, p.a_col}, p.k};
  const bfloat16_matrix b{{static_cast<const bfloat16*>(p.b) + at * p.b_batch, p.b_row, p.b_col}, p.k};
  return multiply_rectangle({{pairs_in_place(a), p.a_row / 2, 1, &pack_left_pairs, &a},
                             {nullptr, 0, &pack_right_pairs, &b},
                             p.m,
                             p.n,
                             (p.k + 1) / 2,
                             end_of<float>(c, at),
                             true},
                            row, rows, column, columns);
}
#endif

template <typename Terms>
bool has_few_rows(const tb_matmul& p) {
  return p.m <= most_few_rows<Terms> && p.a_col == 1 && p.b_row == 1;
}

template <typename Terms>
tb_status multiply_few(const void* context, int64_t at, int64_t, int64_t, int64_t column, int64_t columns) {
  using E = typename Terms::element;
  const call& c = *static_cast<const call*>(context);
  const tb_matmul& p = c.p;
  const few_rows<Terms> rows{static_cast<const E*>(p.a) + at * p.a_batch,
                             static_cast<const E*>(p.b) + at * p.b_batch,
                             p.a_row,
                             p.b_col,
                             p.m,
                             p.k};
  multiply_few_rows(rows, column, columns, end_of<typename Terms::number>(c, at));
  return TB_OK;
}

// A result of one row: a vector-matrix product.
template <typename T>
tb_status multiply_row(const void* context, int64_t at, int64_t, int64_t, int64_t column, int64_t columns) {
  const call& c = *static_cast<const call*>(context);
  const tb_matmul& p = c.p;
  return multiply_vector({moved(p.b, at * p.b_batch, p.dtype), p.b_col, p.b_row, moved(p.a, at * p.a_batch, p.dtype),
                          p.a_col, p.k, p.dtype},
                         column, columns, end_of<T>(c, at));
}

// k == 0: the epilogue of a product of zeros.
template <typename T>
tb_status multiply_nothing(const call& c) {
  constexpr T zeros[epilogue_columns] = {};
  for (int64_t at = 0; at < c.p.batch; ++at) {
    const epilogue<T> how = end_of<T>(c, at);
    for (int64_t j = 0; j < c.p.n; j += epilogue_columns) {
      const int64_t columns = c.p.n - j < epilogue_columns ? c.p.n - j : epilogue_columns;
      finish(how, 0, c.p.m, j, columns, zeros, 0);
    }
  }
  return TB_OK;
}

bool divides_depth(const tb_matmul& p) {
  return p.batch == 1 && p.m > 1 && p.m <= most_rows_by_depth && p.n <= most_columns_by_depth &&
         p.k >= 4 * depth_of_part;
}

template <typename T, typename E>
tb_status multiply(const tb_matmul& given);

template <typename T, typename E>
tb_status multiply_by_depth(const call& c) {
  const tb_matmul& p = c.p;
  const int64_t whole = p.k / depth_of_part, parts = (p.k + depth_of_part - 1) / depth_of_part, size = p.m * p.n;
  T* const sums = static_cast<T*>(scratch(parts * size * int64_t(sizeof(T))));
  if (sums == nullptr) return TB_OUT_OF_MEMORY;
  tb_matmul part = p;
  part.out = sums;
  part.out_row = p.n;
  part.out_col = 1;
  part.out_batch = size;
  part.out_dtype = sizeof(T) == 4 ? TB_F32 : TB_F64;
  part.added = nullptr;
  part.alpha.f = 1;
  part.activation = -1;
  part.batch = whole;
  part.k = depth_of_part;
  part.a_batch = depth_of_part * p.a_col;
  part.b_batch = depth_of_part * p.b_row;
  tb_status status = multiply<T, E>(part);
  if (whole < parts && status == TB_OK) {
    part.a = moved(p.a, whole * part.a_batch, p.dtype);
    part.b = moved(p.b, whole * part.b_batch, p.dtype);
    part.out = sums + whole * size;
    part.batch = 1;
    part.k = p.k - whole * depth_of_part;
    status = multiply<T, E>(part);
  }
  if (status != TB_OK) return status;
  for (int64_t i = 1; i < parts; ++i) {
    for (int64_t j = 0; j < size; ++j) sums[j] += sums[i * size + j];
  }
  finish(end_of<T>(c, 0), 0, p.m, 0, p.n, sums, p.n);
  return TB_OK;
}

// Packing transposes a right-hand matrix that is contiguous along depth. In the transposed problem it is the left-hand
// one, which is read in place. But then tiles of the result are transposed, the other matrix may have to be, and its
// rows are padded to whole registers. Costs are in multiply-adds for each element, measured.
constexpr int64_t packed_element_cost = 12, turned_element_cost = 6;

template <typename T>
bool is_cheaper_transposed(const tb_matmul& p, int64_t elements_of_t) {
  constexpr int64_t width = vector_width<T>;
  if (p.b_row != 1 || p.b_col == 1 || p.out_col != 1 || p.m == 1 || p.n == 1) return false;
  if (!left_stays<T>(p.b_col / elements_of_t, p.m)) return false;
  const int64_t depth = (p.k + elements_of_t - 1) / elements_of_t, padding = (width - p.m % width) % width;
  return turned_element_cost * p.m * p.n + (p.a_row == 1 ? 0 : packed_element_cost * p.m * depth) <
         (packed_element_cost - padding) * p.n * depth;
}

template <typename T, typename E>
tb_status multiply(const tb_matmul& given) {
  call c{given, nullptr};
  tb_matmul& p = c.p;
  if (p.activation >= 0) {
    const loops& all = loops_of(p.activation);
    c.activation = sizeof(T) == 4 ? all.f32 : all.f64;
    if (c.activation == nullptr || all.inputs != 1 || all.predicate) return TB_UNSUPPORTED_DTYPE;
  }
  if (p.m <= 0 || p.n <= 0 || p.batch <= 0) return TB_OK;
  if (p.k <= 0) return multiply_nothing<T>(c);
  // The epilogue stores rows of the result: the problem is transposed if its columns are the contiguous ones.
  const bool by_columns = p.out_col != 1 && p.out_row == 1;
  if (p.n == 1 ? p.m != 1 : by_columns && p.m != 1) tb_kernel::transpose(p);
  tb_kernel::join_batch(p);
  if (divides_depth(p)) return multiply_by_depth<T, E>(c);
  if (p.m == 1 && (p.b_col == 1 || p.b_row == 1)) {
    return multiply_in_parts(1, p.n, p.k, p.batch, &c, &multiply_row<T>);
  }
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, bfloat16>) {
    if (by_pairs<E>()) {
      if (has_few_rows<pair_terms>(p)) {
        return multiply_in_parts(p.m, p.n, p.k, p.batch, &c, &multiply_few<pair_terms>);
      }
      if (is_cheaper_transposed<T>(p, 2)) tb_kernel::transpose(p);
      return multiply_in_parts(p.m, p.n, p.k, p.batch, &c, &multiply_pairs);
    }
  }
#endif
  if constexpr (!is_half<E>) {
    using terms = element_terms<T, E>;
    if (has_few_rows<terms>(p)) return multiply_in_parts(p.m, p.n, p.k, p.batch, &c, &multiply_few<terms>);
  }
  if (is_cheaper_transposed<T>(p, 1)) tb_kernel::transpose(p);
  if constexpr (!is_half<E>) {
    if (is_small<T>(p)) return multiply_in_parts(1, 1, p.m * p.n * p.k + call_cost, p.batch, &c, &multiply_small<T>);
  }
  return multiply_in_parts(p.m, p.n, p.k, p.batch, &c, &multiply_blocks<T, E>);
}

// Fast path for a small product without an epilogue: runs the micro-kernel directly on the operands.
template <typename T>
bool multiply_at_once(const tb_matmul& p) {
  if (p.batch != 1 || p.activation >= 0 || p.out_col != 1 || !is_small<T>(p)) return false;
  if (p.added != nullptr || p.alpha.f != 1) return false;
  using order = typename left_block<T>::order;
  const bool rows = p.a_col == 1;
  multiply_block(
      left_block<T>{static_cast<const T*>(p.a), rows ? p.a_row : p.a_col, rows ? order::rows : order::columns},
      right_block<T>{static_cast<const T*>(p.b), p.b_row, false},
      result_block<T>{static_cast<T*>(p.out), p.out_row, false, nullptr}, p.m, p.n, p.k);
  return true;
}

template <typename T>
tb_status multiply_floats(const tb_matmul& p) {
  if (p.out_dtype != p.dtype) return TB_UNSUPPORTED_DTYPE;
  return multiply_at_once<T>(p) ? TB_OK : multiply<T, T>(p);
}

template <typename E>
tb_status multiply_fp16(const tb_matmul& p) {
  if (p.out_dtype != p.dtype && p.out_dtype != TB_F32) return TB_UNSUPPORTED_DTYPE;
  return multiply<float, E>(p);
}

}  // namespace

tb_status matmul(const tb_matmul* product, const tb_call*) {
  switch (product->dtype) {
    case TB_I64: return multiply_integers(*product);
    case TB_F16: return multiply_fp16<tb_kernel::half>(*product);
    case TB_BF16: return multiply_fp16<tb_kernel::bfloat16>(*product);
    case TB_F32: return multiply_floats<float>(*product);
    case TB_F64: return multiply_floats<double>(*product);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

// Matrix product of one architecture, after Goto: a tile of the result stays in registers while a panel of a and a
// panel of b stream past it, and blocks of both are packed so that the streams are dense and stay in cache.
//
// Packing is what makes any strides of a and b cost the same. What is used once is not worth it: with a single panel
// of columns a is read in place, with a single panel of rows b. The blocks suit 32 KiB of L1 and 512 KiB of L2.
#include "batches.h"
#include "layout.h"
#include "scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block_depth = 256;
constexpr int64_t block_rows = 144;
constexpr int64_t block_columns = 1024;

// Rows and vectors of a register tile: enough sums to hide the latency of a multiply-add, few enough for the
// register file with room for one row of b and one element of a.
constexpr int tile_rows = sizeof(vec<float>) == 64 ? 12 : 6;
constexpr int tile_vectors = 2;

template <typename T>
constexpr int64_t tile_columns = tile_vectors * int64_t(vec<T>::size);

// Rows of a or columns of b: packed into panels, or in place.
template <typename T>
struct matrix {
  const T* at;
  int64_t row, col;  // strides
  bool packed = false;
};

// One tile: c[Rows][columns] = or += alpha * a[Rows][depth] * b[depth][columns]. A row of b is Vectors wide, even where
// the result has fewer columns.
template <typename T, int Rows, int Vectors>
void multiply_tile(int64_t depth, matrix<T> a, const T* b, int64_t b_row, T* c, int64_t c_row, int64_t columns, T alpha,
                   bool add) {
  constexpr int64_t width = vec<T>::size;
  vec<T> sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) sum[r][v] = vec<T>(T(0));
  }
  for (int64_t p = 0; p < depth; ++p, b += b_row) {
    vec<T> row[Vectors];
    for (int v = 0; v < Vectors; ++v) row[v] = vec<T>::load_unaligned(b + v * width);
    for (int r = 0; r < Rows; ++r) {
      const vec<T> factor(a.at[r * a.row + p * a.col]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = xsimd::fma(factor, row[v], sum[r][v]);
    }
  }
  if (alpha != T(1)) {
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) sum[r][v] *= vec<T>(alpha);
    }
  }
  const int64_t last = columns - (Vectors - 1) * width;
  for (int r = 0; r < Rows; ++r, c += c_row) {
    for (int v = 0; v < Vectors; ++v) {
      T* at = c + v * width;
      if (v + 1 < Vectors || last == width) {
        (add ? vec<T>::load_unaligned(at) + sum[r][v] : sum[r][v]).store_unaligned(at);
      } else {
        store_part(at, last, add ? load_part(at, last, T(0)) + sum[r][v] : sum[r][v]);
      }
    }
  }
}

// The heights a panel of rows may have. Those below the full one are for what is left at the bottom.
template <typename Visit>
void each_panel(int64_t rows, Visit visit) {
  int64_t first = 0;
  for (; rows - first >= tile_rows; first += tile_rows) visit.template operator()<tile_rows>(first);
  if constexpr (tile_rows > 8) {
    if (rows - first >= 8) visit.template operator()<8>(first), first += 8;
  }
  if (rows - first >= 4) visit.template operator()<4>(first), first += 4;
  if (rows - first >= 2) visit.template operator()<2>(first), first += 2;
  if (rows - first >= 1) visit.template operator()<1>(first);
}

// Panels of rows, one after another; in a panel the elements of a column are neighbours.
template <typename T>
void pack_rows(matrix<T> a, int64_t rows, int64_t depth, T* to) {
  each_panel(rows, [&]<int Rows>(int64_t first) {
    const T* from = a.at + first * a.row;
    T* out = to + first * depth;
    for (int64_t p = 0; p < depth; ++p, from += a.col, out += Rows) {
      for (int r = 0; r < Rows; ++r) out[r] = from[r * a.row];
    }
  });
}

// Panels of columns, one after another, each `depth` rows of one tile's width; missing columns are zero.
template <typename T>
void pack_columns(matrix<T> b, int64_t depth, int64_t columns, T* to) {
  constexpr int64_t width = vec<T>::size;
  for (int64_t first = 0; first < columns; first += tile_columns<T>) {
    const int64_t count = columns - first < tile_columns<T> ? columns - first : tile_columns<T>;
    const int64_t padded = count > width ? tile_columns<T> : width;
    for (int64_t p = 0; p < depth; ++p, to += padded) {
      const T* from = b.at + p * b.row + first * b.col;
      if (b.col == 1 && count == tile_columns<T>) {
        for (int v = 0; v < tile_vectors; ++v) {
          vec<T>::load_unaligned(from + v * width).store_aligned(to + v * width);
        }
        continue;
      }
      for (int64_t j = 0; j < count; ++j) to[j] = from[j * b.col];
      for (int64_t j = count; j < padded; ++j) to[j] = T(0);
    }
  }
}

// c = or += alpha * a * b for blocks that fit the cache. b in place has whole tiles only and neighbouring columns.
template <typename T>
void multiply_block(matrix<T> a, matrix<T> b, T* c, int64_t c_row, int64_t rows, int64_t columns, int64_t depth,
                    T alpha, bool add) {
  constexpr int64_t width = vec<T>::size;
  for (int64_t j = 0; j < columns; j += tile_columns<T>) {
    const int64_t count = columns - j < tile_columns<T> ? columns - j : tile_columns<T>;
    const int64_t vectors = count > width ? tile_vectors : 1;
    const T* right = b.at + (b.packed ? j * depth : j);
    const int64_t right_row = b.packed ? vectors * width : b.row;
    each_panel(rows, [&]<int Rows>(int64_t first) {
      const matrix<T> left =
          a.packed ? matrix<T>{a.at + first * depth, 1, Rows} : matrix<T>{a.at + first * a.row, a.row, a.col};
      T* out = c + first * c_row + j;
      if (vectors == 1) {
        multiply_tile<T, Rows, 1>(depth, left, right, right_row, out, c_row, count, alpha, add);
      } else {
        multiply_tile<T, Rows, tile_vectors>(depth, left, right, right_row, out, c_row, count, alpha, add);
      }
    });
  }
}

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

// One matrix of a result whose columns are neighbours: alpha * a * b, added to what is there or not.
template <typename T>
tb_status multiply(const tb_matmul& product, bool accumulate) {
  const int64_t m = product.m;
  const int64_t n = product.n;
  const int64_t k = product.k;
  const T* a = static_cast<const T*>(product.a);
  const T* b = static_cast<const T*>(product.b);
  T* out = static_cast<T*>(product.out);
  const T alpha = T(product.alpha.f);
  if (k <= 0) {
    if (accumulate) return TB_OK;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) out[i * product.out_row + j] = T(0);
    }
    return TB_OK;
  }

  // Blocks of even depth: 257 is cut in 129 and 128, not in 256 and 1.
  const int64_t steps = (k + block_depth - 1) / block_depth;
  const int64_t deepest = (k + steps - 1) / steps;
  const bool pack_a = n > tile_columns<T>;
  const bool pack_b = m > tile_rows || product.b_col != 1;
  const int64_t packed_b = round_up(smaller(n, block_columns), tile_columns<T>) * deepest;
  const int64_t packed_a = pack_a ? smaller(m, block_rows) * deepest : 0;
  T* const columns_room = static_cast<T*>(scratch((packed_b + packed_a) * int64_t(sizeof(T))));
  if (columns_room == nullptr) return TB_OUT_OF_MEMORY;
  T* const rows_room = columns_room + packed_b;

  for (int64_t j = 0; j < n; j += block_columns) {
    const int64_t columns = smaller(n - j, block_columns);
    const int64_t in_place = pack_b ? 0 : columns / tile_columns<T> * tile_columns<T>;
    for (int64_t p = 0; p < k; p += deepest) {
      const int64_t depth = smaller(k - p, deepest);
      const matrix<T> right{b + p * product.b_row + j * product.b_col, product.b_row, product.b_col};
      const matrix<T> rest{right.at + in_place * right.col, right.row, right.col};
      pack_columns(rest, depth, columns - in_place, columns_room);
      for (int64_t i = 0; i < m; i += block_rows) {
        const int64_t rows = smaller(m - i, block_rows);
        matrix<T> left{a + i * product.a_row + p * product.a_col, product.a_row, product.a_col};
        if (pack_a) {
          pack_rows(left, rows, depth, rows_room);
          left = {rows_room, 0, 0, true};
        }
        T* const c = out + i * product.out_row + j;
        multiply_block(left, right, c, product.out_row, rows, in_place, depth, alpha, accumulate || p > 0);
        multiply_block(left, {columns_room, 0, 0, true}, c + in_place, product.out_row, rows, columns - in_place, depth,
                       alpha, accumulate || p > 0);
      }
    }
  }
  return TB_OK;
}

// out *= beta; a beta of 0 is another matter, since it does not read.
template <typename T>
void scale(const tb_matmul& product, T beta) {
  T* const out = static_cast<T*>(product.out);
  if (beta == T(1)) return;
  for (int64_t i = 0; i < product.m; ++i) {
    for (int64_t j = 0; j < product.n; ++j) out[i * product.out_row + j * product.out_col] *= beta;
  }
}

tb_matmul transposed(tb_matmul p) {
  return {.out = p.out,
          .a = p.b,
          .b = p.a,
          .m = p.n,
          .n = p.m,
          .k = p.k,
          .out_row = p.out_col,
          .out_col = p.out_row,
          .a_row = p.b_col,
          .a_col = p.b_row,
          .b_row = p.a_col,
          .b_col = p.a_row,
          .batch = p.batch,
          .out_batch = p.out_batch,
          .a_batch = p.b_batch,
          .b_batch = p.a_batch,
          .alpha = p.alpha,
          .beta = p.beta,
          .dtype = p.dtype,
          .reserved = 0};
}

// A result with neighbours in neither direction, in blocks that are dense first.
template <typename T>
tb_status multiply_apart(const tb_matmul& product) {
  constexpr int64_t side = 48;
  T block[side * side];
  const T beta = T(product.beta.f);
  for (int64_t i = 0; i < product.m; i += side) {
    for (int64_t j = 0; j < product.n; j += side) {
      tb_matmul part = product;
      part.m = smaller(side, product.m - i);
      part.n = smaller(side, product.n - j);
      part.a = static_cast<const T*>(product.a) + i * product.a_row;
      part.b = static_cast<const T*>(product.b) + j * product.b_col;
      part.out = block;
      part.out_row = part.n;
      if (const tb_status status = multiply<T>(part, false); status != TB_OK) return status;
      T* const out = static_cast<T*>(product.out) + i * product.out_row + j * product.out_col;
      for (int64_t r = 0; r < part.m; ++r) {
        for (int64_t c = 0; c < part.n; ++c) {
          T& at = out[r * product.out_row + c * product.out_col];
          at = beta == T(0) ? block[r * part.n + c] : beta * at + block[r * part.n + c];
        }
      }
    }
  }
  return TB_OK;
}

// One matrix of any result. A direction of size 1 has neighbours, whatever its stride.
template <typename T>
tb_status multiply_any(const tb_matmul& product) {
  const bool columns = product.out_col == 1 || product.n == 1;
  if (!columns && product.out_row != 1 && product.m != 1) return multiply_apart<T>(product);
  const bool accumulate = product.beta.f != 0;
  if (accumulate) scale<T>(product, T(product.beta.f));
  return multiply<T>(columns ? product : transposed(product), accumulate);
}

// One matrix of integers, which wrap. Row by row of b, so that neighbours are read together.
tb_status multiply_integers(const tb_matmul& product) {
  const int64_t* const a = static_cast<const int64_t*>(product.a);
  const int64_t* const b = static_cast<const int64_t*>(product.b);
  const uint64_t beta = uint64_t(product.beta.i);
  for (int64_t i = 0; i < product.m; ++i) {
    uint64_t* const out = static_cast<uint64_t*>(product.out) + i * product.out_row;
    for (int64_t j = 0; j < product.n; ++j) {
      uint64_t& at = out[j * product.out_col];
      at = beta == 0 ? 0 : at * beta;
    }
    for (int64_t p = 0; p < product.k; ++p) {
      const uint64_t factor = uint64_t(product.alpha.i) * uint64_t(a[i * product.a_row + p * product.a_col]);
      const int64_t* const row = b + p * product.b_row;
      for (int64_t j = 0; j < product.n; ++j) out[j * product.out_col] += factor * uint64_t(row[j * product.b_col]);
    }
  }
  return TB_OK;
}

template <typename T>
tb_status each_matrix(const tb_matmul& product, tb_status (*one)(const tb_matmul&)) {
  if (product.m <= 0 || product.n <= 0) return TB_OK;
  tb_matmul matrix = product;
  // Without depth there may be no memory to step through.
  const int64_t a_batch = product.k == 0 ? 0 : product.a_batch, b_batch = product.k == 0 ? 0 : product.b_batch;
  for (int64_t at = 0; at < product.batch; ++at) {
    matrix.out = static_cast<T*>(product.out) + at * product.out_batch;
    matrix.a = static_cast<const T*>(product.a) + at * a_batch;
    matrix.b = static_cast<const T*>(product.b) + at * b_batch;
    if (const tb_status status = one(matrix); status != TB_OK) return status;
  }
  return TB_OK;
}

}  // namespace

tb_status matmul(const tb_matmul* product, void*) {
  switch (product->dtype) {
    case TB_I64: return each_matrix<int64_t>(*product, &multiply_integers);
    case TB_F32: return each_matrix<float>(*product, &multiply_any<float>);
    case TB_F64: return each_matrix<double>(*product, &multiply_any<double>);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

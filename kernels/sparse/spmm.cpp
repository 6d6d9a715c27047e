// Products of a sparse matrix in CSR format with a dense matrix.
//
// A row of the result is computed in tiles of columns that stay in registers over all entries of the row. Each element
// is a chain of multiply-adds in the order of entries, so it depends neither on the tile nor on the division of rows.
// Rows of the dense matrix are at random places: they are prefetched some entries ahead, by the first tile.
#include "arch.h"
#include "numbers.h"
#include "prefetch.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

template <typename T, typename I, bool Mean>
struct product {
  static constexpr int64_t element_size = sizeof(raw_of<T>);

  matrix<I> a;
  const raw_of<T>* values;
  const raw_of<T>* dense;
  raw_of<T>* out;
  int64_t n, dense_step, out_step;
  row_prefetch<I> prefetch;

  explicit product(const tb_spmm& call)
      : a(call.a),
        values(static_cast<const raw_of<T>*>(call.values)),
        dense(static_cast<const raw_of<T>*>(call.dense)),
        out(static_cast<raw_of<T>*>(call.out)),
        n(call.n),
        dense_step(call.dense_step),
        out_step(call.out_step),
        prefetch(a, call.dense, call.dense_step * element_size, call.n * element_size) {}

  // Count * Width columns of one row, from `column`.
  template <int Count, int Width, bool First = false>
  void tile(int64_t row, int64_t column) const {
    using number = number<T>;
    using vector = lanes<sum_of<T>, Width>;
    vector sum[Count] = {};
    const int64_t end = a.compressed[row + 1];
    for (int64_t e = a.compressed[row]; e < end; ++e) {
      if constexpr (First) prefetch(e);
      const raw_of<T>* const from = dense + a.plain[e] * dense_step + column;
      const vector value = filled<vector, Width>(load<T>(values + e));
#pragma clang loop unroll(full)
      for (int t = 0; t < Count; ++t) {
        sum[t] = number::template multiply_add<vector>(value, load<T, Width>(from + t * Width), sum[t]);
      }
    }
    if constexpr (Mean) {
      const int64_t count = end - a.compressed[row];
      const vector divisor = filled<vector, Width>(static_cast<sum_of<T>>(count > 0 ? count : 1));
      for (vector& total : sum) total = total / divisor;
    }
    raw_of<T>* const to = out + row * out_step + column;
#pragma clang loop unroll(full)
    for (int t = 0; t < Count; ++t) store<T, Width>(to + t * Width, sum[t]);
  }

  // The last tile of a row overlaps its neighbour rather than being narrower: elements computed twice are equal.
  template <int Width>
  void narrow(int64_t row) const {
    if (n == 0) return;
    if constexpr (Width == 1) {
      for (int64_t c = 0; c < n; ++c) tile<1, 1>(row, c);
    } else {
      if (n < Width) return narrow<Width / 2>(row);
      int64_t c = 0;
      for (; c + Width <= n; c += Width) tile<1, Width>(row, c);
      if (c < n) tile<1, Width>(row, n - Width);
    }
  }

  // Sums of two words per lane take twice the registers.
  static constexpr int most = sizeof(sum_of<T>) == 8 ? 2 : 4;

  void wide_row(int64_t row) const {
    tile<most, 16, true>(row, 0);
    int64_t c = most * 16;
    for (; c + most * 16 <= n; c += most * 16) tile<most, 16>(row, c);
    if constexpr (most == 4) {
      if (c + 32 <= n) {
        tile<2, 16>(row, c);
        c += 32;
      }
    }
    for (; c + 16 <= n; c += 16) tile<1, 16>(row, c);
    if (c < n) tile<1, 16>(row, n - 16);
  }

  void medium_row(int64_t row) const {
    tile<1, 16, true>(row, 0);
    int64_t c = 16;
    for (; c + 16 <= n; c += 16) tile<1, 16>(row, c);
    if (c < n) tile<1, 16>(row, n - 16);
  }

  // The product with a vector. Rows are short: an unrolled loop would mostly run its remainder.
  void one_column(int64_t begin, int64_t end) const {
    int64_t e = a.compressed[begin];
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = e, last = a.compressed[row + 1];
      sum_of<T> sum = 0;
#pragma clang loop unroll(disable)
      for (; e < last; ++e) {
        sum = number<T>::template multiply_add<sum_of<T>>(load<T>(values + e), load<T>(dense + a.plain[e] * dense_step),
                                                          sum);
      }
      if constexpr (Mean) sum = sum / static_cast<sum_of<T>>(first < last ? last - first : 1);
      out[row * out_step] = narrowed<T>(sum);
    }
  }

  void rows(int64_t begin, int64_t end) const {
    if (n == 1) return one_column(begin, end);
    if (n < 16) {
      for (int64_t row = begin; row < end; ++row) narrow<8>(row);
    } else if (n < most * 16) {
      for (int64_t row = begin; row < end; ++row) medium_row(row);
    } else {
      for (int64_t row = begin; row < end; ++row) wide_row(row);
    }
  }
};

}  // namespace

void spmm(const tb_spmm* call, int64_t begin, int64_t end) {
  with_dtype(call->dtype, [&]<typename T>(T) {
    with_index(call->a.index, [&]<typename I>(I) { product<T, I, false>(*call).rows(begin, end); });
  });
}

void spmm_mean(const tb_spmm* call, int64_t begin, int64_t end) {
  with_float(call->dtype, [&]<typename T>(T) {
    with_index(call->a.index, [&]<typename I>(I) { product<T, I, true>(*call).rows(begin, end); });
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH

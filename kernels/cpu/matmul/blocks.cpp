#include "matmul/blocks.h"

#include "layout.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A panel of b stays in 48 KiB of L1 together with a panel of a, and a block of a in 1 MiB of L2.
template <typename T>
constexpr int64_t block_rows = 1920 / int64_t(sizeof(T));

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t round_up(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <typename T>
bool right_in_place(const right_source<T>& b, int64_t rows, int64_t columns) {
  if (b.in_place == nullptr || (!loads_parts && columns % vector_width<T> != 0)) return false;
  return stays(b.row * int64_t(sizeof(T)), rows, 2 * tile_rows);
}

template <typename T>
bool left_in_place(const left_source<T>& a, int64_t columns) {
  return a.in_place != nullptr && left_stays<T>(a.col == 1 ? a.row : a.col, columns);
}

template <typename T>
struct placed_end {
  const epilogue<T>* end;
  int64_t row, column;
};
template <typename T>
void run_end(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* tile,
             int64_t tile_row) {
  const auto* placed = static_cast<const placed_end<T>*>(context);
  finish(*placed->end, placed->row + row, rows, placed->column + column, columns, tile, tile_row);
}

// Whether partial sums over blocks of k may be accumulated in the result: it has type T, its rows are contiguous, and
// it does not alias `added`, which is read last.
template <typename T>
bool sums_in_result(const epilogue<T>& end) {
  return end.dtype == (sizeof(T) == 4 ? TB_F32 : TB_F64) && end.out_col == 1 && end.added != end.out;
}

template <typename T>
void multiply_packed(const blocked_product<T>& product, left_block<T> a, right_block<T> b, result_block<T> c,
                     int64_t rows, int64_t columns, int64_t depth) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    if (product.pairs) return multiply_pairs_block(a, b, c, rows, columns, depth);
  }
#endif
  (void)product;
  multiply_block(a, b, c, rows, columns, depth);
}

template <typename T>
tb_status multiply(const blocked_product<T>& product, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const even_parts steps(product.k, block_depth<T>), high(rows, block_rows<T>);
  const int64_t deepest = steps.size(0);
  const int64_t across = (columns + product.block_columns - 1) / product.block_columns;
  const int64_t widest = smaller(columns, round_up((columns + across - 1) / across, tile_width<T>));
  const bool b_placed = right_in_place(product.b, rows, columns);
  const bool a_placed = left_in_place(product.a, columns);
  const bool in_result = sums_in_result(product.end), plain = in_result && product.end.nothing();
  const bool sums_apart = steps.count > 1 && !in_result;

  const int64_t a_room = a_placed ? 0 : round_up(high.size(0) * deepest, 16);
  // Packing may write a register past the last panel.
  const int64_t b_room = b_placed ? 0 : round_up(widest, tile_width<T>) * deepest + vector_width<T>;
  const int64_t sums_row = round_up(widest, 16), sums_room = sums_apart ? rows * sums_row : 0;
  T* room = nullptr;
  if (const int64_t all = a_room + b_room + sums_room; all > 0) {
    room = static_cast<T*>(scratch(all * int64_t(sizeof(T)), scratch_level::part));
    if (room == nullptr) return TB_OUT_OF_MEMORY;
  }
  T *const b_packed = room, *const a_packed = room + b_room, *const sums = room + b_room + a_room;

  for (int64_t j = 0; j < columns; j += widest) {
    const int64_t wide = smaller(widest, columns - j);
    for (int64_t s = 0; s < steps.count; ++s) {
      const int64_t p = steps.first(s), depth = steps.size(s);
      right_block<T> right{b_packed, 0, true};
      if (b_placed) {
        right = {product.b.in_place + p * product.b.row + column + j, product.b.row, false};
      } else {
        product.b.pack(product.b.context, p, depth, column + j, wide, b_packed);
      }
      for (int64_t h = 0; h < high.count; ++h) {
        const int64_t i = high.first(h), count = high.size(h);
        using order = typename left_block<T>::order;
        const left_block<T> left =
            a_placed ? left_block<T>{product.a.in_place + (row + i) * product.a.row + p * product.a.col,
                                     product.a.col == 1 ? product.a.row : product.a.col,
                                     product.a.col == 1 ? order::rows : order::columns}
                     : product.a.pack(product.a.context, row + i, count, p, depth, a_packed);
        const placed_end<T> place{&product.end, row + i, column + j};
        const tile_end<T> end{&run_end<T>, &place};
        const bool last = s + 1 == steps.count;
        result_block<T> to{nullptr, 0, s > 0, last && !plain ? &end : nullptr};
        if (sums_apart) {
          to.at = sums + i * sums_row;
          to.row = sums_row;
        } else if (plain || steps.count > 1) {
          to.at = static_cast<T*>(product.end.out) + (row + i) * product.end.out_row + column + j;
          to.row = product.end.out_row;
        }
        multiply_packed(product, left, right, to, count, wide, depth);
      }
    }
  }
  return TB_OK;
}

}  // namespace

tb_status multiply_rectangle(const blocked_product<float>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns) {
  return multiply(product, row, rows, column, columns);
}
tb_status multiply_rectangle(const blocked_product<double>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns) {
  return multiply(product, row, rows, column, columns);
}

tb_status multiply_in_parts(int64_t m, int64_t n, int64_t k, int64_t batch, const void* context,
                            tb_status (*part)(const void* context, int64_t at, int64_t row, int64_t rows,
                                              int64_t column, int64_t columns)) {
  // Multiply-adds from which threads are used, and the minimum per task.
  const double worth = 32.0 * double(parallel_grain), least = 16.0 * double(parallel_grain);
  const double work = double(m) * double(n) * double(k) * double(batch);
  int64_t down = 1, across = 1, together = batch;
  if (const int64_t count = work > worth ? threads() : 1; count > 1) {
    const int64_t wanted = int64_t(smaller(4 * count, int64_t(work / least)));
    const int64_t high = 4 * tile_rows, wide = 4 * tile_width<float>;
    while (batch * down * across < wanted) {
      const int64_t rows = m / down, columns = n / across;
      if (rows >= columns && rows >= 2 * high) {
        down *= 2;
      } else if (columns >= 2 * wide) {
        across *= 2;
      } else if (rows >= 2 * high) {
        down *= 2;
      } else {
        break;
      }
    }
    together = (batch + wanted - 1) / wanted;
  }
  const int64_t row_size = (m + down - 1) / down, column_size = round_up((n + across - 1) / across, tile_width<float>);
  const int64_t row_parts = (m + row_size - 1) / row_size, column_parts = (n + column_size - 1) / column_size;
  const int64_t groups = (batch + together - 1) / together;
  int32_t failed = TB_OK;
  each_part(groups * row_parts * column_parts, [&](int64_t i) {
    const int64_t row = i % row_parts * row_size, column = i / row_parts % column_parts * column_size;
    const int64_t first = i / (row_parts * column_parts) * together, end = smaller(first + together, batch);
    for (int64_t at = first; at < end; ++at) {
      const tb_status status =
          part(context, at, row, smaller(row_size, m - row), column, smaller(column_size, n - column));
      if (status != TB_OK) __atomic_store_n(&failed, status, __ATOMIC_RELAXED);
    }
  });
  return tb_status(__atomic_load_n(&failed, __ATOMIC_RELAXED));
}

}  // namespace tb_cpu::TOPBIT_ARCH

// Packing: copies blocks of a and b into the layouts that the micro-kernel reads, float16 and bfloat16 as float32.
//
// With packing, the cost does not depend on the strides: the micro-kernel reads dense memory without cache set
// conflicts.
#pragma once

#include <type_traits>
#include <utility>

#include "half.h"
#include "lane_loads.h"
#include "matmul/microkernel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A matrix of elements of type E with any strides.
template <typename E>
struct strided {
  const E* at;
  int64_t row, col;
};

template <typename E>
constexpr bool is_half = !std::is_floating_point_v<E>;

template <typename T, typename E>
T number_of(E x) {
  if constexpr (is_half<E>) {
    return tb_kernel::to_float(x);
  } else {
    return x;
  }
}

// Rounded once.
template <typename E, typename T>
E rounded(T value) {
  if constexpr (std::is_same_v<E, tb_kernel::half>) {
    return tb_kernel::to_half(value);
  } else if constexpr (is_half<E>) {
    return tb_kernel::to_bfloat16(value);
  } else {
    return value;
  }
}

// Loads `count` contiguous elements; 0 in the other lanes.
template <typename T, typename E>
vec<T> load_neighbours(const E* at, int64_t count) {
  constexpr int64_t width = vector_width<T>;
  if constexpr (is_half<E>) {
    alignas(64) T lanes[width];
    if (count == width) {
      for (int64_t i = 0; i < width; ++i) lanes[i] = tb_kernel::to_float(at[i]);
    } else {
      for (int64_t i = 0; i < width; ++i) lanes[i] = i < count ? T(tb_kernel::to_float(at[i])) : T(0);
    }
    return vec<T>::load_aligned(lanes);
  } else {
    return count == width ? vec<T>::load_unaligned(at) : load_part(at, count, T(0));
  }
}

template <typename T, typename E>
void copy_neighbours(const E* from, int64_t count, T* to) {
  if constexpr (is_half<E>) {
    for (int64_t i = 0; i < count; ++i) to[i] = tb_kernel::to_float(from[i]);
  } else {
    __builtin_memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  }
}

// Interleaves groups of `Count` elements of a and b, from the lower or, with Second, the upper half of each 128-bit
// lane.
template <int Count, bool Second, typename T, int... Lane>
vec<T> by_turns(vec<T> a, vec<T> b, std::integer_sequence<int, Lane...>) {
  constexpr auto lane = [](int i) {
    const int within = i % piece<T>, place = within / (2 * Count) * Count + within % Count;
    return i - within + place + (Second ? piece<T> / 2 : 0) + (within / Count % 2 == 0 ? 0 : int(sizeof...(Lane)));
  };
  return __builtin_shufflevector(a.data, b.data, lane(Lane)...);
}

// Transposes the square within each 128-bit lane of as many registers as a lane has elements.
inline void transpose_pieces(vec<float>* rows) {
  constexpr auto lanes = std::make_integer_sequence<int, vec<float>::size>();
  const vec<float> a = by_turns<1, false>(rows[0], rows[1], lanes), b = by_turns<1, true>(rows[0], rows[1], lanes);
  const vec<float> c = by_turns<1, false>(rows[2], rows[3], lanes), d = by_turns<1, true>(rows[2], rows[3], lanes);
  rows[0] = by_turns<2, false>(a, c, lanes);
  rows[1] = by_turns<2, true>(a, c, lanes);
  rows[2] = by_turns<2, false>(b, d, lanes);
  rows[3] = by_turns<2, true>(b, d, lanes);
}
inline void transpose_pieces(vec<double>* rows) {
  constexpr auto lanes = std::make_integer_sequence<int, vec<double>::size>();
  const vec<double> a = rows[0], b = rows[1];
  rows[0] = by_turns<1, false>(a, b, lanes);
  rows[1] = by_turns<1, true>(a, b, lanes);
}

// A row of a panel, with `room` elements from its beginning to the end of the panel: those behind it are written later.
template <typename T, typename E>
void pack_panel_row(const E* from, int64_t count, int64_t room, T* to) {
  constexpr int64_t width = vector_width<T>;
  if constexpr (loads_parts && !is_half<E>) {
    if (room >= count + width) {
      for (int64_t r = 0; r < count; r += width) {
        const partial_vector<T> part(count - r < width ? count - r : width);
        part.load(from + r).store_unaligned(to + r);
      }
      return;
    }
  }
  for (int64_t r = 0; r < count; ++r) to[r] = number_of<T>(from[r]);
}

// Packs a block of a: row after row, or in panels where columns of a are contiguous. A column is read across 8 panels
// at a time.
template <typename T, typename E>
left_block<T> pack_left(strided<E> a, int64_t rows, int64_t depth, T* to) {
  using order = typename left_block<T>::order;
  if (a.row == 1 && a.col != 1) {
    const even_parts panels(rows, tile_rows);
    for (int64_t first = 0; first < panels.count; first += 8) {
      const int64_t end = panels.count - first < 8 ? panels.count : first + 8;
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = first; i < end; ++i) {
          const int64_t high = panels.size(i), at = panels.first(i);
          pack_panel_row(a.at + p * a.col + at, high, (depth - p) * high, to + at * depth + p * high);
        }
      }
    }
    return {to, 0, order::panels};
  }
  for (int64_t r = 0; r < rows; ++r) {
    const E* const from = a.at + r * a.row;
    T* const out = to + r * depth;
    if (a.col == 1) {
      copy_neighbours(from, depth, out);
    } else {
      for (int64_t p = 0; p < depth; ++p) out[p] = number_of<T>(from[p * a.col]);
    }
  }
  return {to, depth, order::rows};
}

// Packs one register's width of columns of b that are contiguous along depth, `width` rows at a time.
template <typename T, typename E>
void pack_transposed(const E* b, int64_t col, int64_t depth, int64_t columns, T* to, int64_t to_row) {
  constexpr int64_t width = vector_width<T>;
  alignas(64) T copy[width * width];
  for (int64_t p = 0; p < depth; p += width) {
    const int64_t high = depth - p < width ? depth - p : width;
    const T* from = copy;
    int64_t step = width;
    bool copies = high < width || columns < width;
    if constexpr (is_half<E>) {
      copies = true;
    } else if (!copies) {
      from = b + p;
      step = col;
    }
    for (int64_t j = 0; copies && j < width; ++j) {
      (j < columns ? load_neighbours<T>(b + j * col + p, high) : vec<T>(T(0))).store_aligned(copy + j * width);
    }
#pragma clang loop unroll(full)
    for (int64_t first = 0; first < width; first += piece<T>) {
      vec<T> square[piece<T>];
      for (int i = 0; i < piece<T>; ++i) square[i] = load_pieces(from + i * step + first, piece<T> * step);
      transpose_pieces(square);
      for (int i = 0; i < piece<T> && first + i < high; ++i) {
        square[i].store_unaligned(to + (p + first + i) * to_row);
      }
    }
  }
}

// Packs rows of contiguous elements into panels of columns. A row is read across 8 panels at a time, long enough for
// the hardware prefetcher.
template <typename T, typename E>
void pack_rows_of_columns(strided<E> b, int64_t depth, int64_t columns, T* to) {
  constexpr int64_t width = vector_width<T>, wide = tile_width<T>, piece = 8 * wide;
  const int64_t whole = columns / wide * wide;
  for (int64_t first = 0; first < whole; first += piece) {
    const int64_t end = whole - first < piece ? whole : first + piece;
    for (int64_t p = 0; p < depth; ++p) {
      const E* const from = b.at + p * b.row;
      T* out = to + first * depth + p * wide;
      for (int64_t j = first; j < end; j += wide, out += wide * depth) {
        for (int v = 0; v < tile_vectors; ++v) {
          load_neighbours<T>(from + j + v * width, width).store_unaligned(out + v * width);
        }
      }
    }
  }
  if (whole == columns) return;
  const int64_t rest = columns - whole, padded = (rest + width - 1) / width * width;
  T* out = to + whole * depth;
  for (int64_t p = 0; p < depth; ++p, out += padded) {
    for (int64_t v = 0; v < padded; v += width) {
      load_neighbours<T>(b.at + p * b.row + whole + v, rest - v < width ? rest - v : width).store_unaligned(out + v);
    }
  }
}

// Packs panels of columns for right_block.
template <typename T, typename E>
void pack_right(strided<E> b, int64_t depth, int64_t columns, T* to) {
  constexpr int64_t width = vector_width<T>;
  if (b.col == 1) return pack_rows_of_columns(b, depth, columns, to);
  for (int64_t j = 0; j < columns; j += tile_width<T>) {
    const int64_t wide = columns - j < tile_width<T> ? columns - j : tile_width<T>;
    const int64_t padded = (wide + width - 1) / width * width;
    const E* const from = b.at + j * b.col;
    if (b.row == 1) {
      for (int64_t v = 0; v < padded; v += width) {
        pack_transposed(from + v * b.col, b.col, depth, wide - v < width ? wide - v : width, to + v, padded);
      }
    } else {
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < wide; ++i) to[p * padded + i] = number_of<T>(from[p * b.row + i * b.col]);
        for (int64_t i = wide; i < padded; ++i) to[p * padded + i] = T(0);
      }
    }
    to += depth * padded;
  }
}

// The callbacks of left_source and right_source whose context is a strided matrix.
template <typename T, typename E>
left_block<T> pack_left_of(const void* context, int64_t i, int64_t rows, int64_t p, int64_t depth, T* to) {
  const auto& a = *static_cast<const strided<E>*>(context);
  return pack_left<T, E>({a.at + i * a.row + p * a.col, a.row, a.col}, rows, depth, to);
}
template <typename T, typename E>
void pack_right_of(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, T* to) {
  const auto& b = *static_cast<const strided<E>*>(context);
  pack_right<T, E>({b.at + p * b.row + j * b.col, b.row, b.col}, depth, columns, to);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

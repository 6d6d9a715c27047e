// Blocks of a and b copied into the forms that register tiles read, halves as float32.
//
// Packing is what makes any strides cost the same: tiles then read dense memory, which fits the cache and its sets.
#pragma once

#include <type_traits>
#include <utility>

#include "half.h"
#include "matmul_tiles.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A matrix of elements of type E at any strides.
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

// Neighbours, of which `count` are there; zeros in the other lanes.
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

// Lanes of a and b where rows and columns `Distance` apart change places: one step of a transposition.
template <int Distance, bool Second, typename V, int... Lane>
V exchange(V a, V b, std::integer_sequence<int, Lane...>) {
  constexpr int width = sizeof...(Lane);
  if constexpr (Second) {
    return __builtin_shufflevector(a, b, ((Lane & Distance) != 0 ? width + Lane : Lane + Distance)...);
  } else {
    return __builtin_shufflevector(a, b, ((Lane & Distance) != 0 ? width + Lane - Distance : Lane)...);
  }
}

// Elements of a and b in turn, of the first or the second half of each 128 bits.
template <bool Second, typename V, int... Lane>
V in_turn(V a, V b, std::integer_sequence<int, Lane...>) {
  constexpr int width = sizeof...(Lane);
  return __builtin_shufflevector(a, b, ((Lane & ~3) + (Lane & 3) / 2 + (Second ? 2 : 0) + (Lane & 1) * width)...);
}

// Squares of 4 by 4 within 128 bits: what the steps for 1 and 2 do, in half the instructions.
inline void transpose_quarters(vec<float>* rows) {
  constexpr int width = vec<float>::size;
  constexpr auto lanes = std::make_integer_sequence<int, width>();
#pragma clang loop unroll(full)
  for (int i = 0; i < width; i += 4) {
    const auto a = rows[i].data, b = rows[i + 1].data, c = rows[i + 2].data, d = rows[i + 3].data;
    const auto ab = in_turn<false>(a, b, lanes), cd = in_turn<false>(c, d, lanes);
    const auto ab2 = in_turn<true>(a, b, lanes), cd2 = in_turn<true>(c, d, lanes);
    rows[i] = exchange<2, false>(ab, cd, lanes);
    rows[i + 1] = exchange<2, true>(ab, cd, lanes);
    rows[i + 2] = exchange<2, false>(ab2, cd2, lanes);
    rows[i + 3] = exchange<2, true>(ab2, cd2, lanes);
  }
}

template <int Distance, typename T>
void transpose_step(vec<T>* rows) {
  constexpr int width = vec<T>::size;
  if constexpr (Distance < width) {
    constexpr auto lanes = std::make_integer_sequence<int, width>();
#pragma clang loop unroll(full)
    for (int i = 0; i < width; ++i) {
      if ((i & Distance) != 0) continue;
      const auto a = rows[i].data, b = rows[i + Distance].data;
      rows[i] = exchange<Distance, false>(a, b, lanes);
      rows[i + Distance] = exchange<Distance, true>(a, b, lanes);
    }
    transpose_step<Distance * 2, T>(rows);
  }
}

// [width][width] of vectors.
template <typename T>
void transpose(vec<T>* rows) {
  if constexpr (sizeof(T) == 4) {
    transpose_quarters(rows);
    transpose_step<4, T>(rows);
  } else {
    transpose_step<1, T>(rows);
  }
}

// Panels of rows for left_block: in the order of rows `step` apart, or where a's columns are neighbours, of panels.
template <typename T, typename E>
left_block<T> pack_left(strided<E> a, int64_t rows, int64_t depth, T* to) {
  using order = typename left_block<T>::order;
  if (a.row == 1 && a.col != 1) {
    const even_parts panels(rows, tile_rows);
    T* out = to;
    for (int64_t i = 0; i < panels.count; ++i) {
      const int64_t high = panels.size(i);
      const E* from = a.at + panels.first(i);
      for (int64_t p = 0; p < depth; ++p, from += a.col, out += high) {
        for (int64_t r = 0; r < high; ++r) out[r] = number_of<T>(from[r]);
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

// One vector of columns whose elements are neighbours, `width` rows of b at a time.
template <typename T, typename E>
void pack_transposed(const E* b, int64_t col, int64_t depth, int64_t columns, T* to, int64_t to_row) {
  constexpr int64_t width = vector_width<T>;
  for (int64_t p = 0; p < depth; p += width) {
    const int64_t high = depth - p < width ? depth - p : width;
    vec<T> block[width];
    if (high == width && columns == width) {
      for (int64_t j = 0; j < width; ++j) block[j] = load_neighbours<T>(b + j * col + p, width);
    } else {
      for (int64_t j = 0; j < width; ++j) {
        block[j] = j < columns ? load_neighbours<T>(b + j * col + p, high) : vec<T>(T(0));
      }
    }
    transpose<T>(block);
    if (high == width) {
      for (int64_t i = 0; i < width; ++i) block[i].store_unaligned(to + (p + i) * to_row);
    } else {
      for (int64_t i = 0; i < high; ++i) block[i].store_unaligned(to + (p + i) * to_row);
    }
  }
}

// Rows of neighbours into panels of columns. Rows are read in pieces of several panels: as long as to be fetched ahead.
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

// Panels of columns for right_block.
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

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

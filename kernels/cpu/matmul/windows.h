// The windows of a convolution in a copy of the image with its padding: an element of a window is at one offset from
// the window's position, for every stride and dilation.
//
// Along each dimension the copy has lines, in which the elements that adjacent positions read are adjacent: one for
// each phase of the stride that windows read or, where lines would overlap little, one for each element of a window.
#pragma once

#include "matmul/pairs.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline int64_t greatest_divisor(int64_t a, int64_t b) { return b == 0 ? a : greatest_divisor(b, a % b); }

// The lines of one dimension, for a number of adjacent positions.
struct window_axis {
  int64_t size, stride, dilation, padding;
  int64_t period;         // window elements k and k + period share a line
  int64_t shift;          // their distance in it
  int64_t lines, length;  // lines, and elements of each

  window_axis(int64_t image_size, int64_t positions, int64_t position_step, int64_t window, int64_t window_step,
              int64_t before)
      : size(image_size), stride(position_step), dilation(window_step), padding(before) {
    period = stride / greatest_divisor(stride, dilation);
    shift = period * dilation / stride;
    lines = window < period ? window : period;
    length = positions + (window - 1) / period * shift;
    if (lines * length > window * positions) separate(window, positions);
  }
  // A line for each element of a window: those of adjacent rows of positions are adjacent too.
  void separate(int64_t window, int64_t positions) {
    period = lines = window;
    shift = 0;
    length = positions;
  }
  int64_t elements() const { return lines * length; }
  // Where the copy has element k of the first position's window.
  int64_t offset(int64_t k) const { return k % period * length + k / period * shift; }
  // The image coordinate of the first element of a line; the next ones are `stride` apart.
  int64_t coordinate(int64_t first_position, int64_t line) const {
    return first_position * stride + line * dilation - padding;
  }
  bool inside(int64_t at) const { return at >= 0 && at < size; }
};

template <typename T, int... Lane>
vec<T> every_second(vec<T> a, vec<T> b, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a.data, b.data, 2 * Lane...);
}

#if defined(__AVX512F__)
// The lanes of a register whose elements `at`, at + 1, ... are in a row of `size` elements.
template <typename T>
auto lanes_inside(int64_t at, int64_t size) {
  constexpr int64_t width = vector_width<T>;
  const auto lanes = [](int64_t count) { return first_lanes(count < 0 ? 0 : count > width ? width : count, T(0)); };
  return decltype(lanes(0))(lanes(size - at) & ~lanes(-at));
}

// Lanes of a row; 0 in the others.
template <typename T>
vec<T> load_lanes_of(const T* row, decltype(first_lanes(0, T(0))) lanes) {
  return masked_load(row, lanes, T(0));
}

// Rows of two channels as one row of pairs of bfloat16 elements.
struct pair_row {
  const bfloat16 *first, *second;  // second is null for zeros

  pair_row operator+(int64_t elements) const {
    return {first + elements, second == nullptr ? nullptr : second + elements};
  }
  float operator[](int64_t i) const { return pair_of(first + i, second == nullptr ? nullptr : second + i); }
};
inline vec<float> load_lanes_of(pair_row row, __mmask16 lanes) { return pairs_in(row.first, row.second, lanes); }

// Elements `at`, at + 1, ... of a row of `size` elements; 0 beyond it.
template <typename T, typename Row>
vec<T> load_inside(Row row, int64_t at, int64_t size) {
  return load_lanes_of(row + at, lanes_inside<T>(at, size));
}
#endif

// Elements begin to end - 1 of a line are those of an image row from `at` on, `stride` apart; the others are padding.
struct line_range {
  int64_t at, stride, begin, end, count;

  line_range(const window_axis& axis, int64_t first_position, int64_t line)
      : at(axis.coordinate(first_position, line)), stride(axis.stride), count(axis.length) {
    begin = at >= 0 ? 0 : (-at - 1) / stride + 1;
    if (begin > count) begin = count;
    end = at >= axis.size ? begin : (axis.size - at - 1) / stride + 1;
    if (end > count) end = count;
    if (end < begin) end = begin;
  }

  // Row is a pointer to elements, or a pair_row.
  template <typename T, typename Row>
  void copy(Row row, int64_t size, T* to) const {
    using E = std::remove_cvref_t<decltype(row[0])>;
    constexpr int64_t width = vector_width<T>;
    constexpr auto lanes = std::make_integer_sequence<int, vec<T>::size>();
#if defined(__AVX512F__)
    if constexpr (!is_half<E>) {
      for (int64_t i = 0; i < count && stride <= 2; i += width) {
        vec<T> x = load_inside<T>(row, at + i * stride, size);
        if (stride == 2) x = every_second(x, load_inside<T>(row, at + i * stride + width, size), lanes);
        masked_store(to + i, first_lanes(count - i < width ? count - i : width, T(0)), x);
      }
      if (stride <= 2) return;
    }
#endif
    for (int64_t i = 0; i < begin; ++i) to[i] = T(0);
    int64_t i = begin;
    if constexpr (is_half<E>) {
      if (stride == 1) {
        copy_neighbours(row + at + i, end - i, to + i);
        i = end;
      }
#if !defined(__AVX512F__)
    } else if (stride == 1) {
      for (; i + width <= end; i += width) vec<T>::load_unaligned(row + at + i).store_unaligned(to + i);
      if (i < end) {
        store_part(to + i, end - i, load_part(row + at + i, end - i, T(0)));
        i = end;
      }
    } else if (stride == 2) {
      for (; i + width <= end && at + 2 * (i + width) <= size; i += width) {
        const E* const from = row + at + 2 * i;
        every_second(vec<T>::load_unaligned(from), vec<T>::load_unaligned(from + width), lanes).store_unaligned(to + i);
      }
#endif
    }
    for (; i < end; ++i) to[i] = number_of<T>(row[at + i * stride]);
    for (; i < count; ++i) to[i] = T(0);
  }
};

#if defined(__AVX512F__)
// Short rows of a line, as whole registers whose masks are computed once: the last one of a row reaches into the next
// row of the copy, which is written after it. Masked stores are several times as slow.
template <typename T>
struct masked_line {
  static constexpr int64_t width = vector_width<T>, most = 4;
  using lanes = decltype(first_lanes(0, T(0)));
  int64_t at, stride, registers = 0;  // 0: the rows are too long, or too far apart in the image
  lanes in[2 * most];

  masked_line(const line_range& range, int64_t size) : at(range.at), stride(range.stride) {
    if (stride > 2 || range.count > most * width) return;
    for (int64_t done = 0; done < range.count; done += width, ++registers) {
      in[2 * registers] = lanes_inside<T>(at + done * stride, size);
      in[2 * registers + 1] = lanes_inside<T>(at + done * stride + width, size);
    }
  }
  template <typename Row>
  void copy(Row row, T* to) const {
    constexpr auto each = std::make_integer_sequence<int, vec<T>::size>();
    for (int64_t i = 0; i < registers; ++i) {
      const Row from = row + (at + i * width * stride);
      vec<T> x = load_lanes_of(from, in[2 * i]);
      if (stride == 2) x = every_second(x, load_lanes_of(from + width, in[2 * i + 1]), each);
      x.store_unaligned(to + i * width);
    }
  }
};
#endif

// The three dimensions of the copy of a channel, dense, the last one innermost; but its lines are outermost.
struct window_axes {
  window_axis axis[3];

  int64_t row() const { return axis[2].length; }
  int64_t plane() const { return axis[1].elements() * row(); }
  int64_t line() const { return axis[0].elements() * plane(); }
  int64_t channel() const { return axis[2].lines * line(); }
  int64_t offset(const int64_t* k) const {
    const window_axis& columns = axis[2];
    return axis[0].offset(k[0]) * plane() + axis[1].offset(k[1]) * row() + k[2] % columns.period * line() +
           k[2] / columns.period * columns.shift;
  }
  // Copies one channel for the positions from `first` on. May write up to a register beyond it.
  template <typename T, typename Row>
  void copy(Row image, const int64_t* first, T* to) const {
    for (int64_t i = 0; i < axis[2].lines; ++i) {
      const line_range range(axis[2], first[2], i);
#if defined(__AVX512F__)
      const masked_line<T> masked(range, axis[2].size);
#endif
      T* row_to = to + i * line();
      for_each_coordinate(axis[0], first[0], [&](int64_t z) {
        for_each_coordinate(axis[1], first[1], [&](int64_t y) {
          T* const to = row_to;
          row_to += row();
          if (!axis[0].inside(z) || !axis[1].inside(y)) {
            for (int64_t x = 0; x < range.count; ++x) to[x] = T(0);
            return;
          }
          const Row from = image + (z * axis[1].size + y) * axis[2].size;
#if defined(__AVX512F__)
          if constexpr (!is_half<std::remove_cvref_t<decltype(from[0])>>) {
            if (masked.registers > 0) return masked.copy(from, to);
          }
#endif
          range.copy(from, axis[2].size, to);
        });
      });
    }
  }

 private:
  template <typename Visit>
  static void for_each_coordinate(const window_axis& of, int64_t first_position, Visit visit) {
    for (int64_t line = 0; line < of.lines; ++line) {
      const int64_t at = of.coordinate(first_position, line);
      for (int64_t i = 0; i < of.length; ++i) visit(at + i * of.stride);
    }
  }
};

// The copy that blocks of positions[0] x positions[1] x positions[2] read.
inline window_axes axes_of(const tb_convolution& c, const int64_t* positions) {
  const auto axis = [&](int d) {
    return window_axis(c.size[d], positions[d], c.stride[d], c.kernel[d], c.dilation[d], c.padding[d]);
  };
  return {{axis(0), axis(1), axis(2)}};
}

// Steps to the next element of a window, in row-major order; false after the last one.
inline bool next_in(const int64_t* sizes, int64_t* k) {
  for (int d = 2; d >= 0; --d) {
    if (++k[d] < sizes[d]) return true;
    k[d] = 0;
  }
  return false;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Convolution as implicit GEMM: the right-hand matrix is not stored, its rows are read in a copy of the image.
//
// For each group of each image: result [outputs][positions] = weights [outputs][depth] * windows [depth][positions],
// where depth counts channels times window elements, and positions are those of the result. bfloat16 is multiplied by
// pairs of channels where the processor can.
#include "matmul/convolution.h"

#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/window_product.h"
#include "matmul/windows.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Rows of a result that are at least this long are results of their own, so that a block's copy of the image is small.
constexpr int64_t long_row = 1024;
// The elements that the copy for a block has at most, unless a panel needs more.
constexpr int64_t most_copied = 1 << 18;
// The columns whose sums are kept for the epilogue, in L1.
constexpr int64_t summed_columns = epilogue_columns;
// Copying an element costs about as much as this many products.
constexpr int64_t copy_cost = 3;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// The positions of a block: the smallest box around the positions from `first` on.
struct box {
  int64_t first[3], count[3];

  box(const tb_convolution& c, int64_t position, int64_t columns) {
    const int64_t last = position + columns - 1, plane = c.out_size[1] * c.out_size[2];
    const int64_t begin[3] = {position / plane, position / c.out_size[2] % c.out_size[1], position % c.out_size[2]};
    const int64_t end[3] = {last / plane, last / c.out_size[2] % c.out_size[1], last % c.out_size[2]};
    bool whole = false;
    for (int d = 0; d < 3; ++d) {
      first[d] = whole ? 0 : begin[d];
      count[d] = whole ? c.out_size[d] : end[d] - begin[d] + 1;
      whole = whole || end[d] != begin[d];
    }
  }
};

// The copy for a block. A register of positions that reaches the end of a row of the result computes what is not part
// of it: if that costs more, each element of a window's row gets a line, so that rows are adjacent.
window_axes axes_for(const tb_convolution& c, const box& block, int64_t width) {
  window_axes axes = axes_of(c, block.count);
  const int64_t columns = c.out_size[2], registers = (columns + width - 1) / width * width;
  const int64_t extra = smaller(axes.row(), registers) - columns;
  if (extra * (c.outputs / c.groups) > copy_cost * (c.kernel[2] - 1) * columns) {
    axes.axis[2].separate(c.kernel[2], block.count[2]);
  }
  return axes;
}

template <typename T>
struct windows {
  const tb_convolution& c;
  const box& block;
  const window_axes& axes;
  const T* copy;
  const int64_t* offset;  // in the copy, of the elements of a window
  int64_t first;          // position of column 0
};

// Positions from `position` on as registers of adjacent elements of the copy, one after another. Calls start(from) for
// each register, and run(lane, columns) for adjacent positions in adjacent lanes of all registers.
template <typename T, typename Start, typename Run>
void visit_registers(const windows<T>& of, int64_t position, int64_t columns, Start start, Run run) {
  constexpr int64_t width = vector_width<T>;
  const int64_t* const size = of.c.out_size;
  int64_t x = position % size[2], y = position / size[2] % size[1], z = position / size[2] / size[1];
  const T* covered = of.copy;  // the end of the last register
  int64_t registers = 0, run_lane = 0, run_columns = 0;
  for (int64_t done = 0; done < columns;) {
    const int64_t adjacent = smaller(columns - done, size[2] - x);
    const T* const from = of.copy + (z - of.block.first[0]) * of.axes.plane() +
                          (y - of.block.first[1]) * of.axes.row() + x - of.block.first[2];
    if (registers == 0 || from > covered) covered = from;
    const int64_t lane = registers * width - (covered - from);
    for (; covered < from + adjacent; covered += width, ++registers) start(covered);
    if (lane != run_lane + run_columns) {
      if (run_columns > 0) run(run_lane, run_columns);
      run_lane = lane;
      run_columns = 0;
    }
    run_columns += adjacent;
    done += adjacent;
    x = 0;
    if (++y == size[1]) y = 0, ++z;
  }
  run(run_lane, run_columns);
}

void window_offsets(const tb_convolution& c, const window_axes& axes, int64_t depth, int64_t* offset) {
  int64_t k[3] = {0, 0, 0}, channel = 0;
  for (int64_t d = 0; d < depth; ++d) {
    offset[d] = channel + axes.offset(k);
    if (!next_in(c.kernel, k)) channel += axes.channel();
  }
}

// Rows of weights as T, or as pairs of channels.
template <typename T>
struct weight_rows {
  const T* at;
  int64_t row;
};

// A group's image and weights as elements of T.
template <typename T, typename E>
struct elements_of_group {
  const E *image, *weights;
  int64_t channels, depth;

  const E* channel(int64_t i, int64_t pixels) const { return image + i * pixels; }
  bool packs() const { return is_half<E> || depth * int64_t(sizeof(T)) % same_set == 0; }
  int64_t packed_row() const { return depth + vector_width<T>; }
  weight_rows<T> rows(int64_t first, int64_t count, T* packed) const {
    const E* const from = weights + first * depth;
    if constexpr (!is_half<E>) {
      if (!packs()) return {from, depth};
    }
    for (int64_t r = 0; r < count; ++r) copy_neighbours(from + r * depth, depth, packed + r * packed_row());
    return {packed, packed_row()};
  }
  static void multiply(const window_product<T>& product) { multiply_windows(product); }
};

#if defined(__AVX512F__)
// The same as pairs of bfloat16 elements of two channels.
struct pairs_of_group {
  const bfloat16 *image, *weights;
  int64_t all_channels, window;
  int64_t channels = (all_channels + 1) / 2, depth = channels * window;

  bool has_second(int64_t i) const { return 2 * i + 1 < all_channels; }
  pair_row channel(int64_t i, int64_t pixels) const {
    const bfloat16* const first = image + 2 * i * pixels;
    return {first, has_second(i) ? first + pixels : nullptr};
  }
  static bool packs() { return true; }
  int64_t packed_row() const { return depth + vector_width<float>; }
  weight_rows<float> rows(int64_t first, int64_t count, float* packed) const {
    for (int64_t r = 0; r < count; ++r) {
      const bfloat16* const from = weights + (first + r) * all_channels * window;
      float* const to = packed + r * packed_row();
      // Each register of pairs may reach into the next ones.
      if (window <= vector_width<float>) {
        pack_short_windows(from, to);
      } else {
        pack_long_windows(from, to);
      }
    }
    return {packed, packed_row()};
  }
  static void multiply(const window_product<float>& product) { multiply_window_pairs(product); }

 private:
  // The windows of two channels are one register of elements.
  void pack_short_windows(const bfloat16* from, float* to) const {
    alignas(64) uint16_t place[32];
    for (int64_t k = 0; k < 16; ++k) {
      place[2 * k] = static_cast<uint16_t>(k);
      place[2 * k + 1] = static_cast<uint16_t>(k + window);
    }
    const __m512i order = _mm512_load_si512(place);
    for (int64_t i = 0; i < channels; ++i, from += 2 * window, to += window) {
      const auto lanes = static_cast<__mmask32>((uint64_t(1) << (has_second(i) ? 2 * window : window)) - 1);
      _mm512_storeu_si512(to, _mm512_permutexvar_epi16(order, _mm512_maskz_loadu_epi16(lanes, from)));
    }
  }
  void pack_long_windows(const bfloat16* from, float* to) const {
    constexpr int64_t width = vector_width<float>;
    for (int64_t i = 0; i < channels; ++i, from += 2 * window, to += window) {
      const bfloat16* const second = has_second(i) ? from + window : nullptr;
      for (int64_t k = 0; k < window; k += width) {
        const int64_t some = smaller(width, window - k);
        _mm512_storeu_ps(to + k, pairs_of(from + k, second == nullptr ? nullptr : second + k, some));
      }
    }
  }
};
#endif

// A rectangle of at most summed_columns from `row` and from position of.first + column on.
template <typename T, typename Group>
tb_status multiply_in_copy(const Group& group, const windows<T>& of, const epilogue<T>& end, int64_t row, int64_t rows,
                           int64_t column, int64_t columns) {
  const T* from[summed_columns];
  int64_t registers = 0;
  visit_registers(
      of, of.first + column, columns, [&](const T* at) { from[registers++] = at; }, [](int64_t, int64_t) {});
  const even_parts steps(group.depth, block_depth<T>), high(rows, tile_rows);
  const int64_t sums_row = registers * vector_width<T>, sums_room = tile_rows * sums_row;
  const int64_t packed_room = group.packs() ? tile_rows * group.packed_row() : 0;
  T* const sums = static_cast<T*>(scratch((sums_room + packed_room) * int64_t(sizeof(T)), scratch_level::part));
  if (sums == nullptr) return TB_OUT_OF_MEMORY;
  for (int64_t h = 0; h < high.count; ++h) {
    const int64_t first = row + high.first(h), count = high.size(h);
    const weight_rows<T> weights = group.rows(first, count, sums + sums_room);
    for (int64_t s = 0; s < steps.count; ++s) {
      const int64_t p = steps.first(s), depth = steps.size(s);
      Group::multiply(
          {weights.at + p, weights.row, from, of.offset + p, count, registers, depth, sums, sums_row, s > 0});
    }
    int64_t done = column;
    visit_registers(
        of, of.first + column, columns, [](const T*) {},
        [&](int64_t lane, int64_t adjacent) {
          finish(end, first, count, done, adjacent, sums + lane, sums_row);
          done += adjacent;
        });
  }
  return TB_OK;
}

// A rectangle of the result whose column 0 is at position `first`, in blocks whose copies stay in L2.
template <typename T, typename Group>
tb_status multiply_windows_of(const tb_convolution& c, const Group& group, int64_t first, const epilogue<T>& end,
                              int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const int64_t pixels = c.size[0] * c.size[1] * c.size[2];
  for (int64_t done = 0; done < columns;) {
    int64_t count = columns - done;
    box block(c, first + column + done, count);
    window_axes axes = axes_for(c, block, vector_width<T>);
    while (count > tile_width<T> && group.channels * axes.channel() > most_copied) {
      count = (count / 2 + tile_width<T> - 1) / tile_width<T> * tile_width<T>;
      block = box(c, first + column + done, count);
      axes = axes_for(c, block, vector_width<T>);
    }
    // Loads read whole registers.
    const int64_t copied = group.channels * axes.channel(), elements = copied + vector_width<T>;
    const int64_t bytes = group.depth * int64_t(sizeof(int64_t)) + elements * int64_t(sizeof(T));
    int64_t* const offset = static_cast<int64_t*>(scratch(bytes, scratch_level::image));
    if (offset == nullptr) return TB_OUT_OF_MEMORY;
    window_offsets(c, axes, group.depth, offset);
    T* const copy = reinterpret_cast<T*>(offset + group.depth);
    for (int64_t i = 0; i < group.channels; ++i) {
      axes.copy(group.channel(i, pixels), block.first, copy + i * axes.channel());
    }
    vec<T>(T(0)).store_unaligned(copy + copied);
    const windows<T> read{c, block, axes, copy, offset, first};
    for (const int64_t block_end = done + count; done < block_end;) {
      // Ends with a row of the result if it has one.
      int64_t some = smaller(summed_columns, block_end - done);
      const int64_t of_next_row = (first + column + done + some) % c.out_size[2];
      if (of_next_row < some) some -= of_next_row;
      const tb_status status = multiply_in_copy(group, read, end, row, rows, column + done, some);
      if (status != TB_OK) return status;
      done += some;
    }
  }
  return TB_OK;
}

// Whether the windows matrix is the image itself: windows of one element, stride 1, no padding.
bool windows_are_image(const tb_convolution& c) {
  for (int d = 0; d < 3; ++d) {
    if (c.kernel[d] != 1 || c.stride[d] != 1 || c.padding[d] != 0) return false;
  }
  return true;
}

// Results of a group of an image: one, or one for each long row.
struct layout {
  int64_t results, positions;

  explicit layout(const tb_convolution& c)
      : results(c.out_size[2] < long_row ? 1 : c.out_size[0] * c.out_size[1]),
        positions(results == 1 ? c.out_size[0] * c.out_size[1] * c.out_size[2] : c.out_size[2]) {}
};

// `at` is (image * groups + group) * results + result.
template <typename T, typename E>
tb_status convolve_group(const void* context, int64_t at, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const tb_convolution& c = *static_cast<const tb_convolution*>(context);
  const layout of(c);
  const int64_t pixels = c.size[0] * c.size[1] * c.size[2], positions = c.out_size[0] * c.out_size[1] * c.out_size[2];
  const int64_t channels = c.channels / c.groups, outputs = c.outputs / c.groups;
  const int64_t depth = channels * c.kernel[0] * c.kernel[1] * c.kernel[2];
  const int64_t first = at % of.results * of.positions, image = at / of.results / c.groups;
  const int64_t group = at / of.results % c.groups;
  const E* const from = static_cast<const E*>(c.image) + (image * c.channels + group * channels) * pixels;
  const E* const weight = static_cast<const E*>(c.weight) + group * outputs * depth;
  const epilogue<T> end{static_cast<E*>(c.out) + (image * c.outputs + group * outputs) * positions + first,
                        positions,
                        1,
                        c.bias == nullptr ? nullptr : static_cast<const E*>(c.bias) + group * outputs,
                        1,
                        0,
                        c.dtype,
                        T(1),
                        T(1),
                        nullptr,
                        false};
  if (!windows_are_image(c)) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<E, bfloat16>) {
      if (by_pairs<E>()) {
        const pairs_of_group pairs{from, weight, channels, c.kernel[0] * c.kernel[1] * c.kernel[2]};
        return multiply_windows_of(c, pairs, first, end, row, rows, column, columns);
      }
    }
#endif
    const elements_of_group<T, E> elements{from, weight, channels, depth};
    return multiply_windows_of(c, elements, first, end, row, rows, column, columns);
  }
  const product_operand<E> weights{{weight, depth, 1}, depth}, whole{{from, pixels, 1}, depth};
  blocked_product<T> product{{nullptr, depth, 1, &pack_left_of<T, E>, &weights.of},
                             {nullptr, pixels, &pack_right_of<T, E>, &whole.of},
                             outputs,
                             of.positions,
                             depth,
                             end};
  if constexpr (!is_half<E>) {
    product.a.in_place = weight;
    product.b.in_place = from;
  }
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, bfloat16>) {
    if (by_pairs<E>()) {
      product.a = {pairs_in_place(weights), depth / 2, 1, &pack_left_pairs, &weights};
      product.b = {nullptr, 0, &pack_right_pairs, &whole};
      product.k = (depth + 1) / 2;
      product.pairs = true;
    }
  }
#endif
  return multiply_rectangle(product, row, rows, column, columns);
}

template <typename T, typename E>
tb_status run(const tb_convolution& c) {
  const layout of(c);
  const int64_t outputs = c.outputs / c.groups;
  const int64_t depth = c.channels / c.groups * c.kernel[0] * c.kernel[1] * c.kernel[2];
  if (c.images <= 0 || outputs <= 0 || of.positions <= 0) return TB_OK;
  return multiply_in_parts(outputs, of.positions, depth, c.images * c.groups * of.results, &c, &convolve_group<T, E>);
}

}  // namespace

tb_status convolve(const tb_convolution* call, const tb_call*) {
  tb_status status = TB_OK;
  if (convolve_directly(*call, &status) || convolve_long(*call, &status)) return status;
  switch (call->dtype) {
    case TB_F16: return run<float, tb_kernel::half>(*call);
    case TB_BF16: return run<float, tb_kernel::bfloat16>(*call);
    case TB_F32: return run<float, float>(*call);
    case TB_F64: return run<double, double>(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

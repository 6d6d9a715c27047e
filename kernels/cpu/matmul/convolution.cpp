// Convolution as implicit GEMM: the right-hand matrix is not stored, its panels are packed directly from the image.
//
// For each group of each image: result [outputs][positions] = weights [outputs][depth] * windows [depth][positions],
// where depth counts channels times window elements, and positions are those of the result.
#include "matmul/convolution.h"

#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/pairs.h"
#include "matmul/windows.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Rows of a result that are at least this long are results of their own, so that a block's copy of the image is small.
constexpr int64_t long_row = 1024;
// The elements that the copy for a block has at most, unless a panel needs more.
constexpr int64_t most_copied = 1 << 18;

// The columns that are packed at once: with more, what is packed would leave L2.
constexpr int64_t packed_columns = 512;

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

template <typename T>
struct windows {
  const tb_convolution& c;
  const box& block;
  const window_axes& axes;
  const T* copy;
  int64_t first;  // position of column 0
};

// Where the copy has `columns` window positions from `position` on, for a panel of right_block: registers that start a
// run of adjacent positions, and where the panel has them. What the last register of a run writes past it is
// overwritten by the next run, and by the panel's next row.
template <typename T>
struct panel_runs {
  struct {
    const T* from;
    int64_t to;
  } run[tile_width<T>];
  int64_t count = 0;

  panel_runs(const windows<T>& of, int64_t position, int64_t columns) {
    const int64_t* const size = of.c.out_size;
    int64_t x = position % size[2], y = position / size[2] % size[1], z = position / size[2] / size[1];
    for (int64_t done = 0; done < columns;) {
      const int64_t adjacent = smaller(columns - done, size[2] - x);
      const T* const from = of.copy + (z - of.block.first[0]) * of.axes.plane() +
                            (y - of.block.first[1]) * of.axes.row() + x - of.block.first[2];
      for (int64_t i = 0; i < adjacent; i += vector_width<T>) run[count++] = {from + i, done + i};
      done += adjacent;
      x = 0;
      if (++y == size[1]) y = 0, ++z;
    }
  }
};

// The offsets in the copy of `depth` window elements from element p on.
template <typename T>
void window_offsets(const windows<T>& of, int64_t p, int64_t depth, int64_t* offset) {
  const int64_t* const size = of.c.kernel;
  int64_t k[3] = {p / size[2] / size[1] % size[0], p / size[2] % size[1], p % size[2]};
  int64_t channel = p / size[2] / size[1] / size[0] * of.axes.channel();
  for (int64_t d = 0; d < depth; ++d) {
    offset[d] = channel + of.axes.offset(k);
    if (!next_in(size, k)) channel += of.axes.channel();
  }
}

// Packs panels for right_block: load(from, d) is row d of the positions from `from` on.
template <typename T, typename Load>
void pack_panels(const windows<T>& of, int64_t depth, int64_t j, int64_t columns, T* to, Load load) {
  constexpr int64_t width = vector_width<T>;
  for (int64_t panel = 0; panel < columns; panel += tile_width<T>) {
    const int64_t wide = smaller(tile_width<T>, columns - panel), padded = (wide + width - 1) / width * width;
    const panel_runs<T> runs(of, of.first + j + panel, wide);
    for (int64_t d = 0; d < depth; ++d, to += padded) {
      for (int64_t r = 0; r < runs.count; ++r) load(runs.run[r].from, d).store_unaligned(to + runs.run[r].to);
      if (wide < padded) vec<T>(T(0)).store_unaligned(to + wide);
    }
  }
}

template <typename T>
void pack_windows(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, T* to) {
  const auto& of = *static_cast<const windows<T>*>(context);
  int64_t offset[block_depth<T>];
  window_offsets(of, p, depth, offset);
  pack_panels(of, depth, j, columns, to,
              [&](const T* from, int64_t d) { return vec<T>::load_unaligned(from + offset[d]); });
}

#if defined(__AVX512F__)
// The same in pairs of bfloat16 elements, which are the high 16 bits of the copy's.
void pack_window_pairs(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, float* to) {
  const auto& of = *static_cast<const windows<float>*>(context);
  const int64_t elements = of.c.channels / of.c.groups * of.c.kernel[0] * of.c.kernel[1] * of.c.kernel[2];
  int64_t offset[2 * block_depth<float>];
  window_offsets(of, 2 * p, smaller(2 * depth, elements - 2 * p), offset);
  pack_panels(of, depth, j, columns, to, [&](const float* from, int64_t d) -> vec<float> {
    const __m512i first = _mm512_srli_epi32(_mm512_loadu_si512(from + offset[2 * d]), 16);
    if (2 * (p + d) + 1 == elements) return _mm512_castsi512_ps(first);
    return _mm512_castsi512_ps(_mm512_mask_loadu_epi16(first, 0xaaaaaaaa, from + offset[2 * d + 1]));
  });
}
#endif

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
  const product_operand<E> weights{{static_cast<const E*>(c.weight) + group * outputs * depth, depth, 1}, depth};
  const product_operand<E> whole{{from, pixels, 1}, depth};
  blocked_product<T> product{
      {nullptr, depth, 1, &pack_left_of<T, E>, &weights.of},
      {nullptr, pixels, &pack_right_of<T, E>, &whole.of},
      outputs,
      of.positions,
      depth,
      {static_cast<E*>(c.out) + (image * c.outputs + group * outputs) * positions + first, positions, 1,
       c.bias == nullptr ? nullptr : static_cast<const E*>(c.bias) + group * outputs, 1, 0, c.dtype, T(1), T(1),
       nullptr, false}};
  if constexpr (!is_half<E>) product.a.in_place = weights.of.at;
  auto pack = &pack_windows<T>;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, bfloat16>) {
    if (by_pairs<E>()) {
      product.a = {pairs_in_place(weights), depth / 2, 1, &pack_left_pairs, &weights};
      product.b = {nullptr, 0, &pack_right_pairs, &whole};
      product.k = (depth + 1) / 2;
      product.pairs = true;
      pack = &pack_window_pairs;
    }
  }
#endif
  if (windows_are_image(c)) {
    if constexpr (!is_half<E>) product.b.in_place = from;
    return multiply_rectangle(product, row, rows, column, columns);
  }
  product.block_columns = packed_columns;
  for (int64_t done = 0; done < columns;) {
    int64_t count = columns - done;
    box block(c, first + column + done, count);
    window_axes axes = axes_of(c, block.count);
    while (count > tile_width<T> && channels * axes.channel() > most_copied) {
      count = (count / 2 + tile_width<T> - 1) / tile_width<T> * tile_width<T>;
      block = box(c, first + column + done, count);
      axes = axes_of(c, block.count);
    }
    // Loads read whole registers.
    const int64_t bytes = (channels * axes.channel() + vector_width<T>)*int64_t(sizeof(T));
    T* const copy = static_cast<T*>(scratch(bytes, scratch_level::image));
    if (copy == nullptr) return TB_OUT_OF_MEMORY;
    for (int64_t i = 0; i < channels; ++i) axes.copy(from + i * pixels, block.first, copy + i * axes.channel());
    vec<T>(T(0)).store_unaligned(copy + channels * axes.channel());
    const windows<T> read{c, block, axes, copy, first};
    product.b = {nullptr, 0, pack, &read};
    const tb_status status = multiply_rectangle(product, row, rows, column + done, count);
    if (status != TB_OK) return status;
    done += count;
  }
  return TB_OK;
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

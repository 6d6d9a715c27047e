// Convolution as implicit GEMM: the right-hand matrix is not stored, its panels are packed directly from the image.
//
// For each group of each image: result [outputs][positions] = weights [outputs][depth] * windows [depth][positions],
// where depth counts channels times window elements, and positions are those of the result.
#include "elementwise/for_each_row.h"
#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/pack.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T, typename E>
struct windows {
  const tb_convolution& c;
  const E* image;  // the first channel of the group
};

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// The range of positions of a result row, out of `count`, whose image coordinates at, at + stride, ... lie within 0 to
// size - 1.
struct inside {
  int64_t begin, end;

  inside(int64_t at, int64_t stride, int64_t size, int64_t count) {
    begin = at >= 0 ? 0 : smaller(count, (-at + stride - 1) / stride);
    end = at >= size ? begin : smaller(count, (size - at + stride - 1) / stride);
    if (end < begin) end = begin;
  }
};

// Copies the image elements that window element k reads at `columns` result positions from `position` on; 0 in the
// padding.
template <typename T, typename E>
void copy_positions(const tb_convolution& c, const E* channel, const int64_t* k, int64_t position, int64_t columns,
                    T* to) {
  int64_t x = position % c.out_size[2], y = position / c.out_size[2] % c.out_size[1];
  int64_t z = position / c.out_size[2] / c.out_size[1];
  while (columns > 0) {
    const int64_t count = smaller(columns, c.out_size[2] - x);
    const int64_t in_z = z * c.stride[0] + k[0] * c.dilation[0] - c.padding[0];
    const int64_t in_y = y * c.stride[1] + k[1] * c.dilation[1] - c.padding[1];
    const int64_t in_x = x * c.stride[2] + k[2] * c.dilation[2] - c.padding[2];
    const bool outside = in_z < 0 || in_z >= c.size[0] || in_y < 0 || in_y >= c.size[1];
    const inside here(in_x, c.stride[2], c.size[2], outside ? 0 : count);
    const E* const from = channel + (in_z * c.size[1] + in_y) * c.size[2] + in_x;
    for (int64_t i = 0; i < here.begin; ++i) to[i] = T(0);
    if (c.stride[2] == 1) {
      if (here.end > here.begin) copy_neighbours(from + here.begin, here.end - here.begin, to + here.begin);
    } else {
      for (int64_t i = here.begin; i < here.end; ++i) to[i] = number_of<T>(from[i * c.stride[2]]);
    }
    for (int64_t i = here.end; i < count; ++i) to[i] = T(0);
    to += count;
    columns -= count;
    x = 0;
    if (++y == c.out_size[1]) y = 0, ++z;
  }
}

// Packs panels for right_block. Each row is first gathered into `line`, since rows of the result and panels differ in
// width.
template <typename T, typename E>
void pack_windows(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, T* to) {
  constexpr int64_t width = vector_width<T>;
  const auto& of = *static_cast<const windows<T, E>*>(context);
  const tb_convolution& c = of.c;
  const int64_t pixels = c.size[0] * c.size[1] * c.size[2];
  constexpr int64_t most = 16 * tile_width<T>;
  alignas(64) T line[most];
  for (int64_t first = 0; first < columns; first += most) {
    const int64_t wide = smaller(most, columns - first);
    const int64_t padded = (wide + width - 1) / width * width;
    int64_t k[3] = {p / c.kernel[2] / c.kernel[1] % c.kernel[0], p / c.kernel[2] % c.kernel[1], p % c.kernel[2]};
    const E* channel = of.image + p / (c.kernel[0] * c.kernel[1] * c.kernel[2]) * pixels;
    for (int64_t d = 0; d < depth; ++d) {
      copy_positions(c, channel, k, j + first, wide, line);
      for (int64_t i = wide; i < padded; ++i) line[i] = T(0);
      T* panel = to + first * depth;
      for (int64_t i = 0; i < padded; i += tile_width<T>) {
        const int64_t panel_width = smaller(tile_width<T>, padded - i);
        for (int64_t v = 0; v < panel_width; v += width) {
          vec<T>::load_aligned(line + i + v).store_unaligned(panel + d * panel_width + v);
        }
        panel += depth * panel_width;
      }
      if (++k[2] < c.kernel[2]) continue;
      k[2] = 0;
      if (++k[1] < c.kernel[1]) continue;
      k[1] = 0;
      if (++k[0] < c.kernel[0]) continue;
      k[0] = 0;
      channel += pixels;
    }
  }
}

template <typename T, typename E>
left_block<T> pack_weights(const void* context, int64_t i, int64_t rows, int64_t p, int64_t depth, T* to) {
  const auto& a = *static_cast<const strided<E>*>(context);
  return pack_left<T, E>({a.at + i * a.row + p * a.col, a.row, a.col}, rows, depth, to);
}

// Whether the windows matrix is the image itself: windows of one element, stride 1, no padding.
bool windows_are_image(const tb_convolution& c) {
  for (int d = 0; d < 3; ++d) {
    if (c.kernel[d] != 1 || c.stride[d] != 1 || c.padding[d] != 0) return false;
  }
  return true;
}

// `at` is image * groups + group.
template <typename T, typename E>
tb_status convolve_group(const void* context, int64_t at, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const tb_convolution& c = *static_cast<const tb_convolution*>(context);
  const int64_t pixels = c.size[0] * c.size[1] * c.size[2], positions = c.out_size[0] * c.out_size[1] * c.out_size[2];
  const int64_t channels = c.channels / c.groups, outputs = c.outputs / c.groups;
  const int64_t depth = channels * c.kernel[0] * c.kernel[1] * c.kernel[2];
  const int64_t image = at / c.groups, group = at % c.groups;
  const windows<T, E> from{c, static_cast<const E*>(c.image) + (image * c.channels + group * channels) * pixels};
  const strided<E> weights{static_cast<const E*>(c.weight) + group * outputs * depth, depth, 1};
  blocked_product<T> product{{nullptr, depth, 1, &pack_weights<T, E>, &weights},
                             {nullptr, pixels, &pack_windows<T, E>, &from},
                             outputs,
                             positions,
                             depth,
                             {static_cast<E*>(c.out) + (image * c.outputs + group * outputs) * positions, positions, 1,
                              c.bias == nullptr ? nullptr : static_cast<const E*>(c.bias) + group * outputs, 1, 0,
                              c.dtype, T(1), T(1), nullptr, false}};
  if constexpr (!is_half<E>) {
    product.a.in_place = weights.at;
    if (windows_are_image(c)) product.b.in_place = from.image;
  }
  return multiply_rectangle(product, row, rows, column, columns);
}

template <typename T, typename E>
tb_status run(const tb_convolution& c) {
  const int64_t positions = c.out_size[0] * c.out_size[1] * c.out_size[2], outputs = c.outputs / c.groups;
  const int64_t depth = c.channels / c.groups * c.kernel[0] * c.kernel[1] * c.kernel[2];
  if (c.images <= 0 || outputs <= 0 || positions <= 0) return TB_OK;
  return multiply_in_parts(outputs, positions, depth, c.images * c.groups, &c, &convolve_group<T, E>);
}

}  // namespace

tb_status convolve(const tb_convolution* call, const tb_call*) {
  switch (call->dtype) {
    case TB_F16: return run<float, tb_kernel::half>(*call);
    case TB_BF16: return run<float, tb_kernel::bfloat16>(*call);
    case TB_F32: return run<float, float>(*call);
    case TB_F64: return run<double, double>(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

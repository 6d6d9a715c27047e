// Convolutions whose windows are longer than their results, as in the gradient of a weight, as matrix products.
//
// For each channel of an image: sums [positions][outputs] += elements [positions][depth] * weights [depth][outputs],
// where depth counts a channel's window elements. A row of the left-hand matrix is a part of a copy of the channel, and
// only the weights are packed, for all images.
#include <utility>

#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/convolution.h"
#include "matmul/windows.h"
#include "multiply_add.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// With fewer positions, a tile would have too few rows; with fewer in all images, packing would cost too much.
constexpr int64_t fewest_positions = 3, fewest_in_all = 64;
// The bytes of packed weights that stay in L2, and the fewest images and outputs of a task.
constexpr int64_t packed_bytes = 1 << 19, fewest_images = 16, most_outputs = 512;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t parts_of(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

// sums += products of `rows` rows of `count` elements: element (r, v) at image[r][...], weights in a dense panel.
template <typename T, int Rows, int Vectors>
void add_tile(const T* const* image, int64_t image_row, int64_t rows, int64_t count, const T* panel, T* sums,
              int64_t sums_row) {
  constexpr int64_t width = vector_width<T>;
  vec<T> sum[Rows][Vectors];
  for (auto& row : sum) {
    for (auto& s : row) s = vec<T>(T(0));
  }
  const T* from[Rows];
  for (int r = 0; r < Rows; ++r) from[r] = image[r];
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < count; ++x, panel += Vectors * width) {
      vec<T> weight[Vectors];
      for (int v = 0; v < Vectors; ++v) weight[v] = vec<T>::load_unaligned(panel + v * width);
#pragma clang loop unroll(full)
      for (int r = 0; r < Rows; ++r) {
        const vec<T> factor(from[r][x]);
#pragma clang loop unroll(full)
        for (int v = 0; v < Vectors; ++v) sum[r][v] = multiply_add(factor, weight[v], sum[r][v]);
      }
    }
    for (int r = 0; r < Rows; ++r) from[r] += image_row;
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      T* const to = sums + r * sums_row + v * width;
      (vec<T>::load_unaligned(to) + sum[r][v]).store_unaligned(to);
    }
  }
}

// Indexed by registers - 1 and rows - 1.
template <typename T>
struct tile_table {
  void (*of[tile_vectors][tile_rows])(const T* const*, int64_t, int64_t, int64_t, const T*, T*, int64_t);

  template <int... I>
  explicit constexpr tile_table(std::integer_sequence<int, I...>)
      : of{{&add_tile<T, I + 1, 1>...}, {&add_tile<T, I + 1, 2>...}} {}
};
template <typename T>
constexpr tile_table<T> tiles(std::make_integer_sequence<int, tile_rows>{});

// The images from `first_image` on and a group's outputs from `first_output` on.
struct long_part {
  int64_t group, first_image, images, first_output, outputs;
};

template <typename T, typename E>
struct long_convolution {
  const tb_convolution& c;
  const int64_t channels = c.channels / c.groups, group_outputs = c.outputs / c.groups;
  const int64_t positions = c.out_size[0] * c.out_size[1] * c.out_size[2];
  const int64_t window = c.kernel[0] * c.kernel[1] * c.kernel[2];
  const int64_t pixels = c.size[0] * c.size[1] * c.size[2];

  // Rows of window elements that are packed at once.
  int64_t chunk_rows(int64_t outputs) const {
    const int64_t rows = packed_bytes / int64_t(sizeof(T)) / (outputs * c.kernel[2]);
    return rows < 1 ? 1 : smaller(rows, c.kernel[1]);
  }
  // Positions and window elements change places: the copy has the elements adjacent that adjacent weights read.
  window_axes axes(int64_t rows) const {
    const int64_t kernel[3] = {1, rows, c.kernel[2]};
    const auto axis = [&](int d) {
      return window_axis(c.size[d], kernel[d], c.dilation[d], c.out_size[d], c.stride[d], c.padding[d]);
    };
    return {{axis(0), axis(1), axis(2)}};
  }

  tb_status run(const long_part& part) const {
    const int64_t padded = parts_of(part.outputs, vector_width<T>) * vector_width<T>;
    const int64_t rows = chunk_rows(padded);
    const window_axes axes_of_chunk = axes(rows);
    const int64_t sums_room = part.images * positions * padded, packed_room = rows * c.kernel[2] * padded;
    const int64_t copied = axes_of_chunk.channel() + vector_width<T>;
    const int64_t bytes = (sums_room + packed_room + copied) * int64_t(sizeof(T));
    T* const sums = static_cast<T*>(scratch(bytes, scratch_level::part));
    if (sums == nullptr) return TB_OUT_OF_MEMORY;
    T *const packed = sums + sums_room, *const copy = packed + packed_room;
    const auto& tile = tiles<T>.of;
    for (int64_t i = 0; i < sums_room; ++i) sums[i] = T(0);
    const even_parts high(positions, tile_rows);
    // Sums of at most block_depth products are added to `sums`.
    const int64_t most_columns = smaller(c.kernel[2], block_depth<T>), most_rows = block_depth<T> / most_columns;
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t row = 0, count = 0; row < c.kernel[0] * c.kernel[1]; row += count) {
        const int64_t z = row / c.kernel[1], y = row % c.kernel[1];
        count = smaller(rows, c.kernel[1] - y);
        const int64_t first = part.group * group_outputs + part.first_output;
        const E* const weight = static_cast<const E*>(c.weight) + (first * channels + channel) * window;
        pack_right<T, E>({weight + row * c.kernel[2], 1, channels * window}, count * c.kernel[2], part.outputs, packed);
        for (int64_t i = 0; i < part.images; ++i) {
          const int64_t plane = ((part.first_image + i) * c.groups + part.group) * channels + channel;
          const int64_t at[3] = {z, y, 0};
          axes_of_chunk.copy(static_cast<const E*>(c.image) + plane * pixels, at, copy);
          for (int64_t h = 0; h < high.count; ++h) {
            const T* from[tile_rows];
            for (int64_t r = 0; r < high.size(h); ++r) {
              const int64_t p = high.first(h) + r;
              const int64_t k[3] = {p / c.out_size[2] / c.out_size[1], p / c.out_size[2] % c.out_size[1],
                                    p % c.out_size[2]};
              from[r] = copy + axes_of_chunk.offset(k);
            }
            T* const to = sums + (i * positions + high.first(h)) * padded;
            for (int64_t j = 0; j < padded; j += tile_width<T>) {
              const int64_t wide = smaller(tile_width<T>, padded - j);
              const T* const panel = packed + j * count * c.kernel[2];
              const auto run = tile[wide / vector_width<T> - 1][high.size(h) - 1];
              for (int64_t b = 0; b < count; b += most_rows) {
                for (int64_t x = 0; x < c.kernel[2]; x += most_columns) {
                  const T* moved[tile_rows];
                  for (int64_t r = 0; r < high.size(h); ++r) moved[r] = from[r] + b * axes_of_chunk.row() + x;
                  run(moved, axes_of_chunk.row(), smaller(most_rows, count - b), smaller(most_columns, c.kernel[2] - x),
                      panel + (b * c.kernel[2] + x) * wide, to + j, padded);
                }
              }
            }
          }
        }
      }
    }
    store(part, sums, padded);
    return TB_OK;
  }

  void store(const long_part& part, const T* sums, int64_t row) const {
    for (int64_t i = 0; i < part.images; ++i, sums += positions * row) {
      for (int64_t j = 0; j < part.outputs; ++j) {
        const int64_t output = part.group * group_outputs + part.first_output + j;
        const T bias = c.bias == nullptr ? T(0) : T(number_of<T>(static_cast<const E*>(c.bias)[output]));
        E* const to = static_cast<E*>(c.out) + ((part.first_image + i) * c.outputs + output) * positions;
        for (int64_t p = 0; p < positions; ++p) to[p] = rounded<E>(T(sums[p * row + j] + bias));
      }
    }
  }
};

template <typename T, typename E>
tb_status run(const tb_convolution& c) {
  const long_convolution<T, E> of{c};
  const int64_t columns = smaller(of.group_outputs, most_outputs), across = parts_of(of.group_outputs, columns);
  int64_t images = c.images;
  const double work =
      double(c.images) * double(of.positions) * double(of.window) * double(of.channels) * double(of.group_outputs);
  if (threads() > 1 && work > 32.0 * double(parallel_grain)) {
    const int64_t wanted = parts_of(c.images, 4 * threads());
    images = smaller(c.images, wanted < fewest_images ? fewest_images : wanted);
  }
  const int64_t down = parts_of(c.images, images);
  int32_t failed = TB_OK;
  each_part(c.groups * down * across, [&](int64_t i) {
    const int64_t image = i / across % down * images, output = i % across * columns;
    const tb_status status = of.run({i / across / down, image, smaller(images, c.images - image), output,
                                     smaller(columns, of.group_outputs - output)});
    if (status != TB_OK) __atomic_store_n(&failed, status, __ATOMIC_RELAXED);
  });
  return tb_status(__atomic_load_n(&failed, __ATOMIC_RELAXED));
}

}  // namespace

bool convolve_long(const tb_convolution& c, tb_status* status) {
  const int64_t positions = c.out_size[0] * c.out_size[1] * c.out_size[2];
  const int64_t window = c.kernel[0] * c.kernel[1] * c.kernel[2];
  if (c.images <= 0 || c.outputs <= 0 || positions <= 0) return false;
  if (positions < fewest_positions || positions * c.images < fewest_in_all) return false;
  if (window <= positions || c.kernel[2] < c.out_size[2]) return false;
  switch (c.dtype) {
    case TB_F16: *status = run<float, tb_kernel::half>(c); break;
    case TB_BF16: *status = run<float, tb_kernel::bfloat16>(c); break;
    case TB_F32: *status = run<float, float>(c); break;
    case TB_F64: *status = run<double, double>(c); break;
    default: return false;
  }
  return true;
}

}  // namespace tb_cpu::TOPBIT_ARCH

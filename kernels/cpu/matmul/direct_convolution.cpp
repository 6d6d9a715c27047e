// Convolutions with few outputs per group, above all depthwise ones, whose products of matrices would have few rows.
//
// Short windows: registers hold adjacent positions of a few rows of the result, to which each element of the window is
// added in turn. Windows longer than the result, as in the gradient of a weight: registers hold a result each, summed
// along the rows of the window.
#include "half.h"
#include "layout.h"
#include "matmul/blocks.h"
#include "matmul/convolution.h"
#include "matmul/windows.h"
#include "multiply_add.h"
#include "row_vectors.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// With more outputs per group, products of matrices are faster.
constexpr int64_t most_outputs = 3;
// The elements that the copy of a block has at most, so that it stays in L1, unless it has few rows; the most columns.
template <typename T>
constexpr int64_t most_copied = 24576 / int64_t(sizeof(T));
constexpr int64_t few_rows = 8, most_columns = 2048;
// Long windows: results that are summed at a time, the most such blocks, and the registers of a sequential sum.
constexpr int results_at_once = 9;
constexpr int64_t most_blocks = 19;
constexpr int64_t chain = 256;

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t parts_of(int64_t whole, int64_t part) { return (whole + part - 1) / part; }
int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// Calls part(first, end) for ranges of the items, each of which is `work` multiply-adds, in parallel where that pays.
template <typename Part>
tb_status each_item(int64_t items, int64_t work, const Part& part) {
  int64_t together = items;
  if (threads() > 1 && double(items) * double(work) > 32.0 * double(parallel_grain)) {
    together = smaller(items, 1 + int64_t(16.0 * double(parallel_grain) / double(work)));
  }
  int32_t failed = TB_OK;
  each_part(parts_of(items, together), [&](int64_t i) {
    const tb_status status = part(i * together, smaller(items, (i + 1) * together));
    if (status != TB_OK) __atomic_store_n(&failed, status, __ATOMIC_RELAXED);
  });
  return tb_status(__atomic_load_n(&failed, __ATOMIC_RELAXED));
}

// The weights of an output in type T, and where the copy has the elements of its windows.
template <typename T>
struct short_window {
  int64_t depth;
  int64_t slides;  // rows and columns of a square window whose adjacent rows read adjacent rows of the copy; 0: others
  T weight[block_depth<T>];
  int64_t offset[block_depth<T>];
};

template <typename T, int Rows, int Vectors>
void store_tile(const vec<T> (&sum)[Rows][Vectors], T bias, T* out, int64_t out_row, int64_t columns) {
  constexpr int64_t width = vector_width<T>, last = (Vectors - 1) * width;
  for (int r = 0; r < Rows; ++r) {
    T* const to = out + r * out_row;
    for (int v = 0; v + 1 < Vectors; ++v) (sum[r][v] + vec<T>(bias)).store_unaligned(to + v * width);
    store_lanes(to + last, columns - last, sum[r][Vectors - 1] + vec<T>(bias));
  }
}

template <typename T, int Rows, int Vectors>
void convolve_tile(const short_window<T>& window, const T* copy, int64_t row, T bias, T* out, int64_t out_row,
                   int64_t columns) {
  constexpr int64_t width = vector_width<T>;
  vec<T> sum[Rows][Vectors];
  for (auto& s : sum) {
    for (auto& x : s) x = vec<T>(T(0));
  }
  for (int64_t d = 0; d < window.depth; ++d) {
    const vec<T> factor(window.weight[d]);
    const T* const from = copy + window.offset[d];
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
#pragma clang loop unroll(full)
      for (int v = 0; v < Vectors; ++v) {
        sum[r][v] = multiply_add(factor, vec<T>::load_unaligned(from + r * row + v * width), sum[r][v]);
      }
    }
  }
  store_tile(sum, bias, out, out_row, columns);
}

// Whether a multiply-add can repeat an element of memory in all lanes. Otherwise loading weights costs as much as
// loading the copy again.
constexpr bool multiplies_by_memory = sizeof(vec<float>) == 64;

// The same for sliding windows of Size x Size elements: a register of the copy is loaded once and multiplied by a
// weight for each row of the result that reads it. The products of an element are added in the same order.
template <typename T, int Rows, int Vectors, int Size>
void slide_tile(const short_window<T>& window, const T* copy, int64_t row, T bias, T* out, int64_t out_row,
                int64_t columns) {
  constexpr int64_t width = vector_width<T>;
  vec<T> sum[Rows][Vectors];
  for (auto& s : sum) {
    for (auto& x : s) x = vec<T>(T(0));
  }
  for (int64_t first = 0; first < window.depth; first += Size * Size) {
    const T* const weight = window.weight + first;
#pragma clang loop unroll(full)
    for (int y = 0; y < Rows + Size - 1; ++y) {
#pragma clang loop unroll(full)
      for (int x = 0; x < Size; ++x) {
        const T* const from = copy + window.offset[first + x] + y * row;
        vec<T> image[Vectors];
        for (int v = 0; v < Vectors; ++v) image[v] = vec<T>::load_unaligned(from + v * width);
#pragma clang loop unroll(full)
        for (int r = 0; r < Rows; ++r) {
          if (r > y || r + Size <= y) continue;
          const vec<T> factor(weight[(y - r) * Size + x]);
#pragma clang loop unroll(full)
          for (int v = 0; v < Vectors; ++v) sum[r][v] = multiply_add(factor, image[v], sum[r][v]);
        }
      }
    }
  }
  store_tile(sum, bias, out, out_row, columns);
}

// A tile for some rows of a result.
template <typename T>
struct row_tile {
  int64_t rows;
  void (*run)(const short_window<T>&, const T* copy, int64_t row, T bias, T* out, int64_t out_row, int64_t columns);
};
constexpr int64_t most_tile_rows = 8;

template <int Size, typename T>
row_tile<T> slides(int64_t rows, bool two) {
  if (parts_of(rows, 7) > parts_of(rows, 8)) {
    return {8, two ? &slide_tile<T, 8, 2, Size> : &slide_tile<T, 8, 1, Size>};
  }
  return {7, two ? &slide_tile<T, 7, 2, Size> : &slide_tile<T, 7, 1, Size>};
}
template <typename T>
row_tile<T> tile_for(const short_window<T>& window, int64_t rows, bool two) {
  if constexpr (multiplies_by_memory) {
    const int64_t size = rows >= 7 ? window.slides : 0;
    if (size == 3) return slides<3, T>(rows, two);
    if (size == 5) return slides<5, T>(rows, two);
    if (size == 7) return slides<7, T>(rows, two);
  }
  if (rows >= 8 && !two) return {8, &convolve_tile<T, 8, 1>};
  if (rows >= 4) return {4, two ? &convolve_tile<T, 4, 2> : &convolve_tile<T, 4, 1>};
  return {1, two ? &convolve_tile<T, 1, 2> : &convolve_tile<T, 1, 1>};
}

template <typename T, typename E>
void convolve_block(const short_window<T>& window, const T* copy, int64_t row, T bias, E* out, int64_t out_row,
                    int64_t rows, int64_t columns) {
  constexpr int64_t width = vector_width<T>, wide = 2 * width;
  for (int64_t x = 0; x < columns; x += wide) {
    const int64_t count = smaller(columns - x, wide);
    const row_tile<T> tile = tile_for(window, rows, count > width);
    for (int64_t y = 0; y < rows; y += tile.rows) {
      const int64_t at = smaller(y, rows - tile.rows);  // the last one is moved up to have all of its rows
      const T* const from = copy + at * row + x;
      E* const to = out + at * out_row + x;
      if constexpr (is_half<E>) {
        T sums[most_tile_rows * wide];
        tile.run(window, from, row, bias, sums, wide, count);
        for (int64_t r = 0; r < tile.rows; ++r) {
          for (int64_t i = 0; i < count; ++i) to[r * out_row + i] = rounded<E>(sums[r * wide + i]);
        }
      } else {
        tile.run(window, from, row, bias, to, out_row, count);
      }
    }
  }
}

// A block is some rows of one plane of a group's results.
template <typename T, typename E>
tb_status convolve_short(const tb_convolution& c) {
  const int64_t channels = c.channels / c.groups, outputs = c.outputs / c.groups;
  const int64_t pixels = volume(c.size), positions = volume(c.out_size), depth = channels * volume(c.kernel);
  int64_t most[3] = {1, c.out_size[1], smaller(c.out_size[2], most_columns)};
  while (most[1] > few_rows && channels * axes_of(c, most).channel() > most_copied<T>) most[1] = (most[1] + 1) / 2;
  const window_axes axes = axes_of(c, most);
  const int64_t down = parts_of(c.out_size[1], most[1]), across = parts_of(c.out_size[2], most[2]);
  const int64_t blocks = c.out_size[0] * down * across;
  const int64_t copied = channels * axes.channel();
  return each_item(c.images * c.groups * blocks, most[1] * most[2] * depth * outputs, [&](int64_t first, int64_t end) {
    // Tiles read whole registers.
    constexpr int64_t spare = 2 * vector_width<T>;
    T* const copy = static_cast<T*>(scratch((copied + spare) * int64_t(sizeof(T)), scratch_level::part));
    if (copy == nullptr) return TB_OUT_OF_MEMORY;
    for (int64_t i = copied; i < copied + spare; ++i) copy[i] = T(0);
    short_window<T> window;
    window.depth = depth;
    window.slides = c.stride[1] == 1 && c.dilation[1] == 1 && c.kernel[1] == c.kernel[2] ? c.kernel[1] : 0;
    int64_t k[3] = {0, 0, 0}, channel = 0;
    for (int64_t d = 0; d < depth; ++d) {
      window.offset[d] = channel + axes.offset(k);
      if (!next_in(c.kernel, k)) channel += axes.channel();
    }
    for (int64_t i = first; i < end; ++i) {
      const int64_t block = i % blocks, item = i / blocks, group = item % c.groups;
      const int64_t at[3] = {block / (down * across), block / across % down * most[1], block % across * most[2]};
      const int64_t rows = smaller(most[1], c.out_size[1] - at[1]), columns = smaller(most[2], c.out_size[2] - at[2]);
      const E* const image = static_cast<const E*>(c.image) + item * channels * pixels;
      for (int64_t j = 0; j < channels; ++j) axes.copy(image + j * pixels, at, copy + j * axes.channel());
      for (int64_t o = 0; o < outputs; ++o) {
        const int64_t output = group * outputs + o;
        copy_neighbours(static_cast<const E*>(c.weight) + output * depth, depth, window.weight);
        const T bias = c.bias == nullptr ? T(0) : T(number_of<T>(static_cast<const E*>(c.bias)[output]));
        E* const out = static_cast<E*>(c.out) + (item * outputs + o) * positions +
                       (at[0] * c.out_size[1] + at[1]) * c.out_size[2] + at[2];
        convolve_block(window, copy, axes.row(), bias, out, c.out_size[2], rows, columns);
      }
    }
    return TB_OK;
  });
}

// Sums of products of weights with the elements of an image that are offset[i] behind them.
template <typename T>
struct long_sums {
  vec<T> total[results_at_once];

  long_sums() {
    for (auto& x : total) x = vec<T>(T(0));
  }
  // Adds `rows` rows of `count` products, which are at most `chain` registers or one row.
  template <typename E>
  void add(const E* weight, int64_t weight_row, int64_t rows, int64_t count, const T* image, int64_t image_row,
           const int64_t* offset) {
    constexpr int64_t width = vector_width<T>;
    const int64_t whole = count / width * width, rest = count - whole;
    const partial_vector<T> part(rest);
    vec<T> sum[results_at_once];
    for (auto& x : sum) x = vec<T>(T(0));
    for (int64_t y = 0; y < rows; ++y, weight += weight_row, image += image_row) {
      for (int64_t x = 0; x < whole; x += width) {
        const vec<T> factor = load_neighbours<T>(weight + x, width);
#pragma clang loop unroll(full)
        for (int i = 0; i < results_at_once; ++i) {
          sum[i] = multiply_add(factor, vec<T>::load_unaligned(image + offset[i] + x), sum[i]);
        }
      }
      if (rest == 0) continue;
      const vec<T> factor = load_neighbours<T>(weight + whole, rest);
#pragma clang loop unroll(full)
      for (int i = 0; i < results_at_once; ++i) {
        const T* const from = image + offset[i] + whole;
        sum[i] = multiply_add(factor, loads_parts ? part.load(from) : load_part(from, rest, T(0)), sum[i]);
      }
    }
    for (int i = 0; i < results_at_once; ++i) total[i] = total[i] + sum[i];
  }
};

// Positions and window elements change places: the copy has the elements adjacent that adjacent weights read.
template <typename T, typename E>
tb_status convolve_long(const tb_convolution& c) {
  const int64_t channels = c.channels / c.groups, outputs = c.outputs / c.groups;
  const int64_t pixels = volume(c.size), positions = volume(c.out_size), window = volume(c.kernel);
  const auto axis = [&](int d) {
    return window_axis(c.size[d], c.kernel[d], c.dilation[d], c.out_size[d], c.stride[d], c.padding[d]);
  };
  const window_axes axes{{axis(0), axis(1), axis(2)}};
  const int64_t blocks = parts_of(positions, results_at_once);
  constexpr int64_t piece = chain * vector_width<T>;
  const int64_t most_rows = c.kernel[2] < piece ? chain / parts_of(c.kernel[2], vector_width<T>) : 1;
  return each_item(c.images * c.outputs, channels * window * positions, [&](int64_t first, int64_t end) {
    const int64_t copied = axes.channel() + vector_width<T>;
    T* const copy = static_cast<T*>(scratch(copied * int64_t(sizeof(T)), scratch_level::part));
    if (copy == nullptr) return TB_OUT_OF_MEMORY;
    int64_t offset[most_blocks * results_at_once], k[3] = {0, 0, 0};
    for (int64_t i = 0; i < blocks * results_at_once; ++i) {
      offset[i] = i < positions ? axes.offset(k) : offset[0];
      next_in(c.out_size, k);
    }
    for (int64_t item = first; item < end; ++item) {
      static constexpr int64_t from_start[3] = {0, 0, 0};
      const int64_t output = item % c.outputs;
      const E* image = static_cast<const E*>(c.image) + item / outputs * channels * pixels;
      const E* weight = static_cast<const E*>(c.weight) + output * channels * window;
      long_sums<T> sums[most_blocks];
      for (int64_t j = 0; j < channels; ++j, image += pixels) {
        axes.copy(image, from_start, copy);
        for (int64_t z = 0; z < c.kernel[0]; ++z) {
          for (int64_t y = 0; y < c.kernel[1]; y += most_rows) {
            const T* const from = copy + z * axes.plane() + y * axes.row();
            const int64_t rows = smaller(most_rows, c.kernel[1] - y);
            for (int64_t x = 0; x < c.kernel[2]; x += piece) {
              const int64_t count = smaller(piece, c.kernel[2] - x);
              for (int64_t i = 0; i < blocks; ++i) {
                sums[i].add(weight + x, c.kernel[2], rows, count, from + x, axes.row(), offset + i * results_at_once);
              }
            }
            weight += rows * c.kernel[2];
          }
        }
      }
      const T bias = c.bias == nullptr ? T(0) : T(number_of<T>(static_cast<const E*>(c.bias)[output]));
      E* const out = static_cast<E*>(c.out) + item * positions;
      for (int64_t i = 0; i < positions; ++i) {
        out[i] = rounded<E>(T(sum_of_lanes<T>(sums[i / results_at_once].total[i % results_at_once]) + bias));
      }
    }
    return TB_OK;
  });
}

template <typename T, typename E>
bool convolve(const tb_convolution& c, tb_status* status) {
  const int64_t outputs = c.outputs / c.groups, positions = volume(c.out_size), window = volume(c.kernel);
  const int64_t depth = c.channels / c.groups * window;
  if (outputs > most_outputs || outputs <= 0 || positions <= 0 || c.images <= 0) return false;
  if (window > positions && c.kernel[2] >= c.out_size[2] && positions <= most_blocks * results_at_once) {
    *status = convolve_long<T, E>(c);
  } else if (depth <= block_depth<T>) {
    *status = convolve_short<T, E>(c);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool convolve_directly(const tb_convolution& call, tb_status* status) {
  switch (call.dtype) {
    case TB_F16: return convolve<float, tb_kernel::half>(call, status);
    case TB_BF16: return convolve<float, tb_kernel::bfloat16>(call, status);
    case TB_F32: return convolve<float, float>(call, status);
    case TB_F64: return convolve<double, double>(call, status);
    default: return false;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

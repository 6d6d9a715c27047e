// Convolution as implicit GEMM: the right-hand matrix is gathered from the image while it is multiplied, unless
// is_worth_products() prefers an explicit copy.
//
// In each group, the result is weights [outputs][depth] times windows [depth][positions]; depth counts channels and
// kernel elements, positions counts output positions of all images. A block computes a tile of outputs times positions;
// a warp has 8 outputs of 128 positions, with accesses coalesced over its lanes.
#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "matmul/convolution_by_matmul.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr int warps = 8, threads = warps * 32;
constexpr int warp_rows = 8, lane_positions = 4, warp_positions = 32 * lane_positions;
constexpr int slice = 8;
constexpr int table_depth = 256;  // window elements whose offsets are precomputed at once

// Splits an index of an output position into image and coordinates; without division if the count is below 2^31.
struct image_positions {
  divider by_x, by_y, by_z;
  int64_t x, y, z;
  bool narrow;

  __device__ void split(int64_t position, int64_t& image, int64_t (&at)[3]) const {
    if (narrow) {
      const uint32_t given = uint32_t(position), line = by_x.quotient(given), plane = by_y.quotient(line);
      const uint32_t whole = by_z.quotient(plane);
      at[2] = given - line * by_x.divisor;
      at[1] = line - plane * by_y.divisor;
      at[0] = plane - whole * by_z.divisor;
      image = whole;
    } else {
      at[2] = position % x;
      at[1] = position / x % y;
      at[0] = position / x / y % z;
      image = position / x / y / z;
    }
  }
};

// I: type of coordinates within an image; int32_t unless is_narrow() is false.
template <typename E, typename I>
struct convolution {
  E* out;
  const E* image;
  const E* weight;
  const E* bias;
  int64_t channels, outputs, groups, group_channels, group_outputs;
  int64_t pixels, positions, all_positions, depth, kernel_size;
  I size[3], kernel[3], stride[3], padding[3], dilation[3];
  int64_t row_tiles;
  image_positions positions_by;
};

// An element of the window: its coordinates, and its offset from the window's first element.
template <typename I>
struct window_element {
  int64_t offset;
  I z, y, x;
};

// RowWarps of the warps are along outputs, the others along positions.
template <typename E, typename I, int RowWarps>
__global__ void __launch_bounds__(threads) convolve_tiles(convolution<E, I> p) {
  using T = compute_of<E>;
  using unsigned_I = std::make_unsigned_t<I>;
  constexpr int rows = RowWarps * warp_rows, columns = warps / RowWarps * warp_positions;
  constexpr int columns_per_thread = columns / threads > 0 ? columns / threads : 1;
  constexpr int depth_step = columns >= threads ? 1 : threads / columns;
  __align__(16) __shared__ T weights[slice][rows + 4];  // padded against bank conflicts between neighbours of the depth
  __align__(16) __shared__ T windows[slice][columns];
  __shared__ window_element<I> elements[table_depth];
  const int thread = int(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int row = warp % RowWarps * warp_rows, column = warp / RowWarps * warp_positions + lane;
  const int64_t first_output = int64_t(blockIdx.x) % p.row_tiles * rows;
  const int64_t first_position = int64_t(blockIdx.x) / p.row_tiles * columns;

  for (int64_t group = blockIdx.y; group < p.groups; group += gridDim.y) {
    // The windows that this thread gathers: image pointer and corner coordinates, which may be in the padding.
    const E* image[columns_per_thread];
    I corner[columns_per_thread][3];
#pragma unroll
    for (int i = 0; i < columns_per_thread; ++i) {
      const int64_t position = first_position + thread % columns + i * threads;
      int64_t number = 0, at[3] = {};
      if (position < p.all_positions) p.positions_by.split(position, number, at);
      for (int d = 0; d < 3; ++d) corner[i][d] = I(at[d]) * p.stride[d] - p.padding[d];
      // For a position out of range, every element is out of range and reads 0.
      if (position >= p.all_positions) corner[i][0] = p.size[0];
      image[i] = p.image + (number * p.channels + group * p.group_channels) * p.pixels +
                 (int64_t(corner[i][0]) * p.size[1] + corner[i][1]) * p.size[2] + corner[i][2];
    }
    const E* const weight = p.weight + group * p.group_outputs * p.depth;
    T sum[warp_rows][lane_positions] = {};

    for (int64_t first = 0; first < p.depth; first += slice) {
      if (first % table_depth == 0) {
        for (int i = thread; i < table_depth && first + i < p.depth; i += threads) {
          const int64_t channel = (first + i) / p.kernel_size;
          I rest = I(first + i - channel * p.kernel_size);
          const I x = rest % p.kernel[2] * p.dilation[2];
          rest /= p.kernel[2];
          const I y = rest % p.kernel[1] * p.dilation[1], z = rest / p.kernel[1] * p.dilation[0];
          elements[i] = {channel * p.pixels + (int64_t(z) * p.size[1] + y) * p.size[2] + x, z, y, x};
        }
        __syncthreads();
      }
      for (int i = thread; i < slice * rows; i += threads) {
        const int64_t output = first_output + i / slice, d = first + i % slice;
        weights[i % slice][i / slice] =
            output < p.group_outputs && d < p.depth ? to_compute<T>(weight[output * p.depth + d]) : T(0);
      }
#pragma unroll
      for (int k = 0; k < slice; k += depth_step) {
        const int d = k + thread / columns % depth_step;
        const bool there = first + d < p.depth;
        const window_element<I> e = there ? elements[(first + d) % table_depth] : window_element<I>{};
#pragma unroll
        for (int i = 0; i < columns_per_thread; ++i) {
          const I z = corner[i][0] + e.z, y = corner[i][1] + e.y, x = corner[i][2] + e.x;
          const bool inside = there && unsigned_I(z) < unsigned_I(p.size[0]) && unsigned_I(y) < unsigned_I(p.size[1]) &&
                              unsigned_I(x) < unsigned_I(p.size[2]);
          windows[d][thread % columns + i * threads] = inside ? to_compute<T>(image[i][e.offset]) : T(0);
        }
      }
      __syncthreads();
#pragma unroll
      for (int d = 0; d < slice; ++d) {
        T left[warp_rows], right[lane_positions];
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) left[r] = weights[d][row + r];
#pragma unroll
        for (int c = 0; c < lane_positions; ++c) right[c] = windows[d][column + c * 32];
#pragma unroll
        for (int r = 0; r < warp_rows; ++r) {
#pragma unroll
          for (int c = 0; c < lane_positions; ++c) sum[r][c] += left[r] * right[c];
        }
      }
      __syncthreads();
    }

#pragma unroll
    for (int c = 0; c < lane_positions; ++c) {
      const int64_t position = first_position + column + c * 32;
      if (position >= p.all_positions) continue;
      int64_t number, at[3];
      p.positions_by.split(position, number, at);
      const int64_t output = group * p.group_outputs + first_output + row;
      E* const out = p.out + (number * p.outputs + output) * p.positions + (position - number * p.positions);
#pragma unroll
      for (int r = 0; r < warp_rows; ++r) {
        if (first_output + row + r >= p.group_outputs) break;
        const T bias = p.bias == nullptr ? T(0) : to_compute<T>(p.bias[output + r]);
        out[r * p.positions] = from_compute<E>(sum[r][c] + bias);
      }
    }
  }
}

template <typename E, typename I, int RowWarps>
tb_status in_tiles(const scope& on, convolution<E, I>& p) {
  constexpr int rows = RowWarps * warp_rows, columns = warps / RowWarps * warp_positions;
  p.row_tiles = (p.group_outputs + rows - 1) / rows;
  const int64_t blocks = p.row_tiles * ((p.all_positions + columns - 1) / columns);
  if (blocks > INT32_MAX) return refuse("convolve: found a result with more tiles than a grid has");
  const dim3 grid(unsigned(blocks), unsigned(p.groups < 65535 ? p.groups : 65535));
  return launch(on, "convolve", &convolve_tiles<E, I, RowWarps>, grid, threads, 0, p);
}

template <typename E, typename I>
convolution<E, I> described(const tb_convolution& c) {
  convolution<E, I> p{};
  p.out = static_cast<E*>(c.out);
  p.image = static_cast<const E*>(c.image);
  p.weight = static_cast<const E*>(c.weight);
  p.bias = static_cast<const E*>(c.bias);
  p.channels = c.channels;
  p.outputs = c.outputs;
  p.groups = c.groups;
  p.group_channels = c.channels / c.groups;
  p.group_outputs = c.outputs / c.groups;
  p.pixels = c.size[0] * c.size[1] * c.size[2];
  p.positions = c.out_size[0] * c.out_size[1] * c.out_size[2];
  p.all_positions = c.images * p.positions;
  p.kernel_size = c.kernel[0] * c.kernel[1] * c.kernel[2];
  p.depth = p.group_channels * p.kernel_size;
  for (int d = 0; d < 3; ++d) {
    p.size[d] = I(c.size[d]);
    p.kernel[d] = I(c.kernel[d]);
    p.stride[d] = I(c.stride[d]);
    p.padding[d] = I(c.padding[d]);
    p.dilation[d] = I(c.dilation[d]);
  }
  const bool narrow = p.all_positions < INT64_C(0x80000000);
  const auto by = [&](int64_t n) { return divider(narrow ? uint32_t(n) : 1); };
  p.positions_by = {
      by(c.out_size[2]), by(c.out_size[1]), by(c.out_size[0]), c.out_size[2], c.out_size[1], c.out_size[0], narrow};
  return p;
}

// Whether coordinates of the padded image plus kernel offsets fit in 32 bits.
bool is_narrow(const tb_convolution& c) {
  constexpr int64_t most = INT64_C(1) << 28;
  bool narrow = c.kernel[0] * c.kernel[1] * c.kernel[2] < most;
  for (int d = 0; d < 3; ++d) {
    narrow = narrow && c.size[d] < most && c.padding[d] < most && c.dilation[d] < most && c.stride[d] < most &&
             c.kernel[d] * c.dilation[d] < most && c.out_size[d] * c.stride[d] < 4 * most;
  }
  return narrow;
}

template <typename E>
tb_status convolve_as(const tb_convolution& c, const tb_call* where) {
  if (c.images <= 0 || c.outputs <= 0 || c.out_size[0] * c.out_size[1] * c.out_size[2] <= 0) return TB_OK;
  const scope on(c.out, where);
  if (on.status() != TB_OK) return on.status();
  // With many groups each product is small, and one launch per group costs more than the implicit GEMM.
  if (c.groups <= 4 && is_worth_products(c)) return convolve_by_products(on, c);
  if (!is_narrow(c)) {
    auto p = described<E, int64_t>(c);
    return in_tiles<E, int64_t, 4>(on, p);
  }
  auto p = described<E, int32_t>(c);
  if (p.group_outputs <= 2 * warp_rows) return in_tiles<E, int32_t, 2>(on, p);
  if (p.group_outputs <= 4 * warp_rows) return in_tiles<E, int32_t, 4>(on, p);
  return in_tiles<E, int32_t, 8>(on, p);
}

}  // namespace

tb_status convolve(const tb_convolution* call, const tb_call* where) {
  switch (call->dtype) {
    case TB_F16: return convolve_as<half>(*call, where);
    case TB_BF16: return convolve_as<bfloat16>(*call, where);
    case TB_F32: return convolve_as<float>(*call, where);
    case TB_F64: return convolve_as<double>(*call, where);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda

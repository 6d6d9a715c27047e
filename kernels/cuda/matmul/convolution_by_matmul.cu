// Convolution as matrix products in memory (im2col). In each group of each image, the result is weights
// [outputs][depth] times windows [depth][positions]; depth counts channels and kernel elements. For a 1x1 kernel the
// image itself is the matrix of windows; otherwise windows are copied, for as many images at once as the buffer holds.
#include "matmul/convolution_by_matmul.cuh"

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr int64_t room = int64_t(64) << 20;  // of the buffer of windows, in bytes
constexpr int64_t least_outputs = 32, least_depth = 64;
constexpr int64_t most_pixels = int64_t(1) << 30;  // so that coordinates fit in 32 bits

bool windows_are_image(const tb_convolution& c) {
  for (int d = 0; d < 3; ++d) {
    if (c.kernel[d] != 1 || c.stride[d] != 1 || c.padding[d] != 0) return false;
  }
  return true;
}

int64_t positions_of(const tb_convolution& c) { return c.out_size[0] * c.out_size[1] * c.out_size[2]; }
int64_t pixels_of(const tb_convolution& c) { return c.size[0] * c.size[1] * c.size[2]; }
int64_t depth_of(const tb_convolution& c) { return c.channels / c.groups * c.kernel[0] * c.kernel[1] * c.kernel[2]; }

// im2col of `images` images in one group: [images][depth][positions].
struct window_copy {
  uint16_t* to;
  const uint16_t* image;  // the first channel of the group
  int64_t image_step, rows, depth, pixels;
  int32_t positions, size[3], kernel[3], stride[3], padding[3], dilation[3];
  divider by_x, by_y;  // sizes of the result
};

__global__ void copy_windows(window_copy p) {
  for (int64_t row = blockIdx.y; row < p.rows; row += gridDim.y) {
    const int64_t image = row / p.depth, d = row - image * p.depth;
    const int32_t kernel_size = p.kernel[0] * p.kernel[1] * p.kernel[2];
    const int64_t channel = d / kernel_size;
    const int32_t k = int32_t(d - channel * kernel_size);
    const int32_t from_z = k / p.kernel[2] / p.kernel[1] * p.dilation[0] - p.padding[0];
    const int32_t from_y = k / p.kernel[2] % p.kernel[1] * p.dilation[1] - p.padding[1];
    const int32_t from_x = k % p.kernel[2] * p.dilation[2] - p.padding[2];
    const uint16_t* const from = p.image + image * p.image_step + channel * p.pixels;
    for (int32_t position = int32_t(first_index()); position < p.positions; position += int32_t(index_step())) {
      const uint32_t line = p.by_x.quotient(uint32_t(position)), plane = p.by_y.quotient(line);
      const int32_t x = int32_t(uint32_t(position) - line * p.by_x.divisor) * p.stride[2] + from_x;
      const int32_t y = int32_t(line - plane * p.by_y.divisor) * p.stride[1] + from_y;
      const int32_t z = int32_t(plane) * p.stride[0] + from_z;
      const bool inside =
          uint32_t(z) < uint32_t(p.size[0]) && uint32_t(y) < uint32_t(p.size[1]) && uint32_t(x) < uint32_t(p.size[2]);
      // A zero has all bits 0 in both 16-bit types.
      p.to[row * p.positions + position] = inside ? from[(int64_t(z) * p.size[1] + y) * p.size[2] + x] : uint16_t(0);
    }
  }
}

// The product of a group's weights and the windows of `images` images.
tb_matmul product_of(const tb_convolution& c, int64_t group, int64_t first_image, int64_t images, const void* windows,
                     int64_t windows_step, int64_t element_size) {
  const int64_t outputs = c.outputs / c.groups, depth = depth_of(c), positions = positions_of(c);
  const auto moved = [&](const void* base, int64_t elements) {
    return static_cast<const char*>(base) + elements * element_size;
  };
  tb_matmul p{};
  p.out = const_cast<char*>(moved(c.out, (first_image * c.outputs + group * outputs) * positions));
  p.a = moved(c.weight, group * outputs * depth);
  p.b = windows;
  p.m = outputs;
  p.n = positions;
  p.k = depth;
  p.out_row = p.b_row = positions;
  p.out_col = p.a_col = p.b_col = 1;
  p.a_row = depth;
  p.batch = images;
  p.out_batch = c.outputs * positions;
  p.b_batch = windows_step;
  if (c.bias != nullptr) {
    p.added = moved(c.bias, group * outputs);
    p.added_row = 1;
  }
  p.alpha = p.beta = {1, 1};
  p.dtype = p.out_dtype = c.dtype;
  p.activation = -1;
  return p;
}

window_copy copy_of(const tb_convolution& c, int64_t group, int64_t first_image, int64_t images, uint16_t* to) {
  window_copy w{};
  const int64_t channels = c.channels / c.groups;
  w.to = to;
  w.pixels = pixels_of(c);
  w.image = static_cast<const uint16_t*>(c.image) + (first_image * c.channels + group * channels) * w.pixels;
  w.image_step = c.channels * w.pixels;
  w.depth = depth_of(c);
  w.rows = images * w.depth;
  w.positions = int32_t(positions_of(c));
  for (int d = 0; d < 3; ++d) {
    w.size[d] = int32_t(c.size[d]);
    w.kernel[d] = int32_t(c.kernel[d]);
    w.stride[d] = int32_t(c.stride[d]);
    w.padding[d] = int32_t(c.padding[d]);
    w.dilation[d] = int32_t(c.dilation[d]);
  }
  w.by_x = divider(uint32_t(c.out_size[2]));
  w.by_y = divider(uint32_t(c.out_size[1]));
  return w;
}

}  // namespace

bool is_worth_products(const tb_convolution& c) {
  if (windows_are_image(c)) return true;
  if (c.dtype != TB_F16 && c.dtype != TB_BF16) return false;
  bool small = positions_of(c) < most_pixels && depth_of(c) * positions_of(c) * 2 <= room;
  for (int d = 0; d < 3; ++d) {
    // The padded image, the window and the coordinates are each less than a quarter of the range of 32 bits.
    small = small && c.size[d] + 2 * c.padding[d] < most_pixels / 2 && c.kernel[d] * c.dilation[d] < most_pixels / 2 &&
            c.out_size[d] * c.stride[d] < most_pixels;
  }
  return small && c.outputs / c.groups >= least_outputs && depth_of(c) >= least_depth;
}

tb_status convolve_by_products(const scope& on, const tb_convolution& c) {
  const int64_t channels = c.channels / c.groups, depth = depth_of(c), positions = positions_of(c);
  const tb_call where{on.stream(), nullptr, on.device(), 0};
  if (windows_are_image(c)) {
    const int64_t element_size = c.dtype == TB_F64 ? 8 : c.dtype == TB_F32 ? 4 : 2;
    for (int64_t group = 0; group < c.groups; ++group) {
      const char* const from = static_cast<const char*>(c.image) + group * channels * positions * element_size;
      const tb_matmul product = product_of(c, group, 0, c.images, from, c.channels * positions, element_size);
      const tb_status status = matmul(&product, &where);
      if (status != TB_OK) return status;
    }
    return TB_OK;
  }
  const int64_t image_bytes = depth * positions * 2;
  int64_t at_once = room / image_bytes;
  if (at_once < 1) at_once = 1;
  if (at_once > c.images) at_once = c.images;
  const temporary memory(on, uint64_t(at_once * image_bytes));
  if (memory.status() != TB_OK) return memory.status();
  for (int64_t first = 0; first < c.images; first += at_once) {
    const int64_t images = c.images - first < at_once ? c.images - first : at_once;
    for (int64_t group = 0; group < c.groups; ++group) {
      const window_copy windows = copy_of(c, group, first, images, memory.as<uint16_t>());
      const int64_t blocks = (positions + block_threads - 1) / block_threads;
      const dim3 grid(unsigned(blocks), unsigned(windows.rows < 65535 ? windows.rows : 65535));
      tb_status status = launch(on, "convolve", &copy_windows, grid, block_threads, 0, windows);
      if (status != TB_OK) return status;
      const tb_matmul product = product_of(c, group, first, images, memory.data(), depth * positions, 2);
      status = matmul(&product, &where);
      if (status != TB_OK) return status;
    }
  }
  return TB_OK;
}

}  // namespace tb_cuda

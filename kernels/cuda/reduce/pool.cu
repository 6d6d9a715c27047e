// Max and average pooling and their gradients. A thread computes one written element (a result, or in backward an
// image element) and gathers its inputs, so that the order of sums is fixed.
#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/report.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

// One dimension of a window: indices first, first + step, ... below end. `padded` is the extent including padding.
struct range {
  int64_t first, end, step, padded;
};

// One dimension of images and results. A kernel of 0 means adaptive pooling.
struct side {
  int64_t length, out, kernel, stride, padding, dilation;

  __device__ range window(int64_t at) const {
    if (kernel == 0) {
      const int64_t first = at * length / out, end = ((at + 1) * length + out - 1) / out;
      return {first, end, 1, end - first};
    }
    int64_t first = at * stride - padding, end = first + (kernel - 1) * dilation + 1;
    const int64_t last = length + padding, padded = (end < last ? end : last) - first;
    if (first < 0) first += (-first + dilation - 1) / dilation * dilation;
    return {first, end < length ? end : length, dilation, padded};
  }

  // The range of windows that may contain the image element `at`; has() tells whether one does.
  __device__ range windows_of(int64_t at) const {
    if (kernel == 0) return {at * out / length, ((at + 1) * out + length - 1) / length, 1, 0};
    const int64_t before = at + padding - (kernel - 1) * dilation, last = (at + padding) / stride;
    return {before > 0 ? (before + stride - 1) / stride : 0, last < out ? last + 1 : out, 1, 0};
  }
  __device__ bool has(int64_t window, int64_t at) const {
    return kernel == 0 || dilation == 1 || (at + padding - window * stride) % dilation == 0;
  }
};

struct pooling {
  int64_t images, divisor;
  side y, x;
  bool count_padding;
  bool narrow;  // fewer than 2^31 image elements and fewer than 2^31 results
  divider by_image_y, by_image_x, by_out_y, by_out_x;

  __device__ int64_t image_size() const { return y.length * x.length; }
  __device__ int64_t out_size() const { return y.out * x.out; }

  struct position {
    int64_t image, y, x;
  };
  __device__ position image_position(int64_t i) const {
    if (!narrow) return {i / x.length / y.length, i / x.length % y.length, i % x.length};
    return split(uint32_t(i), by_image_y, by_image_x);
  }
  __device__ position out_position(int64_t i) const {
    if (!narrow) return {i / x.out / y.out, i / x.out % y.out, i % x.out};
    return split(uint32_t(i), by_out_y, by_out_x);
  }
  __device__ static position split(uint32_t i, divider by_y, divider by_x) {
    const uint32_t line = by_x.quotient(i), image = by_y.quotient(line);
    return {image, line - image * by_y.divisor, i - line * by_x.divisor};
  }

  __device__ int64_t count_of(range rows, range columns) const {
    if (divisor != 0) return divisor;
    if (count_padding) return rows.padded * columns.padded;
    const int64_t count = (rows.end - rows.first) * (columns.end - columns.first);
    return count > 0 ? count : 1;
  }
};

// The index of a window without elements: dilation can leave only padding in it. Its maximum is lowest().
constexpr int64_t nowhere = -1;

template <typename T>
__device__ T lowest() {
  if constexpr (std::is_floating_point_v<T>) {
    return T(-INFINITY);
  } else {
    return INT64_MIN;
  }
}

template <typename T>
__global__ void max_pool(pooling p, T* out, const T* in, int64_t* index) {
  const int64_t count = p.images * p.out_size();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const auto at = p.out_position(i);
    const range rows = p.y.window(at.y), columns = p.x.window(at.x);
    const T* const image = in + at.image * p.image_size();
    int64_t best = nowhere;
    T greatest = lowest<T>();
    for (int64_t y = rows.first; y < rows.end; y += rows.step) {
      for (int64_t x = columns.first; x < columns.end; x += columns.step) {
        const T value = image[y * p.x.length + x];
        const bool first_nan = value != value && greatest == greatest;
        if (best == nowhere || value > greatest || first_nan) {
          best = y * p.x.length + x;
          greatest = value;
        }
      }
    }
    out[i] = greatest;
    index[i] = best;
  }
}

// Sums the gradients of the windows that contain the element and selected it.
template <typename T>
__global__ void max_pool_backward(pooling p, T* out, const T* in, const int64_t* index) {
  const int64_t count = p.images * p.image_size();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const auto at = p.image_position(i);
    const int64_t wanted = at.y * p.x.length + at.x, first = at.image * p.out_size();
    const range rows = p.y.windows_of(at.y), columns = p.x.windows_of(at.x);
    T sum = 0;
    for (int64_t y = rows.first; y < rows.end; ++y) {
      if (!p.y.has(y, at.y)) continue;
      for (int64_t x = columns.first; x < columns.end; ++x) {
        if (!p.x.has(x, at.x)) continue;
        const int64_t window = first + y * p.x.out + x;
        if (index[window] == wanted) sum += in[window];
      }
    }
    out[i] = sum;
  }
}

// Adds gradients whose index is outside their window (max_pool produces none); reports indices outside the image.
template <typename T>
__global__ void max_pool_strays(pooling p, T* out, const T* in, const int64_t* index, reporter report) {
  const int64_t count = p.images * p.out_size();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const int64_t wanted = index[i];
    if (wanted == nowhere) continue;
    if (wanted < 0 || wanted >= p.image_size()) {
      report(TB_BAD_INDEX, wanted);
      continue;
    }
    const auto at = p.out_position(i);
    const int64_t y = wanted / p.x.length, x = wanted - y * p.x.length;
    const range rows = p.y.windows_of(y), columns = p.x.windows_of(x);
    const bool mine = at.y >= rows.first && at.y < rows.end && at.x >= columns.first && at.x < columns.end &&
                      p.y.has(at.y, y) && p.x.has(at.x, x);
    if (!mine) atomicAdd(out + at.image * p.image_size() + wanted, in[i]);
  }
}

template <typename T>
__global__ void average_pool(pooling p, T* out, const T* in) {
  const int64_t count = p.images * p.out_size();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const auto at = p.out_position(i);
    const range rows = p.y.window(at.y), columns = p.x.window(at.x);
    const T* const image = in + at.image * p.image_size();
    double sum = 0;
    for (int64_t y = rows.first; y < rows.end; y += rows.step) {
      for (int64_t x = columns.first; x < columns.end; x += columns.step) sum += double(image[y * p.x.length + x]);
    }
    out[i] = T(sum / double(p.count_of(rows, columns)));
  }
}

template <typename T>
__global__ void average_pool_backward(pooling p, T* out, const T* in) {
  const int64_t count = p.images * p.image_size();
  for (int64_t i = first_index(); i < count; i += index_step()) {
    const auto at = p.image_position(i);
    const T* const results = in + at.image * p.out_size();
    const range rows = p.y.windows_of(at.y), columns = p.x.windows_of(at.x);
    T sum = 0;
    for (int64_t y = rows.first; y < rows.end; ++y) {
      if (!p.y.has(y, at.y)) continue;
      const range window = p.y.window(y);
      for (int64_t x = columns.first; x < columns.end; ++x) {
        if (!p.x.has(x, at.x)) continue;
        sum += T(double(results[y * p.x.out + x]) / double(p.count_of(window, p.x.window(x))));
      }
    }
    out[i] = sum;
  }
}

pooling described(const tb_pool& c) {
  pooling p{};
  p.images = c.images;
  p.divisor = c.divisor;
  p.y = {c.height, c.out_height, c.kernel[0], c.stride[0], c.padding[0], c.dilation[0]};
  p.x = {c.width, c.out_width, c.kernel[1], c.stride[1], c.padding[1], c.dilation[1]};
  p.count_padding = c.count_padding != 0;
  constexpr int64_t most = INT64_C(0x80000000);
  p.narrow = c.images * c.height * c.width < most && c.images * c.out_height * c.out_width < most;
  const auto by = [&](int64_t n) { return divider(p.narrow && n > 0 ? uint32_t(n) : 1); };
  p.by_image_y = by(c.height);
  p.by_image_x = by(c.width);
  p.by_out_y = by(c.out_height);
  p.by_out_x = by(c.out_width);
  return p;
}

template <typename T>
tb_status pool_of(const tb_pool& c, const tb_call* where) {
  const bool backward = c.op == TB_MAX_POOL_BACKWARD || c.op == TB_AVG_POOL_BACKWARD;
  const int64_t images = c.images * c.height * c.width, results = c.images * c.out_height * c.out_width;
  const int64_t work = backward ? images : results;
  if (work <= 0) return TB_OK;
  const scope on(c.out, where);
  if (on.status() != TB_OK) return on.status();
  const pooling p = described(c);
  T* const out = static_cast<T*>(c.out);
  const T* const in = static_cast<const T*>(c.in);
  if (c.op == TB_MAX_POOL) return launch_over(on, "max_pool", work, &max_pool<T>, p, out, in, c.index);
  if constexpr (std::is_floating_point_v<T>) {
    if (c.op == TB_AVG_POOL) return launch_over(on, "avg_pool", work, &average_pool<T>, p, out, in);
    if (c.op == TB_AVG_POOL_BACKWARD) {
      return launch_over(on, "avg_pool_backward", work, &average_pool_backward<T>, p, out, in);
    }
    const int64_t* const index = c.index;
    const tb_status status = launch_over(on, "max_pool_backward", work, &max_pool_backward<T>, p, out, in, index);
    if (status != TB_OK || results <= 0) return status;
    // In deterministic mode one thread adds in order.
    const int64_t threads = deterministic() ? 1 : results;
    return launch(on, "max_pool_backward", &max_pool_strays<T>, threads == 1 ? 1 : grid_for(threads),
                  threads == 1 ? 1 : block_threads, 0, p, out, in, index, report_for(on));
  }
  return TB_UNSUPPORTED_DTYPE;
}

}  // namespace

tb_status pool(const tb_pool* call, const tb_call* where) {
  if (call->op < 0 || call->op >= TB_POOL_COUNT) return TB_UNSUPPORTED_DTYPE;
  switch (call->dtype) {
    case TB_I64: return call->op == TB_MAX_POOL ? pool_of<int64_t>(*call, where) : TB_UNSUPPORTED_DTYPE;
    case TB_F32: return pool_of<float>(*call, where);
    case TB_F64: return pool_of<double>(*call, where);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda

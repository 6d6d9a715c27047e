// Pooling: the maximum or average of each window of an image, and the gradients of both.
//
// Windows are clipped to the image before their elements are visited, so the inner loops have no bounds checks.
// Averages are accumulated in double, in the same order on every ISA. Tasks share the images: each element of a result
// is computed by one of them.
#include <limits>
#include <type_traits>

#include "isa/arch.h"
#include "layout.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A window along one dimension: elements first, first + step, ... below end; `padded` counts elements of the padding
// too.
struct range {
  int64_t first, end, step, padded;
};

range window(const tb_pool& call, int side, int64_t at) {
  const int64_t length = side == 0 ? call.height : call.width;
  if (call.kernel[side] == 0) {
    const int64_t parts = side == 0 ? call.out_height : call.out_width;
    const int64_t first = at * length / parts;
    const int64_t end = ((at + 1) * length + parts - 1) / parts;
    return {first, end, 1, end - first};
  }
  const int64_t step = call.dilation[side];
  int64_t first = at * call.stride[side] - call.padding[side];
  const int64_t last = length + call.padding[side];
  int64_t end = first + (call.kernel[side] - 1) * step + 1;
  const int64_t padded = (end < last ? end : last) - first;
  if (first < 0) first += (-first + step - 1) / step * step;
  if (end > length) end = length;
  return {first, end, step, padded};
}

// Calls visit(result, rows, columns) for each window of an image; `result` is the row-major index of the window.
template <typename Visit>
void each_window(const tb_pool& call, Visit visit) {
  for (int64_t y = 0; y < call.out_height; ++y) {
    const range rows = window(call, 0, y);
    for (int64_t x = 0; x < call.out_width; ++x) visit(y * call.out_width + x, rows, window(call, 1, x));
  }
}

template <typename Visit>
void each_element(const tb_pool& call, range rows, range columns, Visit visit) {
  for (int64_t y = rows.first; y < rows.end; y += rows.step) {
    for (int64_t x = columns.first; x < columns.end; x += columns.step) visit(y * call.width + x);
  }
}

int64_t divisor(const tb_pool& call, range rows, range columns) {
  if (call.divisor != 0) return call.divisor;
  if (call.count_padding != 0) return rows.padded * columns.padded;
  const int64_t count = (rows.end - rows.first) * (columns.end - columns.first);
  return count > 0 ? count : 1;
}

// The index for a window that lies entirely in the padding, which is possible with dilation; its maximum is `lowest`.
constexpr int64_t nowhere = -1;

// Calls visit(image) for each image, on several threads if all together have enough elements.
template <typename Visit>
void each_image(const tb_pool& call, const Visit& visit) {
  const int64_t size = call.height * call.width + call.out_height * call.out_width, most = call.images;
  const int64_t wanted = most * size / parallel_grain, tasks = wanted < 1 ? 1 : wanted < most ? wanted : most;
  each_row_part(most, tasks, [&](int64_t, int64_t first, int64_t last) {
    for (int64_t image = first; image < last; ++image) visit(image);
  });
}

// The first NaN of a window, or the first of its greatest elements.
template <typename T>
void max_pool(const tb_pool& call) {
  constexpr T lowest =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  const int64_t in_size = call.height * call.width;
  const int64_t out_size = call.out_height * call.out_width;
  each_image(call, [&](int64_t image) {
    const T* const in = static_cast<const T*>(call.in) + image * in_size;
    T* const out = static_cast<T*>(call.out) + image * out_size;
    int64_t* const index = call.index + image * out_size;
    each_window(call, [&](int64_t result, range rows, range columns) {
      const bool none = rows.first >= rows.end || columns.first >= columns.end;
      int64_t best = none ? nowhere : rows.first * call.width + columns.first;
      T greatest = none ? lowest : in[best];
      each_element(call, rows, columns, [&](int64_t at) {
        const T element = in[at];
        // Without branches, which random elements would take at random.
        const bool better = !(element <= greatest) & (greatest == greatest);
        best = better ? at : best;
        greatest = better ? element : greatest;
      });
      out[result] = greatest;
      index[result] = best;
    });
  });
}

template <typename T>
tb_status max_pool_backward(const tb_pool& call) {
  const int64_t in_size = call.height * call.width;
  const int64_t out_size = call.out_height * call.out_width;
  for (int64_t i = 0; i < call.images * out_size; ++i) {
    if (call.index[i] < nowhere || call.index[i] >= in_size) return TB_BAD_INDEX;
  }
  each_image(call, [&](int64_t image) {
    T* const out = static_cast<T*>(call.out) + image * in_size;
    const T* const in = static_cast<const T*>(call.in) + image * out_size;
    const int64_t* const index = call.index + image * out_size;
    for (int64_t i = 0; i < in_size; ++i) out[i] = T(0);
    for (int64_t i = 0; i < out_size; ++i) {
      if (index[i] != nowhere) out[index[i]] += in[i];
    }
  });
  return TB_OK;
}

// The sum of dense elements, in 32 partial sums. Vectors of eight, whatever the ISA has, keep the results equal.
template <typename T>
double dense_sum(const T* in, int64_t count) {
  constexpr int64_t width = 8, vectors = 4;
  using numbers [[gnu::vector_size(width * sizeof(T))]] = T;
  using sums [[gnu::vector_size(width * sizeof(double))]] = double;
  sums all[vectors] = {};
  int64_t i = 0;
  const auto add = [&](sums& to, int64_t first) {
    numbers next;
    __builtin_memcpy(&next, in + first, sizeof next);
    to += __builtin_convertvector(next, sums);
  };
  for (; i + vectors * width <= count; i += vectors * width) {
    for (int64_t u = 0; u < vectors; ++u) add(all[u], i + u * width);
  }
  for (int64_t u = 0; i + width <= count; ++u, i += width) add(all[u], i);
  const sums joined = (all[0] + all[1]) + (all[2] + all[3]);
  double sum =
      ((joined[0] + joined[4]) + (joined[2] + joined[6])) + ((joined[1] + joined[5]) + (joined[3] + joined[7]));
  for (; i < count; ++i) sum += double(in[i]);
  return sum;
}

// Whether windows have long rows of neighbouring elements, or whole rows of the image.
bool has_long_rows(const tb_pool& call) {
  constexpr int64_t long_row = 16;
  if (call.out_width == 0) return false;
  const bool adaptive = call.kernel[1] == 0;
  const int64_t width = adaptive ? call.width / call.out_width : call.kernel[1];
  return (adaptive || (call.dilation[0] == 1 && call.dilation[1] == 1)) && (width >= long_row || width >= call.width);
}

template <typename T>
double sum_of_rows(const tb_pool& call, const T* in, range rows, range columns) {
  const int64_t height = rows.end - rows.first, count = columns.end - columns.first;
  if (height <= 0 || count <= 0) return 0;
  const T* const first = in + rows.first * call.width + columns.first;
  if (count == call.width) return dense_sum(first, height * count);
  double sum = 0;
  for (int64_t y = 0; y < height; ++y) sum += dense_sum(first + y * call.width, count);
  return sum;
}

template <typename T, bool LongRows>
void average_pool(const tb_pool& call) {
  each_image(call, [&](int64_t image) {
    const T* const in = static_cast<const T*>(call.in) + image * call.height * call.width;
    T* const out = static_cast<T*>(call.out) + image * call.out_height * call.out_width;
    each_window(call, [&](int64_t result, range rows, range columns) {
      double sum = 0;
      if constexpr (LongRows) {
        sum = sum_of_rows(call, in, rows, columns);
      } else {
        each_element(call, rows, columns, [&](int64_t at) { sum += double(in[at]); });
      }
      out[result] = T(sum / double(divisor(call, rows, columns)));
    });
  });
}

template <typename T, bool LongRows>
void average_pool_backward(const tb_pool& call) {
  const int64_t image_size = call.height * call.width;
  each_image(call, [&](int64_t image) {
    T* const out = static_cast<T*>(call.out) + image * image_size;
    const T* const in = static_cast<const T*>(call.in) + image * call.out_height * call.out_width;
    for (int64_t i = 0; i < image_size; ++i) out[i] = T(0);
    each_window(call, [&](int64_t result, range rows, range columns) {
      const T share = T(double(in[result]) / double(divisor(call, rows, columns)));
      // Known to the compiler here, so that it adds in SIMD registers.
      if constexpr (LongRows) columns.step = 1;
      each_element(call, rows, columns, [&](int64_t at) { out[at] += share; });
    });
  });
}

template <typename T>
tb_status pool_of(const tb_pool& call) {
  const bool long_rows = has_long_rows(call);
  switch (call.op) {
    case TB_MAX_POOL: max_pool<T>(call); return TB_OK;
    case TB_MAX_POOL_BACKWARD: return max_pool_backward<T>(call);
    case TB_AVG_POOL: long_rows ? average_pool<T, true>(call) : average_pool<T, false>(call); return TB_OK;
    case TB_AVG_POOL_BACKWARD:
      long_rows ? average_pool_backward<T, true>(call) : average_pool_backward<T, false>(call);
      return TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace

tb_status pool(const tb_pool* call, const tb_call*) {
  switch (call->dtype) {
    case TB_I64:
      if (call->op != TB_MAX_POOL) return TB_UNSUPPORTED_DTYPE;
      max_pool<int64_t>(*call);
      return TB_OK;
    case TB_F32: return pool_of<float>(*call);
    case TB_F64: return pool_of<double>(*call);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

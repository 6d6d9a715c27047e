// Pooling: the maximum or average of each window of an image, and the gradients of both.
//
// Windows are clipped to the image before their elements are visited, so the inner loops have no bounds checks.
// Averages are accumulated in double, in the same order on every ISA. Tasks share the images: each element of a result
// is computed by one of them.
#include "isa/arch.h"
#include "layout.h"
#include "reduce/average_pool_rows.h"
#include "reduce/max_pool_rows.h"
#include "reduce/pool_windows.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Calls visit(first, last) for runs of images, on several threads if all together have enough elements.
template <typename Visit>
void each_run_of_images(const tb_pool& call, const Visit& visit) {
  const int64_t size = call.height * call.width + call.out_height * call.out_width, most = call.images;
  const int64_t wanted = most * size / parallel_grain, tasks = wanted < 1 ? 1 : wanted < most ? wanted : most;
  each_row_part(most, tasks, [&](int64_t, int64_t first, int64_t last) { visit(first, last); });
}
template <typename Visit>
void each_image(const tb_pool& call, const Visit& visit) {
  each_run_of_images(call, [&](int64_t first, int64_t last) {
    for (int64_t image = first; image < last; ++image) visit(image);
  });
}

template <typename T>
void max_pool_in_rows(const tb_pool& call) {
  const int64_t in_size = call.height * call.width, out_size = call.out_height * call.out_width;
  each_run_of_images(call, [&](int64_t first, int64_t last) {
    max_pool_rows<T> rows(call);
    for (int64_t i = first; i < last; ++i) {
      rows.run(static_cast<const T*>(call.in) + i * in_size, static_cast<T*>(call.out) + i * out_size,
               call.index + i * out_size);
    }
  });
}

// The first NaN of a window, or the first of its greatest elements.
template <typename T>
void max_pool(const tb_pool& call) {
  if (max_pool_rows<T>::fit(call)) return max_pool_in_rows<T>(call);
  const int64_t in_size = call.height * call.width;
  const int64_t out_size = call.out_height * call.out_width;
  each_image(call, [&](int64_t image) {
    const T* const in = static_cast<const T*>(call.in) + image * in_size;
    T* const out = static_cast<T*>(call.out) + image * out_size;
    int64_t* const index = call.index + image * out_size;
    each_window(call, [&](int64_t result, range rows, range columns) {
      const bool none = rows.first >= rows.end || columns.first >= columns.end;
      int64_t best = none ? nowhere : rows.first * call.width + columns.first;
      T greatest = none ? least_number<T> : in[best];
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

template <typename T>
void average_pool(const tb_pool& call) {
  const int64_t in_size = call.height * call.width, out_size = call.out_height * call.out_width;
  each_run_of_images(call, [&](int64_t first, int64_t last) {
    average_pool_rows<T> rows(call);
    for (int64_t i = first; i < last; ++i) {
      rows.run(static_cast<const T*>(call.in) + i * in_size, static_cast<T*>(call.out) + i * out_size);
    }
  });
}

// Whether windows have long rows of neighbouring elements, or whole rows of the image.
bool has_long_rows(const tb_pool& call) {
  constexpr int64_t long_row = 16;
  if (call.out_width == 0) return false;
  const bool adaptive = call.kernel[1] == 0;
  const int64_t width = adaptive ? call.width / call.out_width : call.kernel[1];
  return (adaptive || (call.dilation[0] == 1 && call.dilation[1] == 1)) && (width >= long_row || width >= call.width);
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
  switch (call.op) {
    case TB_MAX_POOL: max_pool<T>(call); return TB_OK;
    case TB_MAX_POOL_BACKWARD: return max_pool_backward<T>(call);
    case TB_AVG_POOL: average_pool<T>(call); return TB_OK;
    case TB_AVG_POOL_BACKWARD:
      has_long_rows(call) ? average_pool_backward<T, true>(call) : average_pool_backward<T, false>(call);
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

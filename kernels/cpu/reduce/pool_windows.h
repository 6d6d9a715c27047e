// The windows of pooling, clipped to the image before their elements are visited, so that inner loops have no bounds
// checks.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A window along one dimension: elements first, first + step, ... below end; `padded` counts elements of the padding
// too.
struct range {
  int64_t first, end, step, padded;
};

inline range window(const tb_pool& call, int side, int64_t at) {
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

// Calls visit(index in the image) for each element of a window, in row-major order.
template <typename Visit>
void each_element(const tb_pool& call, range rows, range columns, Visit visit) {
  for (int64_t y = rows.first; y < rows.end; y += rows.step) {
    for (int64_t x = columns.first; x < columns.end; x += columns.step) visit(y * call.width + x);
  }
}

inline int64_t divisor(const tb_pool& call, range rows, range columns) {
  if (call.divisor != 0) return call.divisor;
  if (call.count_padding != 0) return rows.padded * columns.padded;
  const int64_t count = (rows.end - rows.first) * (columns.end - columns.first);
  return count > 0 ? count : 1;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

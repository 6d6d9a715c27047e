// Max pooling with neighbouring windows in the lanes of a vector, whatever their stride.
//
// Rows of the image are copied to lines with the padding around them, so no lane leaves its line. The padding is the
// least number, which is never greater than what a window has. An element is compared with the greatest of its window
// in row-major order, so results are those of plain loops.
#pragma once

#include <limits>
#include <type_traits>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
constexpr T least_number =
    std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

// The index for a window that lies entirely in the padding, which is possible with dilation.
constexpr int64_t nowhere = -1;

template <typename T>
class max_pool_rows {
 public:
  // Whether the lines and the windows fit here, and an index in a lane.
  static bool fit(const tb_pool& call) {
    return call.kernel[0] != 0 && call.out_width >= least_windows && call.out_width <= most_windows &&
           lines_of(call) <= most_elements && line_length(call) <= most_elements / lines_of(call) &&
           call.height * call.width <= std::numeric_limits<place>::max() / 2;
  }

  explicit max_pool_rows(const tb_pool& call) : call_(call), lines_(lines_of(call)), length_(line_length(call)) {
    for (int64_t i = 0; i < lines_ * length_; ++i) elements_[i] = least_number<T>;
    for (int64_t x = 0; x < call.out_width; ++x) {
      int64_t column = x * call.stride[1] - call.padding[1];
      const int64_t end = column + (call.kernel[1] - 1) * call.dilation[1] + 1;
      if (column < 0) column += (-column + call.dilation[1] - 1) / call.dilation[1] * call.dilation[1];
      first_[x] = place(column < end && column < call.width ? column : nowhere);
    }
  }

  void run(const T* image, T* out, int64_t* index) {
    switch (call_.stride[1]) {
      case 1: return run_with<1>(image, out, index);
      case 2: return run_with<2>(image, out, index);
      default: return run_with<0>(image, out, index);
    }
  }

 private:
  static constexpr int64_t lanes = 8, least_windows = 3, most_windows = 1024, most_elements = 8192;
  using place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using elements [[gnu::vector_size(lanes * sizeof(T))]] = T;
  using places [[gnu::vector_size(lanes * sizeof(T))]] = place;

  // As many lines as a window reaches, so that each row of the image is copied once.
  static int64_t lines_of(const tb_pool& call) { return (call.kernel[0] - 1) * call.dilation[0] + 1; }
  static int64_t line_length(const tb_pool& call) {
    const int64_t last = (call.out_width + lanes - 1) / lanes * lanes * call.stride[1];
    const int64_t reach = last + (call.kernel[1] - 1) * call.dilation[1];
    return reach > call.width + call.padding[1] ? reach : call.width + call.padding[1];
  }

  // The elements `Stride` apart, or the call's stride.
  template <int Stride>
  void load(elements& to, const T* from) const {
    if constexpr (Stride == 1) {
      __builtin_memcpy(&to, from, sizeof to);
    } else if constexpr (Stride == 2) {
      elements low, high;
      __builtin_memcpy(&low, from, sizeof low);
      __builtin_memcpy(&high, from + lanes, sizeof high);
      to = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    } else {
      for (int64_t lane = 0; lane < lanes; ++lane) to[lane] = from[lane * call_.stride[1]];
    }
  }

  T* line(int64_t row) { return elements_ + row % lines_ * length_; }

  template <int Stride>
  void run_with(const T* image, T* out, int64_t* index) {
    const int64_t width = call_.width, step = call_.dilation[0];
    places along;
    for (int64_t lane = 0; lane < lanes; ++lane) along[lane] = place(lane * call_.stride[1]);
    int64_t copied = 0;
    for (int64_t y = 0; y < call_.out_height; ++y, out += call_.out_width, index += call_.out_width) {
      const int64_t top = y * call_.stride[0] - call_.padding[0], reach = top + lines_;
      const int64_t first = top < 0 ? top + (-top + step - 1) / step * step : top;
      const int64_t end = reach < call_.height ? reach : call_.height;
      // Rows between those of this window are needed by others, if there is dilation.
      for (copied = copied < top ? top : copied; copied < end; ++copied) {
        __builtin_memcpy(line(copied) + call_.padding[1], image + copied * width, size_t(width) * sizeof(T));
      }
      for (int64_t x = 0; x < call_.out_width; x += lanes) {
        elements greatest = {};
        places best;
        __builtin_memcpy(&best, first_ + x, sizeof best);
        const places none = first < end ? best < 0 : best == best;
        greatest += least_number<T>;
        best = none ? places{} + place(nowhere) : best + place(first * width);
        for (int64_t row = first; row < end; row += step) {
          const T* const from = line(row) + x * call_.stride[1];
          places at = along + place(row * width + x * call_.stride[1] - call_.padding[1]);
          for (int64_t k = 0; k < call_.kernel[1]; ++k, at += place(call_.dilation[1])) {
            elements next;
            load<Stride>(next, from + k * call_.dilation[1]);
            const places better = ~(next <= greatest) & (greatest == greatest);
            greatest = better ? next : greatest;
            best = better ? at : best;
          }
        }
        const int64_t some = call_.out_width - x < lanes ? call_.out_width - x : lanes;
        for (int64_t lane = 0; lane < some; ++lane) out[x + lane] = greatest[lane], index[x + lane] = best[lane];
      }
    }
  }

  const tb_pool& call_;
  const int64_t lines_, length_;
  alignas(64) T elements_[most_elements];
  place first_[most_windows + lanes] = {};
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Convolution of images of up to three dimensions; of fewer, the first sizes are 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "products.h"

namespace oracle {

/// Images [images][channels][size], weights [outputs][channels / groups][kernel], a result [images][outputs][out].
struct convolution {
  using three = std::array<std::int64_t, 3>;

  std::int64_t images, channels, outputs, groups;
  three size, kernel, stride = {1, 1, 1}, padding = {0, 0, 0}, dilation = {1, 1, 1};

  static std::int64_t volume(const three& x) { return x[0] * x[1] * x[2]; }
  static three split(std::int64_t place, const three& of) {
    return {place / of[2] / of[1], place / of[2] % of[1], place % of[2]};
  }

  /// An element of the result. `out` is given, since there may be more padding behind than before. Elements of all
  /// operands are counted in row-major order.
  template <class Image, class Weight, class Bias>
  sum<> element(std::int64_t place, const three& out, Image image, Weight weight, Bias bias) const {
    const three y = split(place % volume(out), out);
    const std::int64_t output = place / volume(out) % outputs, image_index = place / volume(out) / outputs;
    const std::int64_t of_group = channels / groups, first = output / (outputs / groups) * of_group;
    sum<> all;
    all.add(bias(output));
    for (std::int64_t c = 0; c < of_group; ++c) {
      for (std::int64_t k = 0; k < volume(kernel); ++k) {
        const three x = split(k, kernel);
        std::int64_t from = image_index * channels + first + c;
        bool inside = true;
        for (std::size_t d = 0; d < 3; ++d) {
          const std::int64_t i = y[d] * stride[d] + x[d] * dilation[d] - padding[d];
          inside = inside && i >= 0 && i < size[d];
          from = from * size[d] + i;
        }
        if (!inside) continue;  // padding is 0
        all.add(static_cast<long double>(image(from)) * weight((output * of_group + c) * volume(kernel) + k));
      }
    }
    return all;
  }
};

}  // namespace oracle

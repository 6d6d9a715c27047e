// The numbers of windows, checked: what oneDNN computes, and what is left to topbit's own operators, which also say
// what is wrong with others. Internal.
module;

#include "library.h"

module topbit.onednn:windows;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :arrays;

namespace topbit::onednn {

// A list of one number stands for all. False for another length, and for a number below `least`.
inline bool expand_numbers(const shape& given, std::size_t windows, std::int64_t least, std::int64_t (&all)[3]) {
  if (given.size() != 1 && given.size() != windows) return false;
  for (std::size_t i = 0; i < windows; ++i) {
    all[i] = given[given.size() == 1 ? 0 : i];
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (all[i] < least || all[i] > most) return false;
  }
  return true;
}

inline std::optional<library::window> window_of(const shape& input, const tensor& weight,
                                                std::span<const std::int64_t> stride,
                                                std::span<const std::int64_t> padding,
                                                std::span<const std::int64_t> dilation, std::int64_t groups) {
  const shape& filter = weight.sizes();
  if (filter.size() < 3 || filter.size() > 5 || input.size() != filter.size() || groups < 1) return std::nullopt;
  if (numel(input) < 1 || filter[0] % groups != 0 || input[1] % groups != 0 || input[1] / groups != filter[1]) {
    return std::nullopt;
  }
  library::window w;
  w.dims = static_cast<int>(filter.size()) - 2;
  const auto windows = static_cast<std::size_t>(w.dims);
  if (!expand_numbers(shape(stride), windows, 1, w.stride) || !expand_numbers(shape(padding), windows, 0, w.padding) ||
      !expand_numbers(shape(dilation), windows, 1, w.dilation)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < windows; ++i) {
    w.size[i] = filter[i + 2];
    if (input[i + 2] + 2 * w.padding[i] < w.dilation[i] * (w.size[i] - 1) + 1) return std::nullopt;
  }
  return w;
}

// The same of tensors, of these dtypes.
inline std::optional<library::window> window_of(const tensor& input, const tensor& weight, dtype input_type,
                                                dtype weight_type, std::span<const std::int64_t> stride,
                                                std::span<const std::int64_t> padding,
                                                std::span<const std::int64_t> dilation, std::int64_t groups) {
  if (!is_simple(input, input_type) || !is_simple(weight, weight_type)) return std::nullopt;
  return window_of(input.sizes(), weight, stride, padding, dilation, groups);
}

}  // namespace topbit::onednn

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :initial;

namespace topbit::nn {

conv2d::conv2d(std::int64_t inputs, std::int64_t outputs, std::int64_t window, const generator& random,
               const conv2d_options& o)
    : options(o) {
  detail::require_positive("nn::conv2d", "inputs", inputs);
  detail::require_positive("nn::conv2d", "outputs", outputs);
  detail::require_positive("nn::conv2d", "window", window);
  detail::require_positive("nn::conv2d", "groups", o.groups);
  if (inputs % o.groups != 0 || outputs % o.groups != 0) {
    throw error("nn::conv2d: found groups=" + std::to_string(o.groups) + " for " + std::to_string(inputs) +
                    " inputs and " + std::to_string(outputs) + " outputs, wanted a divisor of both",
                "nn::conv2d");
  }
  const std::int64_t channels = inputs / o.groups, read = channels * window * window;
  weight = detail::uniform_parameter({outputs, channels, window, window}, read, o.type, random);
  if (o.bias) bias = detail::uniform_parameter({outputs}, read, o.type, random);
}

tensor conv2d::operator()(const tensor& x) const {
  return aten::conv2d(x, weight, bias, options.stride, options.padding, options.dilation, options.groups);
}

}  // namespace topbit::nn

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :initial;

namespace topbit::nn {

linear::linear(std::int64_t inputs, std::int64_t outputs, const generator& random, const linear_options& options) {
  detail::require_positive("nn::linear", "inputs", inputs);
  detail::require_positive("nn::linear", "outputs", outputs);
  weight = detail::uniform_parameter({outputs, inputs}, inputs, options.type, random);
  if (options.bias) bias = detail::uniform_parameter({outputs}, inputs, options.type, random);
}

tensor linear::operator()(const tensor& x) const { return aten::linear(x, weight, bias); }

}  // namespace topbit::nn

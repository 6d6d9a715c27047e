module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :initial;

namespace topbit::nn {

layer_norm::layer_norm(const shape& sizes, const layer_norm_options& options)
    : weight(detail::constant_parameter(sizes, 1, options.type)),
      bias(detail::constant_parameter(sizes, 0, options.type)),
      epsilon(options.epsilon) {}

tensor layer_norm::operator()(const tensor& x) const {
  return aten::layer_norm(x, weight.sizes(), weight, bias, epsilon);
}

}  // namespace topbit::nn

// A linear module.
export module topbit.training:linear;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

export struct linear_options {
  bool bias = true;
  dtype type = dtype::float32;
};

/// x @ weight.t() + bias over the last dimension. Both are initially uniform within 1 / sqrt(inputs), as in torch.nn.
export struct linear {
  tensor weight, bias;  // [outputs, inputs], [outputs] or undefined

  /// Throws error for sizes below 1.
  linear(std::int64_t inputs, std::int64_t outputs, const generator& random = default_generator(),
         const linear_options& options = {});
  tensor operator()(const tensor& x) const;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
  }
};

}  // namespace topbit::nn

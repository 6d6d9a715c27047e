// A convolution of images.
export module topbit.training:conv2d;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

export struct conv2d_options {
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  bool bias = true;
  dtype type = dtype::float32;
};

/// [n, inputs, h, w] -> [n, outputs, h', w'] with a square window. Weight and bias are initially uniform within 1 /
/// sqrt(inputs / groups * window^2), as in torch.nn.
export struct conv2d {
  tensor weight, bias;  // [outputs, inputs / groups, window, window], [outputs] or undefined
  conv2d_options options;

  /// Throws error for sizes below 1, and groups that do not divide inputs and outputs.
  conv2d(std::int64_t inputs, std::int64_t outputs, std::int64_t window, const generator& random = default_generator(),
         const conv2d_options& options = {});
  tensor operator()(const tensor& x) const;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
  }
};

}  // namespace topbit::nn

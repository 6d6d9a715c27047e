// Normalisation of rows.
export module topbit.training:layer_norm;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

export struct layer_norm_options {
  double epsilon = 1e-5;
  dtype type = dtype::float32;
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias over the last dimensions, of the sizes given. Initially ones
/// and zeros.
export struct layer_norm {
  tensor weight, bias;
  double epsilon;

  explicit layer_norm(const shape& sizes, const layer_norm_options& options = {});
  tensor operator()(const tensor& x) const;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
  }
};

}  // namespace topbit::nn

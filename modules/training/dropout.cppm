// Dropout.
export module topbit.training:dropout;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

/// In training, each element is 0 with probability p, else divided by 1 - p; uses the device's default generator.
/// set_training() switches it for a whole network.
export struct dropout {
  double p;
  bool training = true;

  /// Throws error unless p is within 0 and 1.
  explicit dropout(double p = 0.5);
  tensor operator()(const tensor& x) const;
  static void each_parameter(auto&, auto&&) {}
};

}  // namespace topbit::nn

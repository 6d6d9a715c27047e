module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit::nn {

dropout::dropout(double p) : p(p) {
  if (p >= 0 && p <= 1) return;
  throw error("nn::dropout: found p=" + to_string(scalar(p)) + ", wanted a number from 0 to 1", "nn::dropout");
}

tensor dropout::operator()(const tensor& x) const { return aten::dropout(x, p, training); }

}  // namespace topbit::nn

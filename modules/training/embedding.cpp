module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :initial;

namespace topbit::nn {

embedding::embedding(std::int64_t count, std::int64_t width, const generator& random, const embedding_options& options)
    : sparse(options.sparse) {
  detail::require_positive("nn::embedding", "count", count);
  detail::require_positive("nn::embedding", "width", width);
  weight = detail::normal_parameter({count, width}, options.type, random);
}

tensor embedding::operator()(const tensor& indices) const {
  return aten::embedding(weight, indices, -1, false, sparse);
}

}  // namespace topbit::nn

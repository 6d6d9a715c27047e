// Embedding: rows of a table, selected by index.
export module topbit.training:embedding;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

export struct embedding_options {
  dtype type = dtype::float32;
};

/// Indices of any sizes -> these sizes and `width`. Initially normally distributed, as in torch.nn.
export struct embedding {
  tensor weight;  // [count, width]

  /// Throws error for sizes below 1.
  embedding(std::int64_t count, std::int64_t width, const generator& random = default_generator(),
            const embedding_options& options = {});
  tensor operator()(const tensor& indices) const;
  static void each_parameter(auto& self, auto&& visit) { visit("weight", self.weight); }
};

}  // namespace topbit::nn

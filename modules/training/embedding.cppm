// Embedding: rows of a table, selected by index.
export module topbit.training:embedding;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::nn {

export struct embedding_options {
  dtype type = dtype::float32;
  /// Gradients of the weight are sparse, with the rows that were looked up: a step costs as much as these rows, not as
  /// the table. Needs topbit.sparse, and an optimizer that updates rows.
  bool sparse = false;
};

/// Indices of any sizes -> these sizes and `width`. Initially normally distributed, as in torch.nn.
export struct embedding {
  tensor weight;  // [count, width]
  bool sparse;    // gradients

  /// Throws error for sizes below 1.
  embedding(std::int64_t count, std::int64_t width, const generator& random = default_generator(),
            const embedding_options& options = {});
  tensor operator()(const tensor& indices) const;
  static void each_parameter(auto& self, auto&& visit) { visit("weight", self.weight); }
};

}  // namespace topbit::nn

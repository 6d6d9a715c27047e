module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

tensor sum_to(const tensor& gradient, const dims& sizes, dtype type) {
  tensor g = gradient;
  if (g.sizes() != sizes) {
    const std::size_t added = g.dim() - sizes.size();
    dims over;
    for (std::size_t i = 0; i < g.dim(); ++i) {
      if (i < added || (sizes[i - added] == 1 && g.sizes()[i] != 1)) over.push_back(static_cast<std::int64_t>(i));
    }
    if (!over.empty()) g = ops::sum_dim(g, std::optional(std::span<const std::int64_t>(over)), true);
    g = ops::reshape(g, sizes);
  }
  return to(g, type);
}

sum_dim_rule sum_dim_rule::save(const tensor& self, std::optional<std::span<const std::int64_t>> dim, bool,
                                std::optional<dtype>, const tensor&) {
  dims kept = self.sizes();
  if (dim.has_value() && !dim->empty() && self.dim() != 0) {
    for (std::int64_t d : *dim) kept[dim_of({nullptr, ops::sum_dim.name()}, d, self)] = 1;
  } else {
    kept = dims(self.dim(), 1);
  }
  return {self, kept};
}

}  // namespace topbit::detail

// Gradients of reductions, and of what is computed row by row.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

struct sum_rule {
  dims sizes;
  static sum_rule save(T self, std::optional<dtype>, T) { return {self.sizes()}; }
  grads1 backward(T g, std::array<bool, 1>) const { return {ops::expand(g, sizes)}; }
};

struct sum_dim_rule {
  dims sizes;
  dims kept;  // the sizes of the result with keepdim
  static sum_dim_rule save(T self, std::optional<std::span<const std::int64_t>> dim, bool, std::optional<dtype>, T) {
    return {self.sizes(), kept_sizes(ops::sum_dim.name(), self, dim)};
  }
  grads1 backward(T g, std::array<bool, 1>) const { return {ops::expand(ops::reshape(g, kept), sizes)}; }
};

using softmax_rule = derivative<ops::softmax_forward, keep<the_result>, [](T g, T y, std::int64_t dim, bool) {
  return ops::softmax_backward(g, y, dim, y.dtype());
}>;
using log_softmax_rule = derivative<ops::log_softmax_forward, keep<the_result>, [](T g, T y, std::int64_t dim, bool) {
  return ops::log_softmax_backward(g, y, dim, y.dtype());
}>;

constexpr author::kernel_row rows[] = {
    gradient_row<ops::sum, sum_rule>(),
    gradient_row<ops::sum_dim, sum_dim_rule>(),
    gradient_row<ops::softmax_forward, softmax_rule>(),
    gradient_row<ops::log_softmax_forward, log_softmax_rule>(),
};

}  // namespace

dims kept_sizes(std::string_view op, const tensor& self, std::optional<std::span<const std::int64_t>> dim) {
  if (!dim.has_value() || dim->empty() || self.dim() == 0) return dims(self.dim(), 1);
  dims kept = self.sizes();
  for (std::int64_t d : *dim) kept[dim_of({nullptr, op}, d, self)] = 1;
  return kept;
}

std::span<const author::kernel_row> reduce_gradients() { return rows; }

}  // namespace topbit::detail

// Gradients of what takes, puts and moves elements by their indices.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// What was taken several times gets the gradients of all of them.
struct index_rule {
  kind_of self;
  std::vector<std::optional<saved_tensor>> indices;

  static index_rule save(T self, std::span<const optional_tensor> given, T) {
    index_rule rule{self, {}};
    for (const optional_tensor& i : given)
      rule.indices.push_back(is_given(i) ? std::optional<saved_tensor>(*i) : std::nullopt);
    return rule;
  }
  std::vector<tensor> backward(T g, std::span<const bool>) const {
    std::vector<optional_tensor> at;
    for (const std::optional<saved_tensor>& i : indices) at.push_back(i ? optional_tensor(i->get()) : std::nullopt);
    std::vector<tensor> all(1 + indices.size());
    all[0] = ops::index_put(self.zeros_beside(g), at, g, true);
    return all;
  }
};

constexpr author::kernel_row rows[] = {gradient_row<ops::index, index_rule>()};

}  // namespace

std::span<const author::kernel_row> index_gradients() { return rows; }

}  // namespace topbit::detail

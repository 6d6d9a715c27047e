// Operators written with other operators: one kernel each for every backend there is.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor log_softmax_composite(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return ops::log_softmax_forward(to(self, type.value_or(self.dtype())), dim, false);
}

tensor nll_loss_composite(const tensor& self, const tensor& target, const std::optional<tensor>& weight,
                          std::int64_t reduction, std::int64_t ignore_index) {
  const auto refuse = [](const std::string& why) { throw error("aten::nll_loss: " + why, "aten::nll_loss"); };
  author::check_one_device(ops::nll_loss, self, target, weight);
  if (weight.has_value() && weight->defined()) refuse("found weights, wanted none");
  if (reduction != 1) refuse("found reduction " + std::to_string(reduction) + ", wanted Mean (1)");
  if (ignore_index != -100) refuse("found ignore_index " + std::to_string(ignore_index) + ", wanted the default -100");
  return ops::nll_loss_mean(self, target);
}

}  // namespace topbit::detail

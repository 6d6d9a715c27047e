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

tensor full(std::span<const std::int64_t> size, const scalar& value, std::optional<dtype> type,
            std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned) {
  const dtype wanted = type.value_or(is_floating(value.type()) ? dtype::float32 : value.type());
  tensor out = ops::empty(size, wanted, how, where, pinned, std::nullopt);
  return ops::fill_(out, value);
}
tensor zeros(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
             std::optional<device> where, std::optional<bool> pinned) {
  tensor out = ops::empty(size, type, how, where, pinned, std::nullopt);
  return ops::zero_(out);
}
tensor ones(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
            std::optional<device> where, std::optional<bool> pinned) {
  tensor out = ops::empty(size, type, how, where, pinned, std::nullopt);
  return ops::fill_(out, 1);
}

tensor to_copy(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
               std::optional<bool> pinned, bool non_blocking, std::optional<memory_format> format) {
  tensor out =
      ops::empty(self.sizes(), type.value_or(self.dtype()), how, where.value_or(self.device()), pinned, format);
  return ops::copy_.redispatch(key_set{key_of(out.device().type), key_of(self.device().type)}, out, self, non_blocking);
}

tensor clone(const tensor& self, std::optional<memory_format>) {
  tensor out = author::make_tensor(self.sizes(), self.dtype(), self.device());
  return ops::copy_.redispatch(key_of(self.device().type), out, self, false);
}

}  // namespace topbit::detail

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :registration.caller;
import :registration.composite;
import :registration.families;
import :registration.operands;

namespace topbit::detail {

namespace {

tensor to_dense(const tensor& self, std::optional<dtype> type, std::optional<bool> masked_grad) {
  check_defined({nullptr, aten::to_dense.name()}, self);
  if (self.layout() != layout::strided) return aten::_to_dense(self, type, masked_grad);
  return to(self, type.value_or(self.dtype()));
}

tensor copy_of_strided(const tensor& self, std::optional<dtype> type, std::optional<bool>) {
  return aten::_to_copy(self, arg<"dtype"> = type.value_or(self.dtype()));
}

// The engine converts the dtype.
struct copy_gradient {
  static copy_gradient save(T, std::optional<dtype>, std::optional<bool>, T) { return {}; }
  grads1 backward(T g, std::array<bool, 1>) const { return {g}; }
};

constexpr author::kernel_row rows[] = {
    author::define(aten::_to_dense),
    caller_row<&copy_of_strided, aten::_to_dense>(key::CompositeExplicitAutograd),
    gradient_row<aten::_to_dense, copy_gradient>(),
};

}  // namespace

void register_to_dense() {
  author::register_rows(rows);
  register_composite<&to_dense, aten::to_dense>();
}

}  // namespace topbit::detail

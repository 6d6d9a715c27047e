module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
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

}  // namespace

void register_to_dense() {
  const author::kernel_row rows[] = {author::define(aten::_to_dense)};
  author::register_rows(rows);
  register_composite<&to_dense, aten::to_dense>();
}

}  // namespace topbit::detail

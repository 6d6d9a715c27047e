// Kernels of the family `unary`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;
import :unary.unary_kernels;

namespace topbit::detail {

namespace {

tensor positive(const tensor& self) {
  constexpr backend_call c{nullptr, aten::positive.name()};
  check_defined(c, self);
  if (self.dtype() == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number");
  return self;
}

}  // namespace

void register_unary() {
  register_forms(unary_forms);
  register_composite<&positive, aten::positive>();
  register_without_gradient<aten::bitwise_not>();
}

}  // namespace topbit::detail

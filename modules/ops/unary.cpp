// Kernels of the families `unary` and `activation`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// clamp makes numbers of bool; an activation is of numbers already.
const tensor& number(std::string_view op, const tensor& self) {
  check_defined({nullptr, op}, self);
  if (self.dtype() == dtype::boolean) refuse<dtype_error>({nullptr, op}, "found bool, wanted numbers");
  return self;
}
tensor hardtanh(const tensor& self, const scalar& low, const scalar& high) {
  return ops::clamp(number(ops::hardtanh.name(), self), low, high);
}
tensor& hardtanh_in_place(tensor& self, const scalar& low, const scalar& high) { return ops::clamp_(self, low, high); }
tensor relu6(const tensor& self) { return ops::clamp(number(ops::relu6.name(), self), 0, 6); }
tensor& relu6_in_place(tensor& self) { return ops::clamp_(self, 0, 6); }

// Klambauer, Unterthiner, Mayr, Hochreiter: Self-Normalizing Neural Networks, 2017.
constexpr double selu_alpha = 1.6732632423543772848, selu_scale = 1.0507009873554804934;
tensor selu(const tensor& self) { return ops::elu(self, selu_alpha, selu_scale); }
tensor& selu_in_place(tensor& self) { return ops::elu_(self, selu_alpha, selu_scale); }

scalar inverse(std::string_view op, const scalar& alpha) {
  if (alpha.to_double() == 0) refuse<error>({nullptr, op}, "found alpha 0, wanted another number");
  return 1 / alpha.to_double();
}
tensor celu(const tensor& self, const scalar& alpha) {
  return ops::elu(self, alpha, 1, inverse(ops::celu.name(), alpha));
}
tensor& celu_in_place(tensor& self, const scalar& alpha) {
  return ops::elu_(self, alpha, 1, inverse(ops::celu_.name(), alpha));
}

using author::autograd_kernel;
using author::row;

constexpr author::kernel_row gradients[] = {
    row<&autograd_kernel<ops::neg, neg_rule>::run>(ops::neg, key::Autograd),
    row<&autograd_kernel<ops::exp, exp_rule>::run>(ops::exp, key::Autograd),
    row<&autograd_kernel<ops::log, log_rule>::run>(ops::log, key::Autograd),
    row<&autograd_kernel<ops::rsqrt, rsqrt_rule>::run>(ops::rsqrt, key::Autograd),
    row<&autograd_kernel<ops::relu, relu_rule>::run>(ops::relu, key::Autograd),
};

}  // namespace

void register_unary() {
  register_forms<unary_forms>();
  register_without_gradient<ops::bitwise_not>();
}

void register_activation() {
  register_forms<activation_forms>();
  register_composite<&hardtanh, ops::hardtanh>();
  register_composite<&hardtanh_in_place, ops::hardtanh_>();
  register_composite<&relu6, ops::relu6>();
  register_composite<&relu6_in_place, ops::relu6_>();
  register_composite<&selu, ops::selu>();
  register_composite<&selu_in_place, ops::selu_>();
  register_composite<&celu, ops::celu>();
  register_composite<&celu_in_place, ops::celu_>();
  author::register_rows(gradients);
}

}  // namespace topbit::detail

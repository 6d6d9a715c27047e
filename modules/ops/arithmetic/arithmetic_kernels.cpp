module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :arithmetic.arithmetic_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

tensor rsub(const tensor& self, const tensor& other, const scalar& alpha) {
  return aten::sub_Tensor(other, self, arg<"alpha"> = alpha);
}
tensor rsub_scalar(const tensor& self, const scalar& other, const scalar& alpha) {
  return aten::sub_Tensor(wrapped(self, other), self, arg<"alpha"> = alpha);
}

void check_exponent(std::string_view op, const tensor& self, const scalar& exponent) {
  if (is_floating(self.dtype()) || is_floating(exponent.type()) || exponent.to_int64() >= 0) return;
  refuse<error>({nullptr, op}, "found the exponent " + to_string(exponent) + " for " +
                                   std::string(name_of(self.dtype())) +
                                   ", wanted none below 0; a floating exponent gives a floating result");
}
tensor pow_scalar(const tensor& self, const scalar& exponent) {
  check_exponent(aten::pow_Tensor_Scalar.name(), self, exponent);
  return aten::pow_Tensor_Tensor(self, wrapped(self, exponent));
}
tensor& pow_scalar_in_place(tensor& self, const scalar& exponent) {
  check_exponent(aten::pow_Scalar_.name(), self, exponent);
  return aten::pow_Tensor_(self, wrapped(self, exponent));
}
tensor& pow_scalar_out(const tensor& self, const scalar& exponent, tensor& out) {
  check_exponent(aten::pow_Tensor_Scalar_out.name(), self, exponent);
  return aten::pow_Tensor_Tensor_out(self, wrapped(self, exponent), out);
}

}  // namespace

void register_arithmetic() {
  register_forms(arithmetic_forms);
  register_scalar_overload<aten::add_Scalar, aten::add_Tensor>();
  register_scalar_overload<aten::add_Scalar_, aten::add_Tensor_>();
  register_scalar_overload<aten::sub_Scalar, aten::sub_Tensor>();
  register_scalar_overload<aten::sub_Scalar_, aten::sub_Tensor_>();
  register_scalar_overload<aten::mul_Scalar, aten::mul_Tensor>();
  register_scalar_overload<aten::mul_Scalar_, aten::mul_Tensor_>();
  register_scalar_overload<aten::div_Scalar, aten::div_Tensor>();
  register_scalar_overload<aten::div_Scalar_, aten::div_Tensor_>();
  register_scalar_overload<aten::div_Scalar_mode, aten::div_Tensor_mode>();
  register_scalar_overload<aten::div_Scalar_mode_, aten::div_Tensor_mode_>();
  register_scalar_overload<aten::floor_divide_Scalar, aten::floor_divide>();
  register_scalar_overload<aten::floor_divide_Scalar_, aten::floor_divide_Tensor_>();
  register_scalar_overload<aten::remainder_Scalar, aten::remainder_Tensor>();
  register_scalar_overload<aten::remainder_Scalar_, aten::remainder_Tensor_>();
  register_scalar_overload<aten::remainder_Scalar_out, aten::remainder_Tensor_out>();
  register_scalar_overload<aten::fmod_Scalar, aten::fmod_Tensor>();
  register_scalar_overload<aten::fmod_Scalar_, aten::fmod_Tensor_>();
  register_scalar_overload<aten::fmod_Scalar_out, aten::fmod_Tensor_out>();
  register_scalar_overload<aten::copysign_Scalar, aten::copysign_Tensor>();
  register_scalar_overload<aten::copysign_Scalar_, aten::copysign_Tensor_>();
  register_scalar_overload<aten::copysign_Scalar_out, aten::copysign_out>();
  register_scalar_overload<aten::xlogy_Scalar_Other, aten::xlogy_Tensor>();
  register_scalar_overload<aten::xlogy_Scalar_Other_, aten::xlogy_Tensor_>();
  register_scalar_overload<aten::xlogy_OutScalar_Other, aten::xlogy_OutTensor>();
  register_scalar_overload<aten::xlogy_Scalar_Self, aten::xlogy_Tensor>();
  register_scalar_overload<aten::xlogy_OutScalar_Self, aten::xlogy_OutTensor>();
  register_composite<&rsub, aten::rsub_Tensor>();
  register_composite<&rsub_scalar, aten::rsub_Scalar>();
  register_composite<&pow_scalar, aten::pow_Tensor_Scalar>();
  register_composite<&pow_scalar_in_place, aten::pow_Scalar_>();
  register_composite<&pow_scalar_out, aten::pow_Tensor_Scalar_out>();
  register_scalar_overload<aten::pow_Scalar, aten::pow_Tensor_Tensor>();
  register_scalar_overload<aten::pow_Scalar_out, aten::pow_Tensor_Tensor_out>();
  register_scalar_overload<aten::remainder_Scalar_Tensor, aten::remainder_Tensor>();
}

}  // namespace topbit::detail

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

tensor rsub(const tensor& self, const tensor& other, const scalar& alpha) {
  return ops::sub(other, self, arg<"alpha"> = alpha);
}
tensor rsub_scalar(const tensor& self, const scalar& other, const scalar& alpha) {
  return ops::sub(wrapped(self, other), self, arg<"alpha"> = alpha);
}

void check_exponent(std::string_view op, const tensor& self, const scalar& exponent) {
  if (is_floating(self.dtype()) || is_floating(exponent.type()) || exponent.to_int64() >= 0) return;
  refuse<error>({nullptr, op}, "found the exponent " + to_string(exponent) + " for " +
                                   std::string(name_of(self.dtype())) +
                                   ", wanted none below 0; a floating exponent gives a floating result");
}
tensor pow_scalar(const tensor& self, const scalar& exponent) {
  check_exponent(ops::pow_scalar.name(), self, exponent);
  return ops::pow(self, wrapped(self, exponent));
}
tensor& pow_scalar_in_place(tensor& self, const scalar& exponent) {
  check_exponent(ops::pow_scalar_.name(), self, exponent);
  return ops::pow_(self, wrapped(self, exponent));
}
tensor& pow_scalar_out(const tensor& self, const scalar& exponent, tensor& out) {
  check_exponent(ops::pow_scalar_out.name(), self, exponent);
  return ops::pow_out(self, wrapped(self, exponent), out);
}

}  // namespace

void register_elementwise() {
  register_forms<elementwise_forms>();
  register_number_form<ops::add_scalar, ops::add>();
  register_number_form<ops::add_scalar_, ops::add_>();
  register_number_form<ops::sub_scalar, ops::sub>();
  register_number_form<ops::sub_scalar_, ops::sub_>();
  register_number_form<ops::mul_scalar, ops::mul>();
  register_number_form<ops::mul_scalar_, ops::mul_>();
  register_number_form<ops::div_scalar, ops::div>();
  register_number_form<ops::div_scalar_, ops::div_>();
  register_number_form<ops::div_mode_scalar, ops::div_mode>();
  register_number_form<ops::div_mode_scalar_, ops::div_mode_>();
  register_number_form<ops::floor_divide_scalar, ops::floor_divide>();
  register_number_form<ops::floor_divide_scalar_, ops::floor_divide_>();
  register_number_form<ops::remainder_scalar, ops::remainder>();
  register_number_form<ops::remainder_scalar_, ops::remainder_>();
  register_number_form<ops::remainder_scalar_out, ops::remainder_out>();
  register_number_form<ops::fmod_scalar, ops::fmod>();
  register_number_form<ops::fmod_scalar_, ops::fmod_>();
  register_number_form<ops::fmod_scalar_out, ops::fmod_out>();
  register_number_form<ops::copysign_scalar, ops::copysign>();
  register_number_form<ops::copysign_scalar_, ops::copysign_>();
  register_number_form<ops::copysign_scalar_out, ops::copysign_out>();
  register_number_form<ops::xlogy_scalar, ops::xlogy>();
  register_number_form<ops::xlogy_scalar_, ops::xlogy_>();
  register_number_form<ops::xlogy_scalar_out, ops::xlogy_out>();
  register_number_form<ops::xlogy_scalar_base, ops::xlogy>();
  register_number_form<ops::xlogy_scalar_base_out, ops::xlogy_out>();
  register_composite<&rsub, ops::rsub>();
  register_composite<&rsub_scalar, ops::rsub_scalar>();
  register_composite<&pow_scalar, ops::pow_scalar>();
  register_composite<&pow_scalar_in_place, ops::pow_scalar_>();
  register_composite<&pow_scalar_out, ops::pow_scalar_out>();
  register_number_form<ops::pow_scalar_base, ops::pow>();
  register_number_form<ops::pow_scalar_base_out, ops::pow_out>();
  register_number_form<ops::remainder_scalar_base, ops::remainder>();
}

}  // namespace topbit::detail

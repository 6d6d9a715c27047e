// Kernels of the families `comparison` and `ternary`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

bool none_is_zero(const tensor& t) { return item(ops::sum(ops::logical_not(t))) == 0; }

tensor isclose(const tensor& self, const tensor& other, double rtol, double atol, bool equal_nan) {
  const backend_call c{nullptr, ops::isclose.name()};
  check_same_type(c.op, collect(self, other));
  if (!(rtol >= 0 && atol >= 0)) refuse<error>(c, "found a negative tolerance, wanted rtol and atol of at least 0");
  if (self.dtype() == dtype::boolean) return isclose(to(self, dtype::int8), to(other, dtype::int8), rtol, atol, false);
  tensor close = ops::eq(self, other);
  // Differences of integers may not fit their type.
  if (is_integer(self.dtype())) {
    const tensor a = to(self, dtype::float64), b = to(other, dtype::float64);
    return ops::logical_or(close, isclose(a, b, rtol, atol, false));
  }
  if (equal_nan && is_floating(self.dtype())) {
    close = ops::logical_or(close, ops::logical_and(ops::isnan(self), ops::isnan(other)));
  }
  const tensor difference = ops::abs(ops::sub(self, other));
  const tensor allowed = ops::add_scalar(ops::abs(ops::mul_scalar(other, rtol)), atol);
  return ops::logical_or(close, ops::logical_and(ops::isfinite(difference), ops::le(difference, allowed)));
}
bool allclose(const tensor& self, const tensor& other, double rtol, double atol, bool equal_nan) {
  return none_is_zero(isclose(self, other, rtol, atol, equal_nan));
}
bool equal(const tensor& self, const tensor& other) {
  author::check_one_device(ops::equal, self, other);
  check_same_type(ops::equal.name(), collect(self, other));
  return self.sizes() == other.sizes() && none_is_zero(ops::eq(self, other));
}

tensor where_scalar_self(const tensor& condition, const scalar& self, const tensor& other) {
  return ops::where(condition, wrapped(other, self), other);
}
tensor where_scalar_other(const tensor& condition, const tensor& self, const scalar& other) {
  return ops::where(condition, self, wrapped(self, other));
}
tensor where_scalar(const tensor& condition, const scalar& self, const scalar& other) {
  const auto number = [&](const scalar& s) {
    return ops::full(std::span<const std::int64_t>(), s, arg<"device"> = condition.device());
  };
  return ops::where(condition, number(self), number(other));
}

using bound = std::optional<tensor>;

void check_bounds(std::string_view op, const bound& min, const bound& max) {
  if (!min && !max) refuse<error>({nullptr, op}, "found no bound, wanted min, max or both");
}
tensor clamp_tensor(const tensor& self, const bound& min, const bound& max) {
  check_bounds(ops::clamp_tensor.name(), min, max);
  const tensor above = min ? ops::maximum(self, *min) : self;
  return max ? ops::minimum(above, *max) : above;
}
tensor& clamp_tensor_in_place(tensor& self, const bound& min, const bound& max) {
  check_bounds(ops::clamp_tensor_.name(), min, max);
  author::check_one_device(ops::clamp_tensor_, self, min, max);
  // What a rule keeps must not be what is written.
  const bool recorded = requires_grad(self) || (min && requires_grad(*min)) || (max && requires_grad(*max));
  const tensor within = clamp_tensor(recorded ? ops::clone(self) : self, min, max);
  check_result(ops::clamp_tensor_.name(), {within.sizes(), within.dtype(), within.device(), {}}, self);
  return ops::copy_(self, within);
}
tensor clamp_min(const tensor& self, const scalar& min) { return ops::clamp(self, min); }
tensor& clamp_min_in_place(tensor& self, const scalar& min) { return ops::clamp_(self, min); }
tensor clamp_max(const tensor& self, const scalar& max) { return ops::clamp(self, std::nullopt, max); }
tensor& clamp_max_in_place(tensor& self, const scalar& max) { return ops::clamp_(self, std::nullopt, max); }
tensor clamp_min_tensor(const tensor& self, const tensor& min) { return ops::maximum(self, min); }
tensor& clamp_min_tensor_in_place(tensor& self, const tensor& min) {
  if (!requires_grad(self) && !requires_grad(min)) return ops::maximum_out(self, min, self);
  return ops::clamp_tensor_(self, min, std::nullopt);
}
tensor clamp_max_tensor(const tensor& self, const tensor& max) { return ops::minimum(self, max); }
tensor& clamp_max_tensor_in_place(tensor& self, const tensor& max) {
  if (!requires_grad(self) && !requires_grad(max)) return ops::minimum_out(self, max, self);
  return ops::clamp_tensor_(self, std::nullopt, max);
}

tensor& clamp_min_out(const tensor& self, const scalar& min, tensor& out) {
  return ops::clamp_out(self, min, std::nullopt, out);
}
tensor& clamp_max_out(const tensor& self, const scalar& max, tensor& out) {
  return ops::clamp_out(self, std::nullopt, max, out);
}
tensor& clamp_min_tensor_out(const tensor& self, const tensor& min, tensor& out) {
  return ops::maximum_out(self, min, out);
}
tensor& clamp_max_tensor_out(const tensor& self, const tensor& max, tensor& out) {
  return ops::minimum_out(self, max, out);
}

tensor lerp_scalar(const tensor& self, const tensor& end, const scalar& weight) {
  return ops::lerp(self, end, number_beside(self, weight));
}
tensor& lerp_scalar_in_place(tensor& self, const tensor& end, const scalar& weight) {
  return ops::lerp_(self, end, number_beside(self, weight));
}
tensor& lerp_scalar_out(const tensor& self, const tensor& end, const scalar& weight, tensor& out) {
  return ops::lerp_out(self, end, number_beside(self, weight), out);
}

// What compares has no gradient, and neither has what is built on it.
template <auto Kernel, const auto& Op>
void register_without_rule() {
  const author::kernel_row rows[] = {author::define(Op), caller_row<Kernel, Op>(key::CompositeExplicitAutograd),
                                     author::fallthrough_row(Op, key::Autograd)};
  author::register_rows(rows);
}

}  // namespace

void register_comparison() {
  register_forms<comparison_forms>();
  register_number_form<ops::eq_scalar, ops::eq>();
  register_number_form<ops::eq_scalar_, ops::eq_>();
  register_number_form<ops::eq_scalar_out, ops::eq_out>();
  register_number_form<ops::ne_scalar, ops::ne>();
  register_number_form<ops::ne_scalar_, ops::ne_>();
  register_number_form<ops::ne_scalar_out, ops::ne_out>();
  register_number_form<ops::lt_scalar, ops::lt>();
  register_number_form<ops::lt_scalar_, ops::lt_>();
  register_number_form<ops::lt_scalar_out, ops::lt_out>();
  register_number_form<ops::le_scalar, ops::le>();
  register_number_form<ops::le_scalar_, ops::le_>();
  register_number_form<ops::le_scalar_out, ops::le_out>();
  register_number_form<ops::gt_scalar, ops::gt>();
  register_number_form<ops::gt_scalar_, ops::gt_>();
  register_number_form<ops::gt_scalar_out, ops::gt_out>();
  register_number_form<ops::ge_scalar, ops::ge>();
  register_number_form<ops::ge_scalar_, ops::ge_>();
  register_number_form<ops::ge_scalar_out, ops::ge_out>();
  register_number_form<ops::bitwise_and_scalar, ops::bitwise_and>();
  register_number_form<ops::bitwise_and_scalar_, ops::bitwise_and_>();
  register_number_form<ops::bitwise_and_scalar_out, ops::bitwise_and_out>();
  register_number_form<ops::bitwise_and_scalar_base, ops::bitwise_and>();
  register_number_form<ops::bitwise_or_scalar, ops::bitwise_or>();
  register_number_form<ops::bitwise_or_scalar_, ops::bitwise_or_>();
  register_number_form<ops::bitwise_or_scalar_out, ops::bitwise_or_out>();
  register_number_form<ops::bitwise_or_scalar_base, ops::bitwise_or>();
  register_number_form<ops::bitwise_xor_scalar, ops::bitwise_xor>();
  register_number_form<ops::bitwise_xor_scalar_, ops::bitwise_xor_>();
  register_number_form<ops::bitwise_xor_scalar_out, ops::bitwise_xor_out>();
  register_number_form<ops::bitwise_xor_scalar_base, ops::bitwise_xor>();
  register_number_form<ops::bitwise_left_shift_scalar, ops::bitwise_left_shift>();
  register_number_form<ops::bitwise_left_shift_scalar_, ops::bitwise_left_shift_>();
  register_number_form<ops::bitwise_left_shift_scalar_out, ops::bitwise_left_shift_out>();
  register_number_form<ops::bitwise_left_shift_scalar_base, ops::bitwise_left_shift>();
  register_number_form<ops::bitwise_right_shift_scalar, ops::bitwise_right_shift>();
  register_number_form<ops::bitwise_right_shift_scalar_, ops::bitwise_right_shift_>();
  register_number_form<ops::bitwise_right_shift_scalar_out, ops::bitwise_right_shift_out>();
  register_number_form<ops::bitwise_right_shift_scalar_base, ops::bitwise_right_shift>();
  register_without_rule<&isclose, ops::isclose>();
  register_without_rule<&allclose, ops::allclose>();
  register_without_rule<&equal, ops::equal>();
  register_without_gradient<ops::eq, ops::ne, ops::lt, ops::le, ops::gt, ops::ge, ops::logical_not, ops::logical_and,
                            ops::logical_or, ops::logical_xor, ops::isnan, ops::isinf, ops::isfinite, ops::bitwise_and,
                            ops::bitwise_or, ops::bitwise_xor, ops::bitwise_left_shift, ops::bitwise_right_shift>();
}

void register_ternary() {
  register_forms<ternary_forms>();
  register_composite<&where_scalar_self, ops::where_scalar_self>();
  register_composite<&where_scalar_other, ops::where_scalar_other>();
  register_composite<&where_scalar, ops::where_scalar>();
  register_composite<&clamp_tensor, ops::clamp_tensor>();
  register_composite<&clamp_tensor_in_place, ops::clamp_tensor_>();
  register_composite<&clamp_min, ops::clamp_min>();
  register_composite<&clamp_min_in_place, ops::clamp_min_>();
  register_composite<&clamp_min_tensor, ops::clamp_min_tensor>();
  register_composite<&clamp_min_tensor_in_place, ops::clamp_min_tensor_>();
  register_composite<&clamp_max, ops::clamp_max>();
  register_composite<&clamp_max_in_place, ops::clamp_max_>();
  register_composite<&clamp_max_tensor, ops::clamp_max_tensor>();
  register_composite<&clamp_max_tensor_in_place, ops::clamp_max_tensor_>();
  register_composite<&lerp_scalar, ops::lerp_scalar>();
  register_composite<&lerp_scalar_in_place, ops::lerp_scalar_>();
  register_composite<&lerp_scalar_out, ops::lerp_scalar_out>();
  register_composite<&clamp_min_out, ops::clamp_min_out>();
  register_composite<&clamp_max_out, ops::clamp_max_out>();
  register_composite<&clamp_min_tensor_out, ops::clamp_min_tensor_out>();
  register_composite<&clamp_max_tensor_out, ops::clamp_max_tensor_out>();
  register_written<ops::clamp_tensor, ops::clamp_tensor_out>();
}

}  // namespace topbit::detail

// Kernels of the families `comparison` and `ternary`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :comparison.comparison_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

bool none_is_zero(const tensor& t) { return item(aten::sum(aten::logical_not(t))) == 0; }

tensor isclose(const tensor& self, const tensor& other, double rtol, double atol, bool equal_nan) {
  const backend_call c{nullptr, aten::isclose.name()};
  check_same_type(c.op, collect(self, other));
  if (!(rtol >= 0 && atol >= 0)) refuse<error>(c, "found a negative tolerance, wanted rtol and atol of at least 0");
  if (self.dtype() == dtype::boolean) return isclose(to(self, dtype::int8), to(other, dtype::int8), rtol, atol, false);
  tensor close = aten::eq_Tensor(self, other);
  // Differences of integers may overflow.
  if (is_integer(self.dtype())) {
    const tensor a = to(self, dtype::float64), b = to(other, dtype::float64);
    return aten::logical_or(close, isclose(a, b, rtol, atol, false));
  }
  if (equal_nan && is_floating(self.dtype())) {
    close = aten::logical_or(close, aten::logical_and(aten::isnan(self), aten::isnan(other)));
  }
  const tensor difference = aten::abs(aten::sub_Tensor(self, other));
  const tensor allowed = aten::add_Scalar(aten::abs(aten::mul_Scalar(other, rtol)), atol);
  return aten::logical_or(close, aten::logical_and(aten::isfinite(difference), aten::le_Tensor(difference, allowed)));
}
bool allclose(const tensor& self, const tensor& other, double rtol, double atol, bool equal_nan) {
  return none_is_zero(isclose(self, other, rtol, atol, equal_nan));
}
bool equal(const tensor& self, const tensor& other) {
  author::check_one_device(aten::equal, self, other);
  check_same_type(aten::equal.name(), collect(self, other));
  return self.sizes() == other.sizes() && none_is_zero(aten::eq_Tensor(self, other));
}

tensor where_scalar_self(const tensor& condition, const scalar& self, const tensor& other) {
  return aten::where_self(condition, wrapped(other, self), other);
}
tensor where_scalar_other(const tensor& condition, const tensor& self, const scalar& other) {
  return aten::where_self(condition, self, wrapped(self, other));
}
tensor where_scalar(const tensor& condition, const scalar& self, const scalar& other) {
  const auto number = [&](const scalar& s) {
    return aten::full(std::span<const std::int64_t>(), s, arg<"device"> = condition.device());
  };
  return aten::where_self(condition, number(self), number(other));
}

using bound = std::optional<tensor>;

void check_bounds(std::string_view op, const bound& min, const bound& max) {
  if (!min && !max) refuse<error>({nullptr, op}, "found no bound, wanted min, max or both");
}
tensor clamp_tensor(const tensor& self, const bound& min, const bound& max) {
  check_bounds(aten::clamp_Tensor.name(), min, max);
  const tensor above = min ? aten::maximum(self, *min) : self;
  return max ? aten::minimum(above, *max) : above;
}
tensor& clamp_tensor_in_place(tensor& self, const bound& min, const bound& max) {
  check_bounds(aten::clamp_Tensor_.name(), min, max);
  author::check_one_device(aten::clamp_Tensor_, self, min, max);
  // A gradient rule must not save the tensor that is overwritten.
  const bool recorded = requires_grad(self) || (min && requires_grad(*min)) || (max && requires_grad(*max));
  const tensor within = clamp_tensor(recorded ? aten::clone(self) : self, min, max);
  check_result(aten::clamp_Tensor_.name(), within, self);
  return aten::copy_(self, within);
}
tensor clamp_min(const tensor& self, const scalar& min) { return aten::clamp(self, min); }
tensor& clamp_min_in_place(tensor& self, const scalar& min) { return aten::clamp_(self, min); }
tensor clamp_max(const tensor& self, const scalar& max) { return aten::clamp(self, std::nullopt, max); }
tensor& clamp_max_in_place(tensor& self, const scalar& max) { return aten::clamp_(self, std::nullopt, max); }
tensor clamp_min_tensor(const tensor& self, const tensor& min) { return aten::maximum(self, min); }
tensor& clamp_min_tensor_in_place(tensor& self, const tensor& min) {
  if (!requires_grad(self) && !requires_grad(min)) return aten::maximum_out(self, min, self);
  return aten::clamp_Tensor_(self, min, std::nullopt);
}
tensor clamp_max_tensor(const tensor& self, const tensor& max) { return aten::minimum(self, max); }
tensor& clamp_max_tensor_in_place(tensor& self, const tensor& max) {
  if (!requires_grad(self) && !requires_grad(max)) return aten::minimum_out(self, max, self);
  return aten::clamp_Tensor_(self, std::nullopt, max);
}

tensor& clamp_min_out(const tensor& self, const scalar& min, tensor& out) {
  return aten::clamp_out(self, min, std::nullopt, out);
}
tensor& clamp_max_out(const tensor& self, const scalar& max, tensor& out) {
  return aten::clamp_out(self, std::nullopt, max, out);
}
tensor& clamp_min_tensor_out(const tensor& self, const tensor& min, tensor& out) {
  return aten::maximum_out(self, min, out);
}
tensor& clamp_max_tensor_out(const tensor& self, const tensor& max, tensor& out) {
  return aten::minimum_out(self, max, out);
}

tensor lerp_scalar(const tensor& self, const tensor& end, const scalar& weight) {
  return aten::lerp_Tensor(self, end, number_beside(self, weight));
}
tensor& lerp_scalar_in_place(tensor& self, const tensor& end, const scalar& weight) {
  return aten::lerp_Tensor_(self, end, number_beside(self, weight));
}
tensor& lerp_scalar_out(const tensor& self, const tensor& end, const scalar& weight, tensor& out) {
  return aten::lerp_Tensor_out(self, end, number_beside(self, weight), out);
}

// Comparisons and their composites are not differentiable.
template <auto Kernel, const auto& Op>
void register_without_rule() {
  const author::kernel_row rows[] = {author::define(Op), caller_row<Kernel, Op>(key::CompositeExplicitAutograd),
                                     author::fallthrough_row(Op, key::Autograd)};
  author::register_rows(rows);
}

}  // namespace

void register_comparison() {
  register_forms(comparison_forms);
  register_scalar_overload<aten::eq_Scalar, aten::eq_Tensor>();
  register_scalar_overload<aten::eq_Scalar_, aten::eq_Tensor_>();
  register_scalar_overload<aten::eq_Scalar_out, aten::eq_Tensor_out>();
  register_scalar_overload<aten::ne_Scalar, aten::ne_Tensor>();
  register_scalar_overload<aten::ne_Scalar_, aten::ne_Tensor_>();
  register_scalar_overload<aten::ne_Scalar_out, aten::ne_Tensor_out>();
  register_scalar_overload<aten::lt_Scalar, aten::lt_Tensor>();
  register_scalar_overload<aten::lt_Scalar_, aten::lt_Tensor_>();
  register_scalar_overload<aten::lt_Scalar_out, aten::lt_Tensor_out>();
  register_scalar_overload<aten::le_Scalar, aten::le_Tensor>();
  register_scalar_overload<aten::le_Scalar_, aten::le_Tensor_>();
  register_scalar_overload<aten::le_Scalar_out, aten::le_Tensor_out>();
  register_scalar_overload<aten::gt_Scalar, aten::gt_Tensor>();
  register_scalar_overload<aten::gt_Scalar_, aten::gt_Tensor_>();
  register_scalar_overload<aten::gt_Scalar_out, aten::gt_Tensor_out>();
  register_scalar_overload<aten::ge_Scalar, aten::ge_Tensor>();
  register_scalar_overload<aten::ge_Scalar_, aten::ge_Tensor_>();
  register_scalar_overload<aten::ge_Scalar_out, aten::ge_Tensor_out>();
  register_scalar_overload<aten::bitwise_and_Scalar, aten::bitwise_and_Tensor>();
  register_scalar_overload<aten::bitwise_and_Scalar_, aten::bitwise_and_Tensor_>();
  register_scalar_overload<aten::bitwise_and_Scalar_out, aten::bitwise_and_Tensor_out>();
  register_scalar_overload<aten::bitwise_and_Scalar_Tensor, aten::bitwise_and_Tensor>();
  register_scalar_overload<aten::bitwise_or_Scalar, aten::bitwise_or_Tensor>();
  register_scalar_overload<aten::bitwise_or_Scalar_, aten::bitwise_or_Tensor_>();
  register_scalar_overload<aten::bitwise_or_Scalar_out, aten::bitwise_or_Tensor_out>();
  register_scalar_overload<aten::bitwise_or_Scalar_Tensor, aten::bitwise_or_Tensor>();
  register_scalar_overload<aten::bitwise_xor_Scalar, aten::bitwise_xor_Tensor>();
  register_scalar_overload<aten::bitwise_xor_Scalar_, aten::bitwise_xor_Tensor_>();
  register_scalar_overload<aten::bitwise_xor_Scalar_out, aten::bitwise_xor_Tensor_out>();
  register_scalar_overload<aten::bitwise_xor_Scalar_Tensor, aten::bitwise_xor_Tensor>();
  register_scalar_overload<aten::bitwise_left_shift_Tensor_Scalar, aten::bitwise_left_shift_Tensor>();
  register_scalar_overload<aten::bitwise_left_shift_Tensor_Scalar_, aten::bitwise_left_shift_Tensor_>();
  register_scalar_overload<aten::bitwise_left_shift_Tensor_Scalar_out, aten::bitwise_left_shift_Tensor_out>();
  register_scalar_overload<aten::bitwise_left_shift_Scalar_Tensor, aten::bitwise_left_shift_Tensor>();
  register_scalar_overload<aten::bitwise_right_shift_Tensor_Scalar, aten::bitwise_right_shift_Tensor>();
  register_scalar_overload<aten::bitwise_right_shift_Tensor_Scalar_, aten::bitwise_right_shift_Tensor_>();
  register_scalar_overload<aten::bitwise_right_shift_Tensor_Scalar_out, aten::bitwise_right_shift_Tensor_out>();
  register_scalar_overload<aten::bitwise_right_shift_Scalar_Tensor, aten::bitwise_right_shift_Tensor>();
  register_without_rule<&isclose, aten::isclose>();
  register_without_rule<&allclose, aten::allclose>();
  register_without_rule<&equal, aten::equal>();
  register_without_gradient<aten::eq_Tensor, aten::ne_Tensor, aten::lt_Tensor, aten::le_Tensor, aten::gt_Tensor,
                            aten::ge_Tensor, aten::logical_not, aten::logical_and, aten::logical_or, aten::logical_xor,
                            aten::isnan, aten::isinf, aten::isposinf, aten::isneginf, aten::signbit, aten::isfinite,
                            aten::bitwise_and_Tensor, aten::bitwise_or_Tensor, aten::bitwise_xor_Tensor,
                            aten::bitwise_left_shift_Tensor, aten::bitwise_right_shift_Tensor>();
}

void register_ternary() {
  register_forms(ternary_forms);
  register_composite<&where_scalar_self, aten::where_ScalarSelf>();
  register_composite<&where_scalar_other, aten::where_ScalarOther>();
  register_composite<&where_scalar, aten::where_Scalar>();
  register_composite<&clamp_tensor, aten::clamp_Tensor>();
  register_composite<&clamp_tensor_in_place, aten::clamp_Tensor_>();
  register_composite<&clamp_min, aten::clamp_min>();
  register_composite<&clamp_min_in_place, aten::clamp_min_>();
  register_composite<&clamp_min_tensor, aten::clamp_min_Tensor>();
  register_composite<&clamp_min_tensor_in_place, aten::clamp_min_Tensor_>();
  register_composite<&clamp_max, aten::clamp_max>();
  register_composite<&clamp_max_in_place, aten::clamp_max_>();
  register_composite<&clamp_max_tensor, aten::clamp_max_Tensor>();
  register_composite<&clamp_max_tensor_in_place, aten::clamp_max_Tensor_>();
  register_composite<&lerp_scalar, aten::lerp_Scalar>();
  register_composite<&lerp_scalar_in_place, aten::lerp_Scalar_>();
  register_composite<&lerp_scalar_out, aten::lerp_Scalar_out>();
  register_composite<&clamp_min_out, aten::clamp_min_out>();
  register_composite<&clamp_max_out, aten::clamp_max_out>();
  register_composite<&clamp_min_tensor_out, aten::clamp_min_Tensor_out>();
  register_composite<&clamp_max_tensor_out, aten::clamp_max_Tensor_out>();
  register_out_variants<aten::clamp_Tensor, aten::clamp_Tensor_out>();
}

}  // namespace topbit::detail

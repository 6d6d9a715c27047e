module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :elementwise.elementwise;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

std::string_view wanted_types(const elementwise_facts& f) {
  if (f.accepts_bool() && f.accepts_integers()) return f.accepts_floats() ? "any dtype" : "integers or bool";
  if (f.accepts_integers()) return f.accepts_floats() ? "numbers" : "integers";
  return "a floating type";
}

std::string types_of(const elementwise_arguments& a) {
  std::string text;
  for (const tensor* t : a.operands()) text += (text.empty() ? "" : " and ") + std::string(name_of(t->dtype()));
  return text;
}

}  // namespace

dtype elementwise_type(std::string_view op, elementwise code, const elementwise_arguments& a) {
  const backend_call c{nullptr, op};
  const elementwise_facts& facts = facts_of(code);
  for (const tensor* t : a.operands()) check_defined(c, *t);
  const auto typed = a.operands().subspan(facts.has_condition() ? 1 : 0);
  dtype type = promoted(typed);
  const bool accepted = is_floating(type)  ? facts.accepts_floats()
                        : is_integer(type) ? facts.accepts_integers()
                                           : facts.accepts_bool();
  if (!accepted) refuse<dtype_error>(c, "found " + types_of(a) + ", wanted " + std::string(wanted_types(facts)));
  if (facts.result == result_rule::floating) type = to_floating(type);
  if (facts.result == result_rule::number && type == dtype::boolean) type = dtype::int64;
  if (facts.number_in_type()) {
    const scalar& number = a.number[0];
    if (is_floating(number.type()) && !is_floating(type)) {
      refuse<dtype_error>(c, "found the number " + to_string(number) + " for " + std::string(name_of(type)) +
                                 " tensors, wanted an integer");
    }
    if (type == dtype::boolean && number.to_int64() != 1) {
      refuse<dtype_error>(c, "found alpha " + to_string(number) + " for bool tensors, wanted 1");
    }
  }
  return type;
}

namespace {

bool is_host_scalar(const tensor& t) noexcept { return t.dim() == 0 && t.device().type == backend::CPU; }

}  // namespace

result_meta broadcast_meta(std::string_view op, const elementwise_arguments& a, dtype type) {
  const auto in = a.operands();
  shape sizes = in[0]->sizes();
  for (const tensor* t : in.subspan(1)) sizes = broadcast(op, sizes, t->sizes());
  const auto placed = std::ranges::find_if(in, [](const tensor* t) { return !is_host_scalar(*t); });
  return {sizes, type, (placed == in.end() ? in[0] : *placed)->device(), author::result_strides(sizes, in)};
}

result_meta elementwise_meta(std::string_view op, elementwise code, const elementwise_arguments& a) {
  const dtype type = elementwise_type(op, code, a);
  result_meta m = broadcast_meta(op, a, type);
  if (facts_of(code).is_predicate()) m.computed = std::exchange(m.type, dtype::boolean);
  return m;
}

void run_elementwise(backend_call c, elementwise code, const elementwise_arguments& a, const tensor& out) {
  run_elementwise_in(c, code, elementwise_type(c.op, code, a), a, out);
}

void run_elementwise_in(backend_call c, elementwise code, dtype type, const elementwise_arguments& a,
                        const tensor& out) {
  if (out.numel() == 0) return;
  std::array<const tensor*, author::max_operands> operands{&out};
  std::ranges::copy(a.operands(), operands.begin() + 1);
  std::array<tensor, author::max_operands> moved;
  bool crosses = false;
  for (std::size_t i = 1; i <= a.inputs; ++i) {
    if (operands[i]->device() == out.device()) continue;
    crosses = true;
    if (c.table->host_scalars != 0) continue;
    moved[i] = author::make_tensor({}, operands[i]->dtype(), out.device());
    copy(c, moved[i], *operands[i]);
    operands[i] = &moved[i];
  }
  tb_elementwise call{plan_of(c, {operands.data(), a.inputs + 1}),
                      static_cast<std::int32_t>(code),
                      compute_code(type),
                      {to_abi(a.number[0]), to_abi(a.number[1]), to_abi(a.number[2])}};
  for (std::size_t i = 1; crosses && i <= a.inputs; ++i) {
    call.plan.operand[i].on_host = operands[i]->device() != out.device();
  }
  const tensor& blamed = a.inputs == 0 ? out : *a.in[a.inputs - 1];
  check_status(c, run_kernel(c, out, c.table->elementwise, &call), blamed);
}

}  // namespace topbit::detail

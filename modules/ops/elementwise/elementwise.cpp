module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(elementwise::count) == TB_ELEMENTWISE_COUNT);
static_assert(static_cast<int>(elementwise::gelu_tanh) == TB_GELU_TANH && static_cast<int>(elementwise::add) == TB_ADD);
static_assert(static_cast<int>(elementwise::sqrt) == TB_SQRT && static_cast<int>(elementwise::erf) == TB_ERF);
static_assert(static_cast<int>(elementwise::isnan) == TB_ISNAN && static_cast<int>(elementwise::atan2) == TB_ATAN2);
static_assert(static_cast<int>(elementwise::bitwise_and) == TB_BITWISE_AND &&
              static_cast<int>(elementwise::ge) == TB_GE);
static_assert(static_cast<int>(elementwise::lerp) == TB_LERP && static_cast<int>(elementwise::eq) == TB_EQ);

namespace {

std::string_view wanted_types(accepted_types t) {
  if (t.boolean && t.integer) return t.floating ? "any dtype" : "integers or bool";
  if (t.integer) return t.floating ? "numbers" : "integers";
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
  const elementwise_facts facts = facts_of(code);
  for (const tensor* t : a.operands()) check_defined(c, *t);
  const auto typed = a.operands().subspan(facts.condition ? 1 : 0);
  dtype type = promoted(typed);
  const accepted_types& accepts = facts.accepts;
  const bool fits = is_floating(type) ? accepts.floating : is_integer(type) ? accepts.integer : accepts.boolean;
  if (!fits) refuse<dtype_error>(c, "found " + types_of(a) + ", wanted " + std::string(wanted_types(accepts)));
  if (facts.result == result_rule::floating) type = to_floating(type);
  if (facts.result == result_rule::number && type == dtype::boolean) type = dtype::int64;
  if (facts.in_type) {
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
  return broadcast_meta(op, a, facts_of(code).result == result_rule::predicate ? dtype::boolean : type);
}

void run_elementwise(backend_call c, elementwise code, const elementwise_arguments& a, const tensor& out) {
  run_elementwise_in(c, code, elementwise_type(c.op, code, a), a, out);
}

void run_elementwise_in(backend_call c, elementwise code, dtype type, const elementwise_arguments& a,
                        const tensor& out) {
  if (out.numel() == 0) return;
  std::array<const tensor*, author::max_operands> operands{&out};
  std::ranges::copy(a.operands(), operands.begin() + 1);
  tb_elementwise call{};
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
  call.plan = plan_of(c, {operands.data(), a.inputs + 1});
  for (std::size_t i = 1; crosses && i <= a.inputs; ++i) {
    call.plan.operand[i].on_host = operands[i]->device() != out.device();
  }
  call.op = static_cast<std::int32_t>(code);
  call.compute = compute_code(type);
  for (std::size_t i = 0; i < a.number.size(); ++i) call.number[i] = to_abi(a.number[i]);
  const tensor& blamed = a.inputs == 0 ? out : *a.in[a.inputs - 1];
  check_status(c, present(c, c.table->elementwise)(&call, nullptr), blamed);
}

}  // namespace topbit::detail

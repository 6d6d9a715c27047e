// What the facts of an elementwise operation (kernels/abi/elementwise.def) say on its page. Internal.
module;

#include <topbit/elementwise_facts.h>

module topbit.operator_docs:elementwise;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :derived;
import :sentences;

namespace topbit::detail {

using tb_kernel::elementwise;
using tb_kernel::elementwise_facts;

// "self: [..], other: [..]", of the form that takes most operands as tensors.
constexpr page_text operands_of(std::span<const author::schema_view> operators) noexcept {
  page_text most;
  for (const author::schema_view& s : operators) {
    page_text text;
    for (const author::schema_item& a : s.arguments) {
      if (a.type == "Tensor" && !author::is_out(a)) text.add(text.ok() ? "" : ", ").add(a.name).add(": [..]");
    }
    if (text.size() > most.size()) most = text;
  }
  return most;
}

template <elementwise Code, const auto&... Op>
constexpr page_text shapes_of_operands() {
  page_text text = operands_of(page_schemas<Op...>);
  if (tb_kernel::facts_of(Code).inputs == 1) return text.add(" -> the same");
  return text.add(page_forms_of<Op...>.in_place ? " -> their broadcast; in place self's" : " -> their broadcast");
}

template <elementwise Code, const auto&... Op>
constexpr page_text dtypes_of_operands() {
  using tb_kernel::result_rule;
  constexpr elementwise_facts f = tb_kernel::facts_of(Code);
  constexpr page_forms forms = page_forms_of<Op...>;
  page_text text;
  if (!f.accepts_floats())
    text.add(f.accepts_bool() ? "integers and bool" : "integers");
  else
    text.add(f.accepts_bool() ? "any" : f.accepts_integers() ? "numbers" : "floating");
  if (f.inputs > 1) {
    text.add(f.inputs == 2 ? "; both are promoted" : "; all are promoted");
    if (f.result == result_rule::floating) return text.add(", integers and bool to float32");
    if (f.result == result_rule::same && f.accepts_floats())
      text.add(
          ", where a number or a zero-dimensional tensor counts only in a higher category (bool, integers, floating)");
  }
  if (f.is_predicate()) {
    text.add("; the result is bool");
    if (forms.in_place || forms.out)
      text.add(forms.in_place ? ", in place and in out 1 and 0 of that dtype" : ", in out 1 and 0 of that dtype");
  } else if (f.result == result_rule::floating) {
    text.add("; the result is floating: of self's dtype, or float32 for integers and bool");
  } else if (f.inputs == 1) {
    text.add(f.result == result_rule::number ? "; the result has self's dtype, int64 for bool"
                                             : "; the result has self's dtype");
  }
  return text;
}

template <elementwise Code, const auto&... Op>
constexpr page_text memory_of_operands() {
  constexpr page_forms forms = page_forms_of<Op...>;
  page_text text;
  text.add("the result is new and dense, in the memory order of ")
      .add(tb_kernel::facts_of(Code).inputs == 1 ? "self" : "the operands");
  if (forms.in_place) text.add("; or self");
  if (!forms.out) return text;
  return text.add(forms.in_place ? " or " : "; or ")
      .add(names_of_outs(page_schemas<Op...>, " and ").view())
      .add(", which may be an operand, and costs a copy if it overlaps one partly");
}

template <elementwise Code, const auto&... Op>
consteval std::string_view cost_of_operands() {
  constexpr std::size_t inputs = tb_kernel::facts_of(Code).inputs;
  if (inputs == 1) return "one pass; elements are converted on the way";
  if (page_forms_of<Op...>.fewest_tensors == inputs)
    return "one pass; operands are converted and broadcast on the way, not copied";
  return "one pass; operands are converted and broadcast on the way, not copied, and a number is first made a tensor";
}

// The error that follows from the dtypes line: what the operation does not compute with.
consteval void add_refused_dtypes(page_lines& lines, int inputs) {
  const auto refuse = [&](std::string_view one, std::string_view several) {
    add_error(lines, raises<dtype_error>(inputs == 1 ? one : several));
  };
  if (lines.dtypes.starts_with("numbers")) refuse("self is bool", "the operands are bool");
  if (lines.dtypes.starts_with("floating")) refuse("self is not floating", "no operand is floating");
  if (lines.dtypes.starts_with("integers and bool")) return refuse("self is floating", "an operand is floating");
  if (lines.dtypes.starts_with("integers")) refuse("", "an operand is floating, or all are bool");
}

// The errors about self in place and about out; the result of one operand has its shape, and mostly its dtype.
template <elementwise Code, const auto&... Op>
consteval void add_written_errors(page_lines& lines) {
  constexpr elementwise_facts f = tb_kernel::facts_of(Code);
  constexpr page_forms forms = page_forms_of<Op...>;
  constexpr auto in_place_or_out = forms.out ? written_forms::both : written_forms::in_place;
  constexpr bool keeps_dtype = f.inputs == 1 && f.result == tb_kernel::result_rule::same;
  if constexpr (forms.in_place && (forms.out || f.inputs > 1))
    add_error(lines, written_has_other_shape<in_place_or_out, Op...>());
  else if constexpr (forms.out)
    add_error(lines, written_has_other_shape<written_forms::out, Op...>());
  if constexpr (f.is_predicate())
    return;
  else if constexpr (forms.in_place && !keeps_dtype)
    add_error(lines, written_has_lower_dtype<in_place_or_out, Op...>());
  else if constexpr (forms.out)
    add_error(lines, written_has_lower_dtype<written_forms::out, Op...>());
}

/// The page of an elementwise operation: its own lines, and what follows from its facts and the schemas.
template <elementwise Code, const auto&... Op>
consteval operator_page page(page_lines own) {
  constexpr int inputs = tb_kernel::facts_of(Code).inputs;
  page_lines lines = completed(own, {.shapes = composed<[] { return shapes_of_operands<Code, Op...>(); }>(),
                                     .dtypes = composed<[] { return dtypes_of_operands<Code, Op...>(); }>(),
                                     .memory = composed<[] { return memory_of_operands<Code, Op...>(); }>(),
                                     .cost = cost_of_operands<Code, Op...>()});
  add_refused_dtypes(lines, inputs);
  if (inputs > 1) add_error(lines, no_broadcast({}));
  add_written_errors<Code, Op...>(lines);
  add_form_errors<Op...>(lines, false);
  return author::page<Op...>(lines);
}

}  // namespace topbit::detail

// Why is this not a valid call of that operator? The message for what callable_with refuses.
export module topbit.core:operators.call_mistake;

import topbit.std;
import :operators.call;
import :schema.default_value;
import :schema.signature;
import :text.nearest;
import :text.text;

namespace topbit {

namespace detail {

template <class Op, std::size_t I, class... B>
consteval void explain_source(author::verdict& v) {
  if (!v.ok()) return;
  constexpr std::size_t source = sources<Op, B...>[I];
  if constexpr (source == from_nowhere) {
    add_argument<Op>(v, I);
    v.add(": missing, and it has no default");
  } else if constexpr (source == from_default) {
    if constexpr (!default_for<std::remove_cvref_t<parameter_of<Op, I>>, Op, I>) {
      add_argument<Op>(v, I);
      v.add(": the default '").add(Op::default_text(I)).add("' has no C++ value; pass it, or specialise ");
      v.add("topbit::author::schema_default for the argument's type");
    }
  } else {
    using wanted = parameter_of<Op, I>;
    using found = given_type<B...[source]>;
    if constexpr (stands_for_list<Op, I, found>) {
      return;
    } else if constexpr (!std::is_convertible_v<found, wanted> && !written_temporary<wanted, found>) {
      add_argument<Op>(v, I);
      v.add(": found '").add(type_name<std::remove_reference_t<found>>()).add("', wanted '").add(type_name<wanted>());
      v.add("'");
      if constexpr (std::is_lvalue_reference_v<wanted> && !std::is_const_v<std::remove_reference_t<wanted>>) {
        v.add(", which is written to and must be a variable");
      }
    } else if constexpr (!converts_to<wanted, found>) {
      add_argument<Op>(v, I);
      v.add(": '").add(type_name<std::remove_cvref_t<wanted>>()).add("' does not hold every '");
      v.add(type_name<std::remove_cvref_t<found>>()).add("'; convert it with static_cast");
    }
  }
}

// Empty if none is near.
template <class Op>
consteval std::string_view nearest_argument(std::string_view wanted) {
  std::size_t row[64]{};
  std::size_t least = other_word(wanted);
  std::string_view best;
  for (std::size_t i = 0; i < Op::arity; ++i) {
    const std::string_view name = Op::argument_name(i);
    if (name.empty() || name.size() >= std::size(row)) continue;
    if (const std::size_t distance = edit_distance(wanted, name, row); distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

template <class Op, bool Full, class... B>
consteval void explain_names(author::verdict& v) {
  const std::array<std::string_view, sizeof...(B)> names{name_given<std::remove_cvref_t<B>>...};
  const std::array<bool, sizeof...(B)> stored{is_stored_name<B>...};
  for (std::size_t b = 0; b < names.size(); ++b) {
    if (!stored[b]) continue;
    v.add(Op::name())
        .add(": argument '")
        .add(names[b])
        .add("' is given by a variable, and its value may be gone; write ");
    v.add("arg<\"").add(names[b]).add("\"> = ... in the call");
    return;
  }
  constexpr std::size_t positional = positional_count<B...>();
  for (std::size_t b = 0; b < positional; ++b) {
    if (names[b].empty()) continue;
    // Somewhere behind this one is one more by position.
    while (!names[b].empty()) ++b;
    v.add(Op::name()).add(": argument ").add(b + 1).add(" is given by position, after one by name");
    return;
  }
  for (std::size_t b = 0; b < names.size(); ++b) {
    if (!v.ok()) return;
    if (names[b].empty()) {
      if (b >= Op::arity) {
        v.add(Op::name()).add(": found ").add(positional).add(positional == 1 ? " argument" : " arguments");
        v.add(", wanted at most ").add(Op::arity);
      } else if (Op::is_keyword_only(b) && (!Full || positional != Op::arity || some_stand_for_lists<Op, B...>())) {
        add_argument<Op>(v, b);
        v.add(": given by position, but it is keyword-only; write arg<\"").add(Op::argument_name(b)).add("\"> = ...");
      }
      continue;
    }
    std::size_t place = Op::arity;
    for (std::size_t i = 0; i < Op::arity; ++i) {
      if (Op::argument_name(i) == names[b]) place = i;
    }
    if (place == Op::arity) {
      v.add(Op::name()).add(": has no argument '").add(names[b]).add("'");
      if (const std::string_view near = nearest_argument<Op>(names[b]); !near.empty())
        v.add("; the nearest name is '").add(near).add("'");
      if constexpr (Op::arity != 0) {
        if (Op::argument_name(0).empty()) v.add("; declared without a schema, its arguments have no names");
      }
    } else if (place < positional) {
      add_argument<Op>(v, place);
      v.add(": given twice, by position and by name");
    }
    for (std::size_t other = 0; other < b; ++other) {
      if (v.ok() && names[other] == names[b])
        v.add(Op::name()).add(": argument '").add(names[b]).add("' is given twice");
    }
  }
}

/// Why `op(b...)` is not a valid call; empty if it is one. Full: keyword-only arguments may go by position where all
/// do.
template <class Op, bool Full, class... B>
consteval author::verdict explain_arguments() {
  author::verdict v;
  explain_names<Op, Full, B...>(v);
  if (v.ok()) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (explain_source<Op, I, B...>(v), ...);
    }(std::make_index_sequence<Op::arity>{});
  }
  return v;
}
template <class Op, class... B>
consteval author::verdict explain_call() {
  return explain_arguments<Op, true, B...>();
}
/// Why an overload set does not call it.
template <class Op, class... B>
consteval author::verdict explain_fit() {
  return explain_arguments<Op, false, B...>();
}

}  // namespace detail

}  // namespace topbit

// Rules: functions that belong to an operator and have a signature that follows from the operator's. A kernel is one of
// them; other modules have kinds of their own. Which function is a rule is a comparison of two types; why one is none
// is a sentence.
export module topbit.core:dispatch.rule_kind;

import topbit.std;
import :dispatch.function_type;
import :schema.mismatch;
import :text.text;

namespace topbit {

/// For authors of operator libraries and backends.
export namespace author {

/// What an argument of a rule stands for: the operator's argument `of`, counted from 0, or something about it, "batch
/// dimension". A role without an argument, an index no argument has, stands alone: "result".
struct rule_argument {
  std::size_t of = static_cast<std::size_t>(-1);
  std::string_view role = {};
};

/// A function of type F has the types that rules of this kind have for the operator. Instantiated once for all
/// functions of that type and all operators of that signature, so a rule that is right costs the compiler next to
/// nothing.
template <class F, class Op, class Kind>
concept function_for = detail::fits<F, typename Kind::template signature<typename Op::signature>, Kind::takes_keys>;

}  // namespace author

namespace detail {

/// Something declared as op<...>.
template <class T>
concept typed_operator = requires {
  typename T::signature;
  T::schema();
};

// What the registry must know of an operator: `value`, an operator_info. See :op.
template <class Op>
struct info_of;

// A type as found in code; a lambda without the place where it stands, which is in the notes.
template <class T>
consteval void add_found(author::verdict& v) {
  if constexpr (typed_operator<T>)
    v.add("the operator '").add(T::name()).add("'");
  else if (type_name<T>().find("(lambda at ") != std::string_view::npos ||
           type_name<T>().find("<lambda(") != std::string_view::npos)
    v.add("a lambda");
  else
    v.add("'").add(type_name<T>()).add("'");
}

/// Why this is no function that a call could be passed on to; to be said where it is none.
template <class F>
consteval void explain_no_function(author::verdict& v) {
  v.add("needs a function or a lambda without captures, found ");
  if constexpr (std::is_member_function_pointer_v<F>) {
    v.add("the member function '").add(type_name<F>()).add("'; there is no object to call it on, make it static");
    return;
  }
  add_found<F>(v);
  if constexpr (typed_operator<F>) {
    v.add("; write a function that calls it");
  } else if constexpr (requires { &F::operator(); }) {
    if constexpr (!std::is_empty_v<F>)
      v.add(" with captures or members; pass what it needs as arguments of the call");
    else
      v.add(" whose call operator is not const; remove 'mutable'");
  } else if constexpr (std::is_class_v<F>) {
    v.add(" without one call operator of known types; write the types, a template or an overload set has none");
  }
}

template <class T>
consteval author::verdict explain_no_operator(std::string_view what) {
  author::verdict v;
  v.add(what).add(": needs an operator, found ");
  if constexpr (requires { T::rules::name; })
    return v.add("the function ").add(T::rules::name).add(", which stands for several; give the handle of one");
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    v.add("a text");
  else
    v.add("'").add(type_name<T>()).add("'");
  return v.add("; declare one with its types, topbit::op<\"ns::name(int x) -> int\">");
}

// What a kind of rule does not say is as with kernels: its arguments are the operator's.
template <class Op, class Kind>
consteval auto argument_labels() {
  constexpr auto subjects = [] {
    if constexpr (requires { Kind::template arguments<typename Op::signature>; }) {
      return Kind::template arguments<typename Op::signature>;
    } else {
      std::array<author::rule_argument, Op::arity> own;
      for (std::size_t i = 0; i < own.size(); ++i) own[i].of = i;
      return own;
    }
  }();
  std::array<argument_label, subjects.size()> labels;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = {Op::argument_name(subjects[i].of), subjects[i].role};
  return labels;
}
template <class Kind>
consteval std::string_view part_of() {
  if constexpr (requires { Kind::part; })
    return Kind::part;
  else
    return {};
}
template <class Kind>
consteval std::string_view result_mend_of() {
  if constexpr (requires { Kind::result_mend; })
    return Kind::result_mend;
  else
    return {};
}

template <class F, class Op, class Kind>
consteval author::verdict explain_rule() {
  author::verdict v;
  if constexpr (!typed_operator<Op>) {
    v = explain_no_operator<Op>(Kind::name);
  } else if constexpr (!author::function_for<F, Op, Kind>) {
    using declared = function_type<F>;
    using wanted = Kind::template signature<typename Op::signature>;
    if constexpr (std::is_void_v<declared>) {
      begin_sentence(v, Kind::name, Op::name(), part_of<Kind>());
      v.add(": ");
      explain_no_function<F>(v);
    } else {
      constexpr auto labels = argument_labels<Op, Kind>();
      v = explain_difference({.kind = Kind::name,
                              .op = Op::name(),
                              .part = part_of<Kind>(),
                              .arity = Kind::name == "kernel" ? "the schema has" : "the schema needs",
                              .wanted = types_of<wanted>::value,
                              .found = types_of<called_type<F, Kind::takes_keys>>::value,
                              .labels = labels,
                              .result_mend = result_mend_of<Kind>(),
                              .has_schema = !info_of<std::remove_const_t<Op>>::value.schema.empty(),
                              .may_take_keys = Kind::takes_keys,
                              .keys_stripped = Kind::takes_keys && takes_keys<declared>});
    }
  }
  return v;
}

}  // namespace detail

/// For authors of operator libraries and backends.
export namespace author {

/// Fn is a rule of this kind for the operator: its types are those that the kind computes from the operator's. A kind
/// is a struct with
///   static constexpr std::string_view name = "batching rule";         for sentences
///   static constexpr bool takes_keys = false;                         true: a key set may come first, as in kernels
///   template <class Sig> using signature = ...;                       of a rule, from the operator's
/// and, where its arguments are not the operator's,
///   template <class Sig> static constexpr std::array<rule_argument, N> arguments{...};
///   static constexpr std::string_view part = "backward()";            which function of a rule it is
///   static constexpr std::string_view result_mend = "; ...";          how to fix a wrong result
template <auto Fn, class Op, class Kind>
concept rule_for = function_for<decltype(Fn), Op, Kind>;

/// Why it is none: "batching rule for ns::name, argument 2, batch dimension of 'self': ..."; empty if it is one.
template <auto Fn, class Op, class Kind>
consteval verdict explain_rule() {
  return detail::explain_rule<decltype(Fn), Op, Kind>();
}

/// The same for a function known by its type alone.
template <class F, class Op, class Kind>
consteval verdict explain_rule() {
  return detail::explain_rule<F, Op, Kind>();
}

/// Does not compile where Fn is no such rule, with explain_rule() as the error. For what takes a rule from its users.
template <auto Fn, class Op, class Kind>
consteval void require_rule() {
  if constexpr (!rule_for<Fn, Op, Kind>) static_assert(rule_for<Fn, Op, Kind>, explain_rule<Fn, Op, Kind>());
}

}  // namespace author

}  // namespace topbit

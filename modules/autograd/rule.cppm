// Gradient rules: two functions whose types follow from an operator's signature, checked at compile time.
//
// A rule is a struct that stores what backward needs:
//   static Rule save(arguments of the operator..., const results& result);
//   gradients backward(gradient of the result, wanted) const;
// with a gradient for each of the N tensor or optional tensor arguments, an undefined tensor for zero:
//   std::array<tensor, N> backward(const tensor& gradient, std::array<bool, N> wanted) const;
// Several results have `const std::array<tensor, R>&`, a list of them a `std::span<const tensor>`, in which an
// undefined tensor stands for zero. Where an argument is a list of tensors there is a gradient for each of its
// elements:
//   std::vector<tensor> backward(const tensor& gradient, std::span<const bool> wanted) const;
// A gradient may have the shape that the argument was broadcast to, and another floating dtype: it is reduced and
// converted. An in-place operator has the rule of the functional form.
export module topbit.autograd:rule;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

template <class T>
inline constexpr bool is_tensor = std::same_as<std::remove_cvref_t<T>, tensor>;

// The element type of an optional or a list, at any depth.
template <class T>
struct held {
  using type = T;
};
template <class T>
struct held<std::optional<T>> : held<T> {};
template <class T>
struct held<std::span<const T>> : held<T> {};
template <class T>
struct held<std::vector<T>> : held<T> {};
template <class T>
using held_t = held<std::remove_cvref_t<T>>::type;

// How many gradients an argument has: one, none, or as many as its list is long.
template <class A>
inline constexpr std::size_t edges_of = 0;
template <>
inline constexpr std::size_t edges_of<const tensor&> = 1;
template <>
inline constexpr std::size_t edges_of<tensor&> = 1;
template <>
inline constexpr std::size_t edges_of<const std::optional<tensor>&> = 1;
template <class A>
inline constexpr bool is_tensor_list =
    std::same_as<A, std::span<const tensor>> || std::same_as<A, std::span<const std::optional<tensor>>>;

// The gradients of results that a rule receives.
template <class R>
struct gradients_of_results {};
template <>
struct gradients_of_results<tensor> {
  using type = const tensor&;
};
template <>
struct gradients_of_results<std::vector<tensor>> {
  using type = std::span<const tensor>;
};
template <class... R>
struct gradients_of_results<std::tuple<R...>> {
  static constexpr std::size_t count = (std::size_t{0} + ... + (std::same_as<R, tensor> ? 1 : 0));
  using type = const std::array<tensor, count>&;
};
template <class R>
inline constexpr bool has_tensor_results = requires { typename gradients_of_results<R>::type; };

// The signature of a rule's backward().
template <class Sig>
struct backward_of {
  using type = void;
};
template <class R, class... A>
  requires has_tensor_results<R>
struct backward_of<R(A...)> {
  static constexpr bool listed = (is_tensor_list<A> || ...);
  static constexpr std::size_t edges = (std::size_t{0} + ... + edges_of<A>);
  using gradient = gradients_of_results<R>::type;
  using wanted = std::conditional_t<listed, std::span<const bool>, std::array<bool, edges>>;
  using result = std::conditional_t<listed, std::vector<tensor>, std::array<tensor, edges>>;
  using type = result(gradient, wanted);
};

// Of an operator that writes to its first argument, the one that returns a new tensor.
template <class Sig>
struct functional_of {
  using type = Sig;
};
template <class... A>
struct functional_of<tensor&(tensor&, A...)> {
  using type = tensor(const tensor&, A...);
};
template <class Sig>
using functional_t = functional_of<Sig>::type;

template <class Rule, class Sig>
struct saving_of;
template <class Rule, class R, class... A>
struct saving_of<Rule, R(A...)> {
  using type = Rule(A..., const R&);
  using subjects = std::array<author::rule_argument, sizeof...(A) + 1>;
  static constexpr subjects arguments_and_result = [] {
    subjects all;
    for (std::size_t i = 0; i < sizeof...(A); ++i) all[i].of = i;
    all.back().role = "result";
    return all;
  }();
  static constexpr bool callable = requires {
    { Rule::save(std::declval<A>()..., std::declval<const R&>()) } -> std::same_as<Rule>;
  };
};

// The two functions of a rule, as kinds of their own.
template <class Rule>
struct saving_kind {
  static constexpr std::string_view name = "autograd rule", part = "save()";
  static constexpr bool takes_keys = false;
  static constexpr std::string_view result_mend = "; it returns the rule";
  template <class Sig>
  using signature = saving_of<Rule, functional_t<Sig>>::type;
  template <class Sig>
  static constexpr saving_of<Rule, functional_t<Sig>>::subjects arguments =
      saving_of<Rule, functional_t<Sig>>::arguments_and_result;
};
struct backward_kind {
  static constexpr std::string_view name = "autograd rule", part = "backward()";
  static constexpr bool takes_keys = false;
  static constexpr std::string_view result_mend = "; one gradient for each tensor argument of the operator";
  template <class Sig>
  using signature = backward_of<functional_t<Sig>>::type;
  template <class Sig>
  static constexpr std::array<author::rule_argument, 2> arguments{
      {{.role = "gradient of the result"}, {.role = "gradients that are wanted"}}};
};

template <class F>
struct call_of_member {
  using type = void;
};
template <class C, class R, class... A>
struct call_of_member<R (C::*)(A...) const> {
  using type = R(A...);
};
template <class C, class R, class... A>
struct call_of_member<R (C::*)(A...) const noexcept> {
  using type = R(A...);
};

// Types that hold tensors in another form would lose their gradients. Types that bring keys but select no device hold
// none, such as a generator.
template <class A>
consteval void explain_rule_argument(author::verdict& v, std::string_view op, std::size_t index,
                                     std::string_view name) {
  if (!v.ok() || !keyed<held_t<A>> || !author::selects_device<held_t<A>> || edges_of<A> != 0 || is_tensor_list<A>)
    return;
  v.add("autograd rule for ").add(op).add(", argument ").add(index + 1);
  if (!name.empty()) v.add(" '").add(name).add("'");
  v.add(": found '").add(type_name<A>()).add("', a rule takes tensors, optional tensors and lists of them; ");
  v.add("write the kernel for key::Autograd by hand");
}
template <class Op, class R, class... A>
consteval author::verdict explain_differentiable(std::type_identity<R(A...)>) {
  author::verdict v;
  std::size_t i = 0;
  ((explain_rule_argument<A>(v, Op::name(), i, Op::argument_name(i)), ++i), ...);
  if constexpr (!has_tensor_results<R>) {
    if (v.ok()) {
      v.add("autograd rule for ").add(Op::name()).add(", result: found '").add(type_name<R>());
      v.add("', a rule differentiates tensors, a tuple with tensors or a list of them; ");
      v.add("write the kernel for key::Autograd by hand");
    }
  }
  return v;
}

consteval author::verdict lacks_function(std::string_view op, std::string_view what, std::string_view form) {
  author::verdict v;
  v.add("autograd rule for ").add(op).add(": needs ").add(what).add(", ").add(form);
  return v.add("; found none that takes and returns this");
}

// A function that is a template or overloaded has no type of its own; it is asked whether it can be called instead.
template <class Rule, class Op>
consteval author::verdict explain_saving() {
  if constexpr (requires { &Rule::save; })
    return author::explain_rule<decltype(&Rule::save), Op, saving_kind<Rule>>();
  else if constexpr (saving_of<Rule, functional_t<typename Op::signature>>::callable)
    return {};
  else
    return lacks_function(Op::name(), "save()",
                          "static, of the operator's arguments and the result, that returns the rule");
}
template <class Rule, class Op>
consteval author::verdict explain_backward() {
  using wanted = backward_of<functional_t<typename Op::signature>>;
  constexpr std::string_view form = "'std::array<tensor, N> backward(const tensor&, std::array<bool, N>) const'";
  if constexpr (requires { &Rule::backward; }) {
    using call = call_of_member<decltype(&Rule::backward)>::type;
    if constexpr (std::is_void_v<call>)
      return lacks_function(Op::name(), "backward()", form);
    else
      return author::explain_rule<call, Op, backward_kind>();
  } else if constexpr (requires(const Rule rule, typename wanted::gradient gradient, typename wanted::wanted which) {
                         { rule.backward(gradient, which) } -> std::same_as<typename wanted::result>;
                       }) {
    return {};
  } else {
    return lacks_function(Op::name(), "backward()", form);
  }
}

/// Why this is no rule for the operator; empty if it is one.
template <class Rule, class Op>
consteval author::verdict explain_gradient_rule() {
  author::verdict v = explain_differentiable<Op>(std::type_identity<functional_t<typename Op::signature>>{});
  if constexpr (explain_differentiable<Op>(std::type_identity<functional_t<typename Op::signature>>{}).ok()) {
    v = explain_saving<Rule, Op>();
    if (v.ok()) v = explain_backward<Rule, Op>();
  }
  return v;
}

}  // namespace detail

/// A gradient formula for this operator. See the head of this file for what it needs.
export template <class Rule, class Op>
concept gradient_rule = detail::explain_gradient_rule<Rule, Op>().ok();

}  // namespace topbit

// From a rule to a kernel: the Autograd kernel of an operator is generated from its gradient formula.
//
// A rule is a struct that keeps what backward needs:
//   static Rule save(arguments of the operator..., const tensor& result);
//   std::array<tensor, N> backward(const tensor& gradient, std::array<bool, N> wanted) const;   // N tensor arguments
// The kernel redispatches below autograd and, if an argument requires its gradient, hangs a node on the result.
export module topbit.autograd:rule;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :mode;
import :node;
import :variable;

namespace topbit {

namespace detail {

template <class T>
inline constexpr bool is_tensor = std::same_as<std::remove_cvref_t<T>, tensor>;

// What an optional or a list holds, to any depth.
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

template <class T, class Visit>
void each_tensor(const T& x, Visit&& visit) {
  if constexpr (is_tensor<T>) {
    visit(x);
  } else if constexpr (is_tensor<held_t<T>>) {
    if constexpr (requires { x.has_value(); }) {
      if (x.has_value()) each_tensor(*x, visit);
    } else {
      for (const auto& y : x) each_tensor(y, visit);
    }
  }
}

template <class T>
void add_edge(std::vector<intrusive_ptr<node>>& edges, const T& x) {
  if constexpr (is_tensor<T>) edges.push_back(author::gradient_edge(x));
}

template <class T>
bool is_handle_of(const tensor& result, const T& x) noexcept {
  if constexpr (is_tensor<T>)
    return result.same_as(x);
  else
    return false;
}

template <class T>
bool wants_grad(const T& x) noexcept {
  bool wanted = false;
  each_tensor(x, [&](const tensor& t) { wanted = wanted || requires_grad(t); });
  return wanted;
}

// A written argument is a reference that is not const.
template <class A>
void count_write(std::remove_reference_t<A>& x) noexcept {
  if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) {
    each_tensor(x, [](const tensor& t) { author::bump_version(t); });
  }
}

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
  using signature = saving_of<Rule, Sig>::type;
  template <class Sig>
  static constexpr saving_of<Rule, Sig>::subjects arguments = saving_of<Rule, Sig>::arguments_and_result;
};
template <class... A>
inline constexpr std::size_t tensors_in = (std::size_t{0} + ... + (std::same_as<A, const tensor&> ? 1 : 0));
template <class Sig>
inline constexpr std::size_t tensor_arguments = 0;
template <class R, class... A>
inline constexpr std::size_t tensor_arguments<R(A...)> = tensors_in<A...>;

struct backward_kind {
  static constexpr std::string_view name = "autograd rule", part = "backward()";
  static constexpr bool takes_keys = false;
  static constexpr std::string_view result_mend = "; one gradient for each tensor argument of the operator";
  template <class Sig>
  using signature = std::array<tensor, tensor_arguments<Sig>>(const tensor&, std::array<bool, tensor_arguments<Sig>>);
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

// A rule has one gradient for each `const tensor&`; what comes in another form would lose its own.
template <class A>
consteval void explain_rule_argument(verdict& v, std::string_view op, std::size_t index, std::string_view name) {
  if (!v.ok() || !keyed<held_t<A>> || std::same_as<A, const tensor&>) return;
  v.add("autograd rule for ").add(op).add(", argument ").add(index + 1);
  if (!name.empty()) v.add(" '").add(name).add("'");
  v.add(": found '").add(type_name<A>()).add("', a rule takes tensors as 'const tensor&' only; ");
  v.add("write the kernel for key::Autograd by hand");
}
template <class Op, class R, class... A>
consteval verdict explain_differentiable(std::type_identity<R(A...)>) {
  verdict v;
  std::size_t i = 0;
  ((explain_rule_argument<A>(v, Op::name(), i, Op::argument_name(i)), ++i), ...);
  if constexpr (!std::same_as<R, tensor>) {
    if (v.ok()) {
      v.add("autograd rule for ").add(Op::name()).add(", result: found '").add(type_name<R>());
      v.add("', a rule differentiates one 'tensor'; write the kernel for key::Autograd by hand");
    }
  }
  return v;
}

consteval verdict lacks_function(std::string_view op, std::string_view what, std::string_view form) {
  verdict v;
  v.add("autograd rule for ").add(op).add(": needs ").add(what).add(", ").add(form);
  return v.add("; found none that takes and returns this");
}

// A function that is a template or overloaded has no type of its own; it is asked whether it can be called instead.
template <class Rule, class Op>
consteval verdict explain_saving() {
  if constexpr (requires { &Rule::save; })
    return author::explain_rule<decltype(&Rule::save), Op, saving_kind<Rule>>();
  else if constexpr (saving_of<Rule, typename Op::signature>::callable)
    return {};
  else
    return lacks_function(Op::name(), "save()",
                          "static, of the operator's arguments and the result, that returns the rule");
}
template <class Rule, class Op>
consteval verdict explain_backward() {
  constexpr std::size_t tensors = tensor_arguments<typename Op::signature>;
  constexpr std::string_view form = "'std::array<tensor, N> backward(const tensor&, std::array<bool, N>) const'";
  if constexpr (requires { &Rule::backward; }) {
    using call = call_of_member<decltype(&Rule::backward)>::type;
    if constexpr (std::is_void_v<call>)
      return lacks_function(Op::name(), "backward()", form);
    else
      return author::explain_rule<call, Op, backward_kind>();
  } else if constexpr (requires(const Rule rule, const tensor& gradient, std::array<bool, tensors> wanted) {
                         { rule.backward(gradient, wanted) } -> std::same_as<std::array<tensor, tensors>>;
                       }) {
    return {};
  } else {
    return lacks_function(Op::name(), "backward()", form);
  }
}

/// Why this is no rule for the operator; empty if it is one.
template <class Rule, class Op>
consteval verdict explain_gradient_rule() {
  verdict v = explain_differentiable<Op>(std::type_identity<typename Op::signature>{});
  if (v.ok()) v = explain_saving<Rule, Op>();
  if (v.ok()) v = explain_backward<Rule, Op>();
  return v;
}

[[noreturn]] void raise_released(std::string_view op);
[[noreturn]] void raise_in_place(std::string_view op);

}  // namespace detail

/// A gradient formula for this operator. See the head of this file for what it needs.
export template <class Rule, class Op>
concept gradient_rule = detail::explain_gradient_rule<Rule, Op>().ok();

export namespace author {

template <const auto& Op, class Rule, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct autograd_kernel {
  static_assert(gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>,
                detail::explain_gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>());
};

/// `autograd_kernel<op, rule>::run` is the kernel to register for key::Autograd.
template <const auto& Op, class Rule, class... A>
struct autograd_kernel<Op, Rule, tensor(A...)> {
  static constexpr std::size_t tensors = detail::tensors_in<A...>;
  static_assert(gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>,
                detail::explain_gradient_rule<Rule, std::remove_cvref_t<decltype(Op)>>());

  // Of each tensor, which argument it is.
  static constexpr std::array<std::size_t, tensors> positions = [] {
    std::array<std::size_t, tensors> p{};
    std::size_t i = 0, n = 0;
    ((detail::is_tensor<A> ? void(p[n++] = i) : void(), ++i), ...);
    return p;
  }();

  struct recorded final : node {
    explicit recorded(Rule&& r) : rule(std::move(r)) {}
    std::vector<tensor> backward(const tensor& gradient) override {
      std::array<bool, tensors> wanted{};
      for (std::size_t i = 0; i < tensors; ++i) wanted[i] = static_cast<bool>(this->inputs()[i]);
      auto gradients = rule->backward(gradient, wanted);
      return {gradients.begin(), gradients.end()};
    }
    void release() noexcept override { rule.reset(); }
    std::string_view name() const noexcept override { return Op.name(); }
    std::size_t argument_of(std::size_t input) const noexcept override { return positions[input]; }
    std::optional<Rule> rule;
  };

  static tensor run(key_set keys, A... a) {
    const bool record = (detail::wants_grad(a) || ...);
    tensor result = Op.redispatch(keys & below(key::Autograd), a...);
    if (record && result.defined() && is_floating(result.dtype())) {
      // A kernel may give its argument back; the argument must not become a result of itself.
      if ((detail::is_handle_of(result, a) || ...)) result = detach(result);
      intrusive_ptr<node> n(new recorded(Rule::save(a..., std::as_const(result))));
      std::vector<intrusive_ptr<node>> edges;
      edges.reserve(tensors);
      (detail::add_edge(edges, a), ...);
      n->connect(std::move(edges));
      set_creator(result, std::move(n));
    }
    return result;
  }
};

/// For operators that write to an argument: refuses to lose a gradient, else runs below autograd.
template <const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct in_place_autograd;
template <const auto& Op, class R, class... A>
struct in_place_autograd<Op, R(A...)> {
  static R run(key_set keys, A... a) {
    if ((detail::wants_grad(a) || ...)) detail::raise_in_place(Op.name());
    return Op.redispatch(keys & below(key::Autograd), a...);
  }
};

/// For key::ADInplaceOrView of operators that write to arguments: runs below, then counts the writes, with gradients
/// recorded or not.
template <const auto& Op, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct counts_writes;
template <const auto& Op, class R, class... A>
struct counts_writes<Op, R(A...)> {
  static R run(key_set keys, A... a) {
    if constexpr (std::is_void_v<R>) {
      Op.redispatch(keys & below(key::ADInplaceOrView), a...);
      (detail::count_write<A>(a), ...);
    } else {
      R result = Op.redispatch(keys & below(key::ADInplaceOrView), a...);
      (detail::count_write<A>(a), ...);
      return result;
    }
  }
};

}  // namespace author

}  // namespace topbit

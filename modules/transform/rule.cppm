// Batching rules written by hand, as kernels: a function that takes each tensor with its batch dimension.
export module topbit.transform:rule;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :batched;
import :level;

namespace topbit {

namespace detail {

[[noreturn]] void raise_ended(const operator_handle& op, boxed_stack& arguments);
// Ends with the error of the first example that throws one when it is called alone, else with `e`.
[[noreturn]] void raise_of_example(const operator_handle& op, boxed_stack& arguments, error& e);

template <class... A>
[[noreturn, gnu::noinline]] void raise_for_batch(const operator_handle& op, error* e, A&... a) {
  inline_stack<sizeof...(A)> arguments;
  const auto push = [&]<class T>(T& x) {
    if constexpr (std::same_as<T, tensor>)
      arguments.push(value::refer(x));
    else
      arguments.push(x);
  };
  (push(a), ...);
  if (e == nullptr) raise_ended(op, arguments);
  raise_of_example(op, arguments, *e);
}

// The highest number of a level that an argument is batched at.
template <class A>
std::uint64_t highest_level(const A& a) noexcept {
  if constexpr (std::same_as<A, tensor>) {
    const batched_tensor* const b = batched_of(a);
    return b == nullptr ? 0 : b->level;
  } else if constexpr (std::same_as<A, std::optional<tensor>>) {
    return a ? highest_level(*a) : 0;
  } else if constexpr (std::same_as<A, std::span<const tensor>> ||
                       std::same_as<A, std::span<const std::optional<tensor>>> ||
                       std::same_as<A, std::vector<tensor>>) {
    std::uint64_t highest = 0;
    for (const auto& t : a) highest = std::max(highest, highest_level(t));
    return highest;
  } else {
    return 0;
  }
}

// An argument as a rule takes it: one or two values.
template <class A>
struct rule_argument {
  A given;
  rule_argument(A a, const batch_level&) : given(static_cast<A>(a)) {}
  std::tuple<A> take() { return std::tuple<A>(static_cast<A>(given)); }
};
template <>
struct rule_argument<const tensor&> {
  batched_view seen;
  rule_argument(const tensor& t, const batch_level& l) : seen(look_into(t, l)) {}
  std::tuple<const tensor&, batch_dim> take() { return {seen.physical, seen.dim}; }
};
template <>
struct rule_argument<tensor&> {
  batched_view seen;
  rule_argument(tensor& t, const batch_level& l) : seen(look_into(t, l)) {}
  std::tuple<tensor&, batch_dim> take() { return {seen.physical, seen.dim}; }
};
template <>
struct rule_argument<const std::optional<tensor>&> {
  std::optional<tensor> physical;
  batch_dim dim;
  rule_argument(const std::optional<tensor>& t, const batch_level& l) {
    if (!t) return;
    batched_view seen = look_into(*t, l);
    physical = std::move(seen.physical);
    dim = seen.dim;
  }
  std::tuple<const std::optional<tensor>&, batch_dim> take() { return {physical, dim}; }
};
template <>
struct rule_argument<std::span<const tensor>> {
  std::vector<tensor> physical;
  std::vector<batch_dim> dims;
  rule_argument(std::span<const tensor> all, const batch_level& l) {
    for (const tensor& t : all) {
      batched_view seen = look_into(t, l);
      physical.push_back(std::move(seen.physical));
      dims.push_back(seen.dim);
    }
  }
  std::tuple<std::span<const tensor>, std::span<const batch_dim>> take() { return {physical, dims}; }
};

template <>
struct rule_argument<std::span<const std::optional<tensor>>> {
  std::vector<std::optional<tensor>> physical;
  std::vector<batch_dim> dims;
  rule_argument(std::span<const std::optional<tensor>> all, const batch_level& l) {
    for (const std::optional<tensor>& t : all) {
      rule_argument<const std::optional<tensor>&> one(t, l);
      physical.push_back(std::move(one.physical));
      dims.push_back(one.dim);
    }
  }
  std::tuple<std::span<const std::optional<tensor>>, std::span<const batch_dim>> take() { return {physical, dims}; }
};

// A rule's result as the operator returns it.
inline tensor wrapped_result(std::tuple<tensor, batch_dim>&& r, const batch_level& l) {
  auto& [physical, dim] = r;
  return dim && physical.defined() ? make_batched(physical, *dim, l) : std::move(physical);
}
template <class... T, class... R, std::size_t... I>
std::tuple<T...> wrapped_results(std::tuple<R...>&& r, const batch_level& l, std::index_sequence<I...>) {
  return {wrapped_result({std::move(std::get<2 * I>(r)), std::get<2 * I + 1>(r)}, l)...};
}

template <class R>
struct wrap_results;
template <>
struct wrap_results<tensor> {
  static tensor of(std::tuple<tensor, batch_dim>&& r, const batch_level& l) { return wrapped_result(std::move(r), l); }
};
template <>
struct wrap_results<std::vector<tensor>> {
  static std::vector<tensor> of(std::tuple<std::vector<tensor>, batch_dim>&& r, const batch_level& l) {
    auto& [all, dim] = r;
    for (tensor& t : all) t = wrapped_result({std::move(t), dim}, l);
    return std::move(all);
  }
};
template <class... T>
  requires(std::same_as<T, tensor> && ...)
struct wrap_results<std::tuple<T...>> {
  template <class... R>
  static std::tuple<T...> of(std::tuple<R...>&& r, const batch_level& l) {
    return wrapped_results<T...>(std::move(r), l, std::index_sequence_for<T...>{});
  }
};

// The kernel of an operator with a rule written by hand, which is called below the level and may call the operator
// again.
template <auto Op, auto Rule, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct rule_kernel;
template <auto Op, auto Rule, class R, class... A>
struct rule_kernel<Op, Rule, R(A...)> {
  static constexpr author::kernel_note note{"batched by a rule of its own"};
  R operator()(A... a) const {
    const batch_level* const l = level_numbered(std::max({highest_level<std::remove_cvref_t<A>>(a)...}));
    if (l == nullptr) raise_for_batch(Op.handle(), nullptr, a...);
    try {
      const below_level outside(*l);
      return call(*l, rule_argument<A>(std::forward<A>(a), *l)...);
    } catch (error& e) {
      raise_for_batch(Op.handle(), &e, a...);
    }
  }

 private:
  template <class... Argument>
  static R call(const batch_level& l, Argument... a) {
    return wrap_results<R>::of(std::apply(Rule, std::tuple_cat(a.take()...)), l);
  }
};

// The kernel that calls other operators instead, where an argument is batched.
template <auto Op, auto Fn, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct parts_kernel;
template <auto Op, auto Fn, class R, class... A>
struct parts_kernel<Op, Fn, R(A...)> {
  static constexpr author::kernel_note note{"batched by other operators"};
  R operator()(A... a) const {
    try {
      return Fn(static_cast<A>(a)...);
    } catch (error& e) {
      raise_for_batch(Op.handle(), &e, a...);
    }
  }
};

// Data instead of a type that lists operators, which would be in the names of symbols with the texts of their schemas.
template <std::size_t Count>
struct batching_table {
  std::array<author::kernel_row, Count> rows;
};

}  // namespace detail

export namespace author {

/// Registers the rows of a table of batching rules, all of them or, if one is refused, none. They are taken back
/// when the result is destroyed; keep() keeps them. Elementwise operators and rules call the process registry's.
template <std::size_t Count>
static_dispatch::installation install_batching(const topbit::detail::batching_table<Count>& rules,
                                               registry& r = registry::process(),
                                               std::source_location where = std::source_location::current()) {
  return {rules.rows, r, where};
}

}  // namespace author

export namespace batching {

// Rows without a source location are registered from where their table is installed.

/// Batched by a rule written by hand, see author::batching_rule.
template <auto Op, auto Rule>
struct by {
  static constexpr std::array<author::kernel_row, 1> rows = [] {
    author::require_rule<Rule, std::remove_const_t<decltype(Op)>, author::batching_rule>();
    static_assert(
        !author::is_mutable(decltype(Op)::schema()),
        "batching::by: wanted an operator that writes to no argument; a form that writes takes the rule of the "
        "functional one");
    return std::array{author::row<detail::rule_kernel<Op, Rule>{}>(Op, key::FuncTorchBatched, {})};
  }();
};

/// Batched by other operators that Fn calls, a function like a kernel of the operator. An error is that of the first
/// example that throws one.
template <auto Op, auto Fn>
struct by_parts {
  static constexpr std::array<author::kernel_row, 1> rows{
      author::row<detail::parts_kernel<Op, Fn>{}>(Op, key::FuncTorchBatchedDecomposition, {})};
};

}  // namespace batching

namespace detail {

template <class... Part>
consteval auto names_in() {
  std::array<std::string_view, (std::size_t{0} + ... + Part::rows.size())> names;
  std::size_t at = 0;
  const auto add = [&](const auto& some) {
    for (const author::kernel_row& r : some) names[at++] = r.op->name;
  };
  (add(Part::rows), ...);
  return names;
}

// By hashes, since the compiler does not compare hundreds of names in reasonable time. A false alarm would be seen.
template <class... Part>
consteval bool has_one_rule_each() {
  constexpr auto names = names_in<Part...>();
  std::array<std::uint64_t, names.size()> hashes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hashes[i] = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : names[i]) hashes[i] = (hashes[i] ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::ranges::sort(hashes);
  for (std::size_t i = 1; i < hashes.size(); ++i) {
    if (hashes[i] == hashes[i - 1]) return false;
  }
  return true;
}
template <class... Part>
concept one_rule_each = has_one_rule_each<Part...>();

/// The operator that is in the table twice.
template <class... Part>
consteval author::verdict explain_two_rules() {
  constexpr auto names = names_in<Part...>();
  author::verdict v;
  for (std::size_t i = 1; i < names.size() && v.ok(); ++i) {
    for (std::size_t other = 0; other < i && v.ok(); ++other) {
      if (names[i] == names[other]) v.add(names[i]).add(": found two batching rules in one table, wanted one");
    }
  }
  return v;
}

}  // namespace detail

namespace batching {

/// A table of these rows.
export template <class... Part>
consteval auto rules(Part...) {
  // The compiler makes the sentence even if the assertion holds.
  if constexpr (!detail::one_rule_each<Part...>)
    static_assert(detail::one_rule_each<Part...>, detail::explain_two_rules<Part...>());
  detail::batching_table<(std::size_t{0} + ... + Part::rows.size())> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& some) {
    for (const author::kernel_row& r : some) all.rows[count++] = r;
  };
  (add(Part::rows), ...);
  return all;
}

}  // namespace batching

}  // namespace topbit

// Generic code over static and dynamic dispatch: it takes anything that can call an operator, which is the
// operator itself, the dynamic table, a kernel set, or a set behind layers.
export module topbit.core:static_dispatch.callable;

import topbit.std;
import :static_dispatch.direct_call;
import :static_dispatch.kernel_set;
import :static_dispatch.set_index;
import :static_dispatch.static_layers;
import :text.text;

namespace topbit {

namespace static_dispatch {

/// The dynamic table, for generic code that calls several operators: `dispatched.call<op>(arguments...)` is
/// `op(arguments...)`.
export struct dynamic_table {
  template <auto Op>
  static constexpr decltype(Op) call{};
};
export inline constexpr dynamic_table dispatched{};

}  // namespace static_dispatch

namespace detail {

template <class How>
inline constexpr bool is_layered = false;
template <class Set, class... Layer>
inline constexpr bool is_layered<static_dispatch::layered_set<Set, Layer...>> = true;

/// Why this cannot call the operator; empty if it can.
template <class How, class Op>
consteval author::verdict explain_caller() {
  author::verdict v;
  if constexpr (static_dispatch::operator_type<How>) {
    if constexpr (!std::same_as<How, Op>) v.add(Op::name()).add(": cannot be called by ").add(How::name());
  } else if constexpr (static_dispatch::kernel_set_type<How>) {
    v = explain_set_call<typename How::plain, Op, no_key>();
  } else if constexpr (is_layered<How>) {
    v = explain_caller<typename How::behind, Op>();
  } else if constexpr (!std::same_as<How, static_dispatch::dynamic_table>) {
    v.add(Op::name()).add(": found '").add(type_name<How>()).add("', wanted something to call it by: the operator, ");
    v.add("'dispatched', a kernel set or a layered one");
  }
  return v;
}

template <class How, class... Op>
concept calls_operators =
    (static_dispatch::operator_type<Op> && ...) && (explain_caller<std::remove_cvref_t<How>, Op>().ok() && ...);

}  // namespace detail

namespace static_dispatch {

/// Anything that can call these operators: the operator itself, `dispatched`, a kernel set or a layered one that has
/// one kernel for each. `template <can_call<add, mul> How> auto axpy(How how, ...)`.
export template <class How, auto... Op>
concept can_call = detail::calls_operators<How, decltype(Op)...>;

/// Calls the operator by `how`: `call<add>(how, arguments...)`, with defaults and keywords.
export template <auto Op, class How, class... A>
[[gnu::always_inline]] constexpr decltype(auto) call(const How& how, A&&... a) {
  static_assert(can_call<How, Op>, detail::explain_caller<How, std::remove_const_t<decltype(Op)>>());
  if constexpr (can_call<How, Op>) {
    if constexpr (operator_type<How>)
      return how(std::forward<A>(a)...);
    else
      return How::template call<Op>(std::forward<A>(a)...);
  }
}

}  // namespace static_dispatch

}  // namespace topbit

// Direct calls of kernels known at compile time, with the operator's defaults and keyword arguments. No table, no keys,
// no indirect jump.
export module topbit.core:static_dispatch.direct_call;

import topbit.std;
import :dispatch.concepts;
import :keys.key_set;
import :operators.call;
import :operators.call_mistake;
import :operators.op;
import :text.text;

namespace topbit {

namespace detail {

// In place of `(... && ...)`, which the compiler does not take for more than 2,048.
consteval bool all(std::initializer_list<bool> each) {
  for (bool one : each) {
    if (!one) return false;
  }
  return true;
}
template <class... T>
concept operator_types = all({static_dispatch::operator_type<T>...});

// Where a direct call ends: run(arguments...), with the arguments of the signature. A kernel that asks for keys is
// given these.
template <auto Fn, std::uint64_t Keys, class Sig>
struct kernel_target;
template <auto Fn, std::uint64_t Keys, class R, class... A>
struct kernel_target<Fn, Keys, R(A...)> {
  [[gnu::always_inline]] static constexpr R run(A&&... a) {
    if constexpr (takes_keys<function_type<decltype(Fn)>>)
      return Fn(key_set::from_raw(Keys), std::forward<A>(a)...);
    else
      return Fn(std::forward<A>(a)...);
  }
};

template <class Op, class Target, class Sig = typename Op::signature>
struct direct_call;
template <class Op, class Target, class R, class... A>
struct direct_call<Op, Target, R(A...)> {
  [[gnu::always_inline]] constexpr R operator()(A... a) const { return call(std::forward<A>(a)...); }
  [[gnu::always_inline]] static constexpr R call(A... a) { return Target::run(std::forward<A>(a)...); }
  template <class... B>
    requires calls_by_schema<Op, B...>
  [[gnu::always_inline]] constexpr result_of_call<Op, B...> operator()(B&&... b) const {
    return convert_and_call<Op, direct_call>(std::type_identity<R(A...)>{}, std::forward<B>(b)...);
  }
  // What is no call of the operator is none of its kernel either, and says why.
  template <class... B>
    requires(!callable_with<Op, B...>)
  constexpr R operator()(B&&...) const {
    static_assert(callable_with<Op, B...>, explain_call<Op, B...>());
  }
};

// Stands where there is nothing to call, after the error that said so.
template <class R>
struct nothing_to_call {
  template <class... B>
  constexpr R operator()(B&&...) const;
};

}  // namespace detail

}  // namespace topbit

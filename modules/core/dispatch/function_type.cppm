// The function behind what is given as a kernel: its type, and that type without a leading key set.
export module topbit.core:dispatch.function_type;

import topbit.std;
import :boxing.stack;
import :dispatch.handle;
import :keys.key_set;
import :schema.signature;

namespace topbit {

namespace detail {

// The function type behind a function pointer or a captureless lambda; void if it is neither.
template <class F>
consteval auto function_type_of() {
  if constexpr (std::is_member_pointer_v<F>) {
    return std::type_identity<void>{};
  } else if constexpr (requires { typename function_traits<F>::type; }) {
    return std::type_identity<typename function_traits<F>::type>{};
  } else if constexpr (std::is_empty_v<F> && requires { typename function_traits<decltype(&F::operator())>::type; }) {
    return std::type_identity<typename function_traits<decltype(&F::operator())>::type>{};
  } else {
    return std::type_identity<void>{};
  }
}
template <class F>
using function_type = decltype(function_type_of<F>())::type;

template <class Function>
inline constexpr bool takes_keys = false;
template <class R, class... A>
inline constexpr bool takes_keys<R(key_set, A...)> = true;

template <class Function>
inline constexpr bool takes_keys_boxed = false;
template <>
inline constexpr bool takes_keys_boxed<void(const operator_handle&, key_set, boxed_stack&)> = true;

template <class Function>
struct without_keys {
  using type = Function;
};
template <class R, class... A>
struct without_keys<R(key_set, A...)> {
  using type = R(A...);
};

// What a function is called with, apart from a key set that it may take first.
template <class F, bool TakesKeys>
using called_type =
    std::conditional_t<TakesKeys, without_keys<function_type<F>>, std::type_identity<function_type<F>>>::type;

// Instantiated once for all kernels of this type and all operators of this signature: what a kernel that is one costs.
template <class F, class Sig, bool TakesKeys = true>
inline constexpr bool fits = std::same_as<called_type<F, TakesKeys>, Sig>;

template <class F>
inline constexpr bool has_boxed_form =
    std::same_as<function_type<F>, void(const operator_handle&, key_set, boxed_stack&)> ||
    std::same_as<function_type<F>, void(const operator_handle&, boxed_stack&)>;

}  // namespace detail

}  // namespace topbit

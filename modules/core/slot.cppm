// What each argument and result of a signature is in a box, as data: one array for all that asks without being compiled
// for the signature, such as reading arguments from text.
export module topbit.core:slot;

import topbit.std;
import :extract;
import :value;

namespace topbit {

namespace detail {

template <class A>
inline constexpr bool is_written = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;

struct slot_info {
  const value_type* type;  // of a value that is not none
  bool optional;           // none will do
  bool written;            // an argument that is there to be written to
};

// Written arguments are boxed as the very type that is written; a result that is a reference, as what it refers to.
template <class A>
consteval slot_info slot_of() {
  using T = std::remove_cvref_t<A>;
  if constexpr (is_written<A>)
    return {&type_of<T>, false, true};
  else if constexpr (is_optional<T>::value)
    return {&type_of<canonical_t<typename T::value_type>>, true, false};
  else
    return {&type_of<canonical_t<T>>, false, false};
}

template <class... T>
inline constexpr std::array<slot_info, sizeof...(T)> slots{slot_of<T>()...};

template <class Sig>
inline constexpr std::span<const slot_info> argument_slots{};
template <class R, class... A>
inline constexpr std::span<const slot_info> argument_slots<R(A...)>{slots<A...>};

template <class R>
inline constexpr std::span<const slot_info> result_slots{slots<std::remove_cvref_t<R>>};
template <>
inline constexpr std::span<const slot_info> result_slots<void>{};
template <class... T>
inline constexpr std::span<const slot_info> result_slots<std::tuple<T...>>{slots<std::remove_cvref_t<T>...>};

}  // namespace detail

}  // namespace topbit

// The boxed type of each argument of a signature, as data: one array for code that is not instantiated
// for the signature, such as parsing arguments from text.
export module topbit.core:boxing.slot;

import topbit.std;
import :boxing.boxed_form;
import :schema.extract;

namespace topbit {

namespace detail {

template <class A>
inline constexpr bool is_written = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class R>
inline constexpr std::size_t result_count = 1;
template <>
inline constexpr std::size_t result_count<void> = 0;
template <class... T>
inline constexpr std::size_t result_count<std::tuple<T...>> = sizeof...(T);

// The types of a result, one by one.
template <class R>
struct results_of {
  using type = std::tuple<R>;
};
template <>
struct results_of<void> {
  using type = std::tuple<>;
};
template <class... T>
struct results_of<std::tuple<T...>> {
  using type = std::tuple<T...>;
};

struct slot_info {
  const value_type* type;  // of a value that is not none
  bool optional;           // may be none
  bool written;            // an argument that is there to be written to
  bool keyed;              // brings keys itself, and not what is in it
};

// Written arguments are boxed as the very type that is written.
template <class A>
consteval slot_info slot_of() {
  using T = std::remove_cvref_t<A>;
  if constexpr (is_written<A>)
    return {&type_of<T>, false, true, keyed<T>};
  else if constexpr (is_optional<T>::value)
    return {&type_of<canonical_t<typename T::value_type>>, true, false, false};
  else
    return {&type_of<canonical_t<T>>, false, false, keyed<T>};
}

template <class... T>
inline constexpr std::array<slot_info, sizeof...(T)> slots{slot_of<T>()...};

template <class Sig>
inline constexpr std::span<const slot_info> argument_slots{};
// Spans of arrays whose length depends on a signature are made from a pointer, here and elsewhere: clang takes 20 ms to
// check std::span's other constructors for each type of array.
template <class R, class... A>
inline constexpr std::span<const slot_info> argument_slots<R(A...)>{slots<A...>.data(), sizeof...(A)};

}  // namespace detail

}  // namespace topbit

// Can arguments and results of a signature be boxed? Names the first that cannot.
export module topbit.core:boxing.boxable;

import topbit.std;
import :boxing.boxed_form;
import :boxing.boxed_type;
import :text.text;

namespace topbit {

namespace detail {

template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t N>
inline constexpr bool is_span<std::span<T, N>> = true;

// What is in an optional, in optionals of it too.
template <class T>
struct present {
  using type = T;
};
template <class T>
struct present<std::optional<T>> : present<T> {};

// True if a list has views for elements: a copy of it would own them, and not what they view.
template <class T>
inline constexpr bool lists_views = false;
template <class T>
inline constexpr bool is_element_view = is_span<T> || std::same_as<T, std::string_view> || lists_views<T>;
template <class T>
inline constexpr bool lists_views<std::optional<T>> = lists_views<T>;
template <class T>
inline constexpr bool lists_views<std::vector<T>> = is_element_view<typename present<T>::type>;
template <class T>
inline constexpr bool lists_views<std::span<T>> = is_element_view<typename present<std::remove_const_t<T>>::type>;

template <class A>
consteval std::string_view wanted_for_boxes() {
  using T = std::remove_cvref_t<A>;
  using held = present<T>::type;
  constexpr bool written = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>;
  if constexpr (written) {
    return {};
  } else if constexpr (std::same_as<T, std::string>) {
    return "'std::string_view'";
  } else if constexpr (lists_views<T>) {
    return "elements that own what they show, as those of 'std::span<const std::string>' do";
  } else if constexpr (is_list<T>::value && std::same_as<T, std::vector<typename element<T>::type>>) {
    return "'std::span<const T>'";
  } else if constexpr (is_span<held> && !is_view<held>) {
    return std::is_const_v<typename held::element_type> ? "'std::span<const T>'" : "'std::vector<T>&'";
  } else if constexpr (!can_copy<T>) {
    return "a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy()";
  } else if constexpr (!std::is_reference_v<A> && !is_span<held> &&
                       !std::is_copy_constructible_v<typename element<T>::type>) {
    return "'const T&', since it has no copy constructor";
  } else {
    return {};
  }
}

template <class A>
consteval void explain_boxable(author::verdict& v, std::string_view op, std::size_t argument) {
  constexpr std::string_view wanted = wanted_for_boxes<A>();
  if (wanted.empty() || !v.ok()) return;
  v.add(op).add(", argument ").add(argument).add(": found '").add(type_name<A>()).add("', wanted ").add(wanted);
}

// A result that is a reference refers to one of the arguments.
template <class R, class... A>
inline constexpr bool is_given_back = !std::is_lvalue_reference_v<R> || (std::same_as<A, R> || ...);
template <class... R, class... A>
inline constexpr bool is_given_back<std::tuple<R...>, A...> = (is_given_back<R, A...> && ...);

template <class R, class... A>
consteval void explain_boxable_result(author::verdict& v, std::string_view op) {
  if (!v.ok()) return;
  if constexpr (!is_given_back<R, A...>) {
    v.add(op)
        .add(", result: found '")
        .add(type_name<R>())
        .add("', the type of no argument; a result by reference is one ");
    v.add("of the arguments, returned");
  } else if constexpr (!std::is_void_v<R> && !can_copy<std::remove_cvref_t<R>>) {
    v.add(op).add(", result: found '").add(type_name<R>()).add("', wanted a type that can be copied; ");
    v.add("specialise topbit::boxed_type for it, with copy()");
  }
}
template <class... A, class... R>
consteval void explain_boxable_results(author::verdict& v, std::string_view op, std::type_identity<std::tuple<R...>>) {
  (explain_boxable_result<R, A...>(v, op), ...);
}
template <class... A, class R>
consteval void explain_boxable_results(author::verdict& v, std::string_view op, std::type_identity<R>) {
  explain_boxable_result<R, A...>(v, op);
}

/// Why arguments and results of this signature cannot be boxed; empty if they can.
template <class R, class... A>
consteval author::verdict explain_signature(std::string_view op, std::type_identity<R(A...)>) {
  author::verdict v;
  std::size_t i = 0;
  (explain_boxable<A>(v, op, ++i), ...);
  explain_boxable_results<A...>(v, op, std::type_identity<R>{});
  return v;
}
// The same as a bool, cheaper to compile.
template <class R>
inline constexpr bool boxable_result = can_copy<std::remove_cvref_t<R>>;
template <>
inline constexpr bool boxable_result<void> = true;
template <class... R>
inline constexpr bool boxable_result<std::tuple<R...>> = (can_copy<std::remove_cvref_t<R>> && ...);
template <class Sig>
inline constexpr bool is_boxable = false;
template <class R, class... A>
inline constexpr bool is_boxable<R(A...)> =
    boxable_result<R> && is_given_back<R, A...> && (wanted_for_boxes<A>().empty() && ...);
template <class Sig>
concept boxable_signature = is_boxable<Sig>;

}  // namespace detail

}  // namespace topbit

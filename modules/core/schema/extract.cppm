// The keys that an argument brings to a call. Both call paths use this one function, the boxed one through the type of
// the boxed value, so they cannot disagree.
//
// A type takes part by `key_set keys_of(const T&)`, found by argument-dependent lookup. Optionals and lists of such
// types take part element by element, to any depth; everything else brings nothing.
export module topbit.core:schema.extract;

import topbit.std;
import :keys.key_set;

namespace topbit {

/// A type whose values bring keys to a call. keys_of must be cheap and must not throw: it runs on every call.
export template <class T>
concept keyed = requires(const T& x) {
  { keys_of(x) } noexcept -> std::convertible_to<key_set>;
};

namespace author {

/// Whether the keys of a keyed type say where a call runs. Not so for what every backend takes, such as a generator of
/// random numbers: specialise it then, and an operator with nothing else keyed is placed by its device.
export template <class T>
inline constexpr bool selects_device = true;

/// A type, such as a device, that says where an operator without keyed arguments should run.
export template <class T>
concept selects_backend = !keyed<T> && requires(const T& x) {
  { backend_keys_of(x) } -> std::convertible_to<key_set>;
};

}  // namespace author

namespace detail {

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::span<T>> : std::true_type {};
template <class T>
struct is_list<std::vector<T>> : std::true_type {};

template <class T>
struct element {
  using type = T;
};
template <class T>
struct element<std::optional<T>> : element<T> {};
template <class T>
struct element<std::span<const T>> : element<T> {};
template <class T>
struct element<std::vector<T>> : element<T> {};

template <class T>
constexpr key_set keys_in(const T& x) noexcept {
  if constexpr (keyed<T>) {
    return keys_of(x);
  } else if constexpr (keyed<typename element<T>::type>) {
    key_set keys;
    if constexpr (is_optional<T>::value) {
      if (x.has_value()) keys = keys_in(*x);
    } else {
      for (const auto& y : x) keys = keys | keys_in(y);
    }
    return keys;
  } else {
    return {};
  }
}

/// True if values of T can bring keys at all.
template <class T>
inline constexpr bool may_bring_keys = keyed<typename element<std::remove_cvref_t<T>>::type>;
/// And if these say where to run.
template <class T>
inline constexpr bool may_place =
    may_bring_keys<T> && author::selects_device<typename element<std::remove_cvref_t<T>>::type>;

}  // namespace detail

}  // namespace topbit

// How a user-defined type is boxed and converted to and from text.
export module topbit.core:boxing.boxed_type;

import topbit.std;
import :schema.extract;
import :text.text;

namespace topbit {

/// How values of T are boxed and converted to and from text. Aggregates, enums and copyable types need none of it: they
/// are boxed as they are, enums are read and written as their number, others are written as `<type name>`. A type that
/// wants more has one specialisation, next to the type, with any of
/// - `static constexpr std::string_view name = "colour";` is its name in errors and tools.
/// - `static constexpr bool one_word = true;` says that it has at most 8 bytes and may be moved by copying them, as an
///   intrusive handle may: it sits in the value itself. Where it has a default constructor that does not throw, a
///   default one owns nothing.
/// - `static T copy(const T&);` makes an owned copy where there is no copy constructor.
/// - `static T read(text_reader&);` makes one from text; throws bad_argument, as all members of text_reader do.
/// - `static void write(std::string&, const T&);` appends text, which read() should understand.
export template <class T>
struct boxed_type;

namespace author {

/// Types whose object sits in a boxed value: at most 8 bytes that are trivial, or may be moved by copying them.
export template <class T>
concept boxed_inline = sizeof(T) <= 8 && alignof(T) <= 8 &&
                       ((std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>) ||
                        requires { requires boxed_type<T>::one_word; });

}  // namespace author

namespace detail {

template <class T>
concept copied_by_boxed_type = requires(const T& x) {
  { boxed_type<T>::copy(x) } -> std::same_as<T>;
};

// std::vector always declares a copy constructor, so its element type is checked.
template <class T>
inline constexpr bool can_copy = std::is_copy_constructible_v<T> || copied_by_boxed_type<T>;
template <class T>
inline constexpr bool can_copy<std::vector<T>> = can_copy<T>;
template <class T>
inline constexpr bool can_copy<std::span<T>> = can_copy<std::remove_const_t<T>>;
template <class T>
inline constexpr bool can_copy<std::optional<T>> = can_copy<T>;

template <class T>
  requires can_copy<T>
T copy_of(const T& x) {
  if constexpr (std::is_copy_constructible_v<typename element<T>::type>) {
    return x;
  } else if constexpr (copied_by_boxed_type<T>) {
    return boxed_type<T>::copy(x);
  } else if constexpr (is_optional<T>::value) {
    return x.has_value() ? T(copy_of(*x)) : T();
  } else {
    T all;
    all.reserve(x.size());
    for (const auto& y : x) all.push_back(copy_of(y));
    return all;
  }
}

// boxed_type's name; empty if it has none.
template <class T>
consteval std::string_view given_name() {
  if constexpr (requires { boxed_type<T>::name; })
    return boxed_type<T>::name;
  else
    return {};
}
// Human-readable.
template <class T>
std::string_view boxed_name() noexcept {
  return given_name<T>().empty() ? name_for_people(raw_type_name<T>()) : given_name<T>();
}

}  // namespace detail

}  // namespace topbit

// Parameters that take braces. A deduced parameter cannot be given `{2, 3}`, so an overload set has signatures of these
// types beside the one that deduces. Each stands for one parameter of an operator, converts from what a call may give
// for it, and lives as long as the call.
export module topbit.core:operators.braced_arguments;

import topbit.std;
import :operators.call;
import :schema.extract;
import :schema.signature;

namespace topbit {

namespace detail {

// The elements of a list parameter; void for any other parameter.
template <class A>
struct list_element {
  using type = void;
};
template <class E>
struct list_element<std::span<const E>> {
  using type = E;
};
template <class E>
struct list_element<std::optional<std::span<const E>>> {
  using type = E;
};

// `int[]`, `int[2]` and `Tensor[]`. For the first two one number stands, whose copies are kept here.
template <class E, int Size>
struct list_argument {
  static constexpr bool takes_number = std::same_as<E, std::int64_t>;

  constexpr list_argument(std::initializer_list<E> all) noexcept : elements(all.begin(), all.size()) {}
  template <class T>
    requires std::convertible_to<T, std::span<const E>>
  constexpr list_argument(T&& all) : elements(std::forward<T>(all)) {}
  template <class T>
    requires(takes_number && number_of_list<T>)
  constexpr list_argument(T number) noexcept : copies(number), elements(copies) {}
  constexpr list_argument(std::nullopt_t) noexcept : given(false) {}
  list_argument(const list_argument&) = delete;

  constexpr operator std::span<const E>() const noexcept { return elements; }
  constexpr operator std::optional<std::span<const E>>() const noexcept {
    return given ? std::optional(elements) : std::nullopt;
  }

  struct no_copies {};
  using number_copies = repeated_number<copies_of_number(Size)>;
  [[no_unique_address]] std::conditional_t<takes_number, number_copies, no_copies> copies;
  std::span<const E> elements;
  bool given = true;
};

// Any other parameter that is taken by value, or optional: `{}` is the absent one.
template <class A>
struct value_argument {
  using value_type = std::remove_cvref_t<A>;
  constexpr value_argument() noexcept
    requires is_optional<value_type>::value
  = default;
  template <class T>
    requires(!is_named<std::remove_cvref_t<T>> && converts_to<A, T>)
  constexpr value_argument(T&& given) : value(std::forward<T>(given)) {}
  constexpr operator const value_type&() const noexcept { return value; }

  value_type value{};
};

template <class A>
inline constexpr bool takes_braces = is_optional<A>::value || !std::is_void_v<typename list_element<A>::type>;

template <class A, int Size>
struct braces_for {
  using type = value_argument<A>;
};
template <class A, int Size>
  requires(!std::is_void_v<typename list_element<std::remove_cvref_t<A>>::type>)
struct braces_for<A, Size> {
  using type = list_argument<typename list_element<std::remove_cvref_t<A>>::type, Size>;
};
template <class A, int Size>
  requires(std::is_lvalue_reference_v<A> && !takes_braces<std::remove_cvref_t<A>>)
struct braces_for<A, Size> {
  using type = A;
};
// What they are to the operator.
template <class E, int Size>
struct given<list_argument<E, Size>> {
  using type = std::span<const E>;
};
template <class A>
struct given<value_argument<A>> {
  using type = const value_argument<A>::value_type&;
};

template <class Op, std::size_t I>
using brace_parameter = braces_for<parameter_of<Op, I>, Op::list_size(I)>::type;

}  // namespace detail

}  // namespace topbit

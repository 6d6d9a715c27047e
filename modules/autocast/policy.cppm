// Which operators autocast changes, and how: one table per backend, a value whose type lists the operators.
export module topbit.autocast:policy;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace author {

/// What autocast does to a call. An argument is eligible if it is a floating-point tensor on the scope's backend, but
/// not float64, or such a number from the host; lists and optional tensors are looked into.
enum class cast_policy : std::uint8_t {
  none,          // nothing: the operator has no kernel for the key
  lower,         // casts eligible arguments to the scope's dtype
  fp32,          // casts eligible arguments to float32
  set_dtype,     // passes float32 as the optional dtype argument, if it is not given and the first argument is eligible
  append_dtype,  // calls another overload, which has a dtype argument behind the others, with float32
  promote,       // casts eligible arguments to the dtype that all of them, and the scope's, promote to
  banned,        // throws in float16, whose range is too small; fp32 otherwise
  unchanged      // casts nothing, nor in the operator's parts
};
constexpr std::string_view name_of(cast_policy p) noexcept {
  constexpr std::string_view names[] = {"none",         "lower",   "fp32",   "set_dtype",
                                        "append_dtype", "promote", "banned", "unchanged"};
  return names[static_cast<std::size_t>(p)];
}

/// What it does to a call, for people.
constexpr std::string_view note_of(cast_policy p) noexcept {
  constexpr std::string_view notes[] = {"",
                                        "casts to the scope's dtype",
                                        "casts to float32",
                                        "passes float32 as the dtype, if none is given",
                                        "calls the overload with a dtype, with float32",
                                        "casts to the dtype that the arguments and the scope's promote to",
                                        "refuses float16, else casts to float32",
                                        "casts nothing, nor in its parts"};
  return notes[static_cast<std::size_t>(p)];
}

}  // namespace author

namespace detail {

template <class Op, author::cast_policy Policy, class Other = void>
struct cast_entry {};

struct no_cast {
  static constexpr author::cast_policy policy = author::cast_policy::none;
};
template <class Op, author::cast_policy Policy, class Other>
struct found_cast {
  static constexpr author::cast_policy policy = Policy;
  using other = Other;
};
template <class Op>
no_cast find_cast(const void*);
template <class Op, author::cast_policy Policy, class Other>
found_cast<Op, Policy, Other> find_cast(const cast_entry<Op, Policy, Other>*);

template <class... Entry>
struct cast_entries {};

template <author::cast_policy Policy, auto... Op>
using entries_of = cast_entries<cast_entry<std::remove_const_t<decltype(Op)>, Policy>...>;

template <class A>
concept tensor_argument =
    std::same_as<std::remove_cvref_t<A>, tensor> || std::same_as<std::remove_cvref_t<A>, std::optional<tensor>>;
template <class A>
concept tensor_list_argument = std::same_as<std::remove_cvref_t<A>, std::span<const tensor>> ||
                               std::same_as<std::remove_cvref_t<A>, std::vector<tensor>>;

template <class Sig>
struct cast_signature;
template <class R, class... A>
struct cast_signature<R(A...)> {
  static constexpr std::size_t tensors = (std::size_t{0} + ... + (tensor_argument<A> ? 1 : 0));
  static constexpr bool has_list = (tensor_list_argument<A> || ...);
  static constexpr bool has_optional_dtype = (std::same_as<std::remove_cvref_t<A>, std::optional<dtype>> || ...);
  static constexpr bool first_is_tensor = [] {
    constexpr std::array<bool, sizeof...(A)> is{std::same_as<std::remove_cvref_t<A>, tensor>...};
    return is[0];
  }();
  /// Whether a function of this type takes these arguments, and a dtype behind them.
  template <class Result, class... B>
  static consteval bool fits_with_dtype(std::type_identity<Result(B...)>) {
    if constexpr (sizeof...(B) == sizeof...(A) + 1) {
      return converts<std::type_identity<B>...>(std::index_sequence_for<A...>{});
    } else {
      return false;
    }
  }

 private:
  template <class... B, std::size_t... I>
  static consteval bool converts(std::index_sequence<I...>) {
    using wanted = std::tuple<B...>;
    return (std::convertible_to<A, typename std::tuple_element_t<I, wanted>::type> && ...) &&
           std::same_as<typename std::tuple_element_t<sizeof...(A), wanted>::type, dtype>;
  }
};

/// Why the policy does not suit the operator; empty if it does.
template <class Op, author::cast_policy Policy, class Other>
consteval author::verdict explain_cast() {
  using signature = cast_signature<typename Op::signature>;
  author::verdict v;
  const auto refuse = [&](std::initializer_list<std::string_view> why) {
    v.add(Op::name()).add(": policy ").add(author::name_of(Policy)).add(": found ");
    for (const std::string_view part : why) v.add(part);
  };
  if constexpr (author::is_mutable(Op::schema())) {
    v.add(Op::name()).add(": has a cast policy: found an argument that is written, wanted the functional form");
  } else if constexpr (signature::tensors == 0 && !signature::has_list) {
    v.add(Op::name()).add(": has a cast policy: found no tensor argument, wanted at least one");
  } else if constexpr (Policy == author::cast_policy::set_dtype) {
    if (!signature::has_optional_dtype || !signature::first_is_tensor)
      refuse({"no optional dtype argument, wanted a tensor first and 'ScalarType? dtype=None'"});
  } else if constexpr (Policy == author::cast_policy::append_dtype) {
    if constexpr (!signature::fits_with_dtype(std::type_identity<typename Other::signature>{}))
      refuse({"'", Other::name(), "', wanted an overload with the same arguments and a dtype behind them"});
  } else if constexpr (Policy == author::cast_policy::promote) {
    if (signature::tensors < 2 && !signature::has_list) refuse({"one tensor argument, wanted two, or a list"});
  }
  return v;
}

template <class Op, author::cast_policy Policy, class Other>
concept cast_suits = explain_cast<Op, Policy, Other>().ok();

template <class Entry>
inline constexpr bool cast_is_checked = false;
template <class Op, author::cast_policy Policy, class Other>
inline constexpr bool cast_is_checked<cast_entry<Op, Policy, Other>> = [] {
  static_assert(cast_suits<Op, Policy, Other>, explain_cast<Op, Policy, Other>());
  return true;
}();

template <class Entry>
struct cast_operator;
template <class Op, author::cast_policy Policy, class Other>
struct cast_operator<cast_entry<Op, Policy, Other>> {
  using type = Op;
};

/// The operator that is in the table twice; empty if none is.
template <class... Entry>
consteval author::verdict explain_repetition() {
  std::array<std::string_view, sizeof...(Entry)> names{cast_operator<Entry>::type::name()...};
  std::ranges::sort(names);
  author::verdict v;
  for (std::size_t i = 1; i < names.size() && v.ok(); ++i) {
    if (names[i] == names[i - 1]) v.add(names[i]).add(": found two cast policies in one table, wanted one");
  }
  return v;
}

template <class... Entry>
concept each_once = explain_repetition<Entry...>().ok();

}  // namespace detail

/// The policies of one backend's operators, made by `casts::policies`. Empty.
export template <class... Entry>
struct cast_table : Entry... {
  static_assert(detail::each_once<Entry...>, detail::explain_repetition<Entry...>());
  static_assert((detail::cast_is_checked<Entry> && ...));

  template <class Op>
  using entry = decltype(detail::find_cast<Op>(static_cast<const cast_table*>(nullptr)));
  /// The policy of an operator, `none` if it is not in the table.
  template <class Op>
  static constexpr author::cast_policy policy = entry<Op>::policy;

  static constexpr std::size_t size = sizeof...(Entry);
};

/// The rows of a table:
///
///   inline constexpr auto npu_casts = casts::policies(casts::lower<aten::mm>{}, casts::fp32<aten::exp>{});
export namespace casts {

template <auto... Op>
using lower = detail::entries_of<author::cast_policy::lower, Op...>;
template <auto... Op>
using fp32 = detail::entries_of<author::cast_policy::fp32, Op...>;
template <auto... Op>
using set_dtype = detail::entries_of<author::cast_policy::set_dtype, Op...>;
template <auto... Op>
using promote = detail::entries_of<author::cast_policy::promote, Op...>;
/// For a composite whose parts have policies, where its own dtypes are to stay.
template <auto... Op>
using unchanged = detail::entries_of<author::cast_policy::unchanged, Op...>;
template <auto... Op>
using banned = detail::entries_of<author::cast_policy::banned, Op...>;
/// WithDtype: the overload that is called instead.
template <auto Op, auto WithDtype>
using append_dtype =
    detail::cast_entries<detail::cast_entry<std::remove_const_t<decltype(Op)>, author::cast_policy::append_dtype,
                                            std::remove_const_t<decltype(WithDtype)>>>;

}  // namespace casts

namespace detail {

template <class Table, class... Rows>
struct joined_casts {
  using type = Table;
};
template <class... Entry, class... More, class... Rows>
struct joined_casts<cast_table<Entry...>, cast_entries<More...>, Rows...>
    : joined_casts<cast_table<Entry..., More...>, Rows...> {};

}  // namespace detail

namespace casts {

/// A table of these rows. A policy that does not suit its operator does not compile, nor does an operator with two.
export template <class... Rows>
consteval auto policies(Rows...) {
  return typename detail::joined_casts<cast_table<>, Rows...>::type{};
}

}  // namespace casts

}  // namespace topbit

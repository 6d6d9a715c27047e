// Do the arguments of an operator bring keys where they have to? A keys_of that is missing, or that may throw, would
// otherwise be noticed only when a call finds no kernel.
export module topbit.core:boxing.keyed_arguments;

import topbit.std;
import :keys.key_set;
import :schema.extract;
import :schema.schema_parser;
import :schema.signature;
import :text.text;

namespace topbit {

namespace detail {

// It has a keys_of, but not one that calls use.
template <class T>
inline constexpr bool has_wrong_keys = !keyed<T> && requires(const T& x) { keys_of(x); };
template <class A>
inline constexpr bool argument_has_wrong_keys = has_wrong_keys<typename element<std::remove_cvref_t<A>>::type>;

// The first argument that the schema calls a Tensor, which says where a call runs; none without a schema.
template <fixed_string Text>
inline constexpr std::size_t first_tensor = [] {
  constexpr schema_head head = parsed<Text>::code.head;
  if (!head.has_signature) return static_cast<std::size_t>(-1);
  std::size_t i = 0;
  while (i < head.arguments && std::string_view(parsed<Text>::code.items[i].key.core) != "Tensor") ++i;
  return i;
}();

template <fixed_string Text, class Sig>
inline constexpr bool tensors_bring_keys = true;
template <fixed_string Text, class R, class... A>
  requires(first_tensor<Text> < sizeof...(A))
inline constexpr bool tensors_bring_keys<Text, R(A...)> = may_bring_keys<A...[first_tensor<Text>]>;

template <fixed_string Text, class Sig>
inline constexpr bool arguments_bring_keys = false;
template <fixed_string Text, class R, class... A>
inline constexpr bool arguments_bring_keys<Text, R(A...)> =
    !(argument_has_wrong_keys<A> || ...) && tensors_bring_keys<Text, R(A...)>;

template <fixed_string Text, class Sig>
concept brings_keys = arguments_bring_keys<Text, Sig>;

template <fixed_string Text, class A>
consteval void explain_keys_of(author::verdict& v, std::string_view op, std::size_t argument) {
  if constexpr (!may_bring_keys<A>) {
    using T = element<std::remove_cvref_t<A>>::type;
    if (!v.ok() || (!argument_has_wrong_keys<A> && argument != first_tensor<Text>)) return;
    v.add(op).add(", argument ").add(argument + 1);
    if (const std::string_view name = parsed<Text>::argument_name(argument); !name.empty())
      v.add(" '").add(name).add("'");
    v.add(": ");
    if constexpr (!argument_has_wrong_keys<A>) {
      v.add("'Tensor' stands for '").add(type_name<T>()).add("', which brings no key to a call; declare 'key_set ");
      v.add("keys_of(const ").add(type_name<T>()).add("&) noexcept' beside the type, before the operator");
    } else {
      using found = decltype([](const T& x) { return keys_of(x); }(std::declval<const T&>()));
      v.add("keys_of(const ").add(type_name<T>());
      if constexpr (std::is_convertible_v<found, key_set>)
        v.add("&) may throw, wanted 'key_set keys_of(const ")
            .add(type_name<T>())
            .add("&) noexcept', since every call runs it");
      else
        v.add("&) gives '").add(type_name<found>()).add("', wanted 'topbit::key_set'");
    }
  }
}

/// The argument that should bring keys to a call and cannot, and how to fix it.
template <fixed_string Text, class R, class... A>
consteval author::verdict explain_keys_of(std::string_view op, std::type_identity<R(A...)>) {
  author::verdict v;
  std::size_t i = 0;
  (explain_keys_of<Text, A>(v, op, i++), ...);
  return v;
}

}  // namespace detail

}  // namespace topbit

// From schema to C++ signature and back: the type of an operator is computed from its text.
//
// Each schema type names a C++ type by a specialisation of schema_type. The primary is never defined, so a type nobody
// has mapped is found by a concept and reported with its column, not by a template error.
export module topbit.core:signature;

import topbit.std;
import :schema;
import :text;

namespace topbit {

/// Maps a schema type name to C++. Specialise it in the purview of your module or in your own source file with
///   using value = T;           what a result is, and what a boxed value holds
///   using argument = A;        how a kernel takes it: T by value, or const T&
export template <fixed_string Name>
struct schema_type;

template <>
struct schema_type<"int"> {
  using value = std::int64_t;
  using argument = std::int64_t;
};
template <>
struct schema_type<"SymInt"> {
  using value = std::int64_t;
  using argument = std::int64_t;
};
template <>
struct schema_type<"float"> {
  using value = double;
  using argument = double;
};
template <>
struct schema_type<"complex"> {
  using value = std::complex<double>;
  using argument = std::complex<double>;
};
template <>
struct schema_type<"bool"> {
  using value = bool;
  using argument = bool;
};
template <>
struct schema_type<"str"> {
  using value = std::string;
  using argument = std::string_view;
};

/// A schema type that some imported module or this file has mapped to C++.
export template <fixed_string Name>
concept mapped_schema_type = requires { typename schema_type<Name>::value; };

namespace detail {

template <class T>
struct function_traits;  // the shape of a function type: result and parameters

template <class R, class... A>
struct function_traits<R(A...)> {
  using type = R(A...);
  using result = R;
  static constexpr std::size_t arity = sizeof...(A);
  template <std::size_t I>
  using parameter = std::tuple_element_t<I, std::tuple<std::type_identity<A>...>>::type;
};
template <class R, class... A>
struct function_traits<R(A...) noexcept> : function_traits<R(A...)> {};
template <class R, class... A>
struct function_traits<R (*)(A...)> : function_traits<R(A...)> {};
template <class R, class... A>
struct function_traits<R (*)(A...) noexcept> : function_traits<R(A...)> {};
template <class C, class R, class... A>
struct function_traits<R (C::*)(A...) const> : function_traits<R(A...)> {};
template <class C, class R, class... A>
struct function_traits<R (C::*)(A...) const noexcept> : function_traits<R(A...)> {};

// The parts of a text that is a schema or only a name, sized exactly.
template <fixed_string Text>
struct parsed {
  static constexpr auto count = [] {
    schema_view view;
    schema_parser parser(Text.view(), nullptr, nullptr);
    const schema_mistake mistake = parser.parse(view);
    return std::pair(mistake, parser.found());
  }();
  struct arrays {
    std::array<schema_item, count.second.arguments> arguments{};
    std::array<schema_item, count.second.returns> returns{};
    schema_view view{};
    schema_mistake mistake{};
  };
  static constexpr arrays parts = [] {
    arrays a;
    a.mistake = count.first;
    if (a.mistake.ok()) a.mistake = schema_parser(Text.view(), a.arguments.data(), a.returns.data()).parse(a.view);
    return a;
  }();
  static constexpr schema_view view{parts.view.ns, parts.view.name, parts.view.overload, parts.arguments,
                                    parts.returns};
  static constexpr bool has_signature = count.second.has_signature;
};

template <class Slot>
struct list_of {
  using value = std::vector<typename Slot::value>;
  using argument = std::span<const typename Slot::value>;
};
template <class Slot>
struct optional_of {
  using value = std::optional<typename Slot::value>;
  using argument = std::conditional_t<std::is_reference_v<typename Slot::argument>, const value&,
                                      std::optional<typename Slot::argument>>;
};

template <class Slot, const schema_item& Item, std::size_t M = 0>
consteval auto modified() {
  if constexpr (Item.modifiers[M] == type_modifier::list)
    return modified<list_of<Slot>, Item, M + 1>();
  else if constexpr (Item.modifiers[M] == type_modifier::optional)
    return modified<optional_of<Slot>, Item, M + 1>();
  else
    return std::type_identity<Slot>{};
}

// One argument or result of a schema as C++ types. A written argument is `T&`, whatever T's own way to pass is.
template <fixed_string Text, const schema_item& Item>
struct item_type {
  static constexpr auto core = substring<Text, Item.column - 1, Item.type.size()>();
  using slot = decltype(modified<schema_type<core>, Item>())::type;
  using argument = std::conditional_t<Item.writes, typename slot::value&, typename slot::argument>;
  using result = std::conditional_t<Item.writes, typename slot::value&, typename slot::value>;
};

template <fixed_string Text, const schema_item& Item>
consteval void explain_item(verdict& v) {
  constexpr auto core = substring<Text, Item.column - 1, Item.type.size()>();
  if constexpr (!mapped_schema_type<core>) {
    if (!v.ok()) return;
    v.add("schema '").add(Text.view()).add("', column ").add(Item.column).add(": unknown type '").add(core.view());
    v.add("'; import the module that maps it (topbit.tensor maps Tensor, Scalar, ScalarType, Device, Layout) ");
    v.add("or specialise topbit::schema_type for it");
  }
}

/// Why this text is neither a schema nor a name; empty if it is one of them.
template <fixed_string Text>
consteval verdict explain_text() {
  constexpr schema_mistake mistake = parsed<Text>::parts.mistake;
  verdict v;
  if (!mistake.ok()) {
    v.add("schema '").add(Text.view()).add("', column ").add(mistake.column).add(": expected ").add(mistake.expected);
  }
  return v;
}
template <fixed_string Text>
concept valid_text = explain_text<Text>().ok();

/// Why this text is no schema of a typed operator; empty if it is one.
template <fixed_string Text>
consteval verdict explain_schema() {
  using text = parsed<Text>;
  verdict v = explain_text<Text>();
  if constexpr (text::parts.mistake.ok()) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (explain_item<Text, text::parts.arguments[I]>(v), ...);
    }(std::make_index_sequence<text::parts.arguments.size()>{});
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (explain_item<Text, text::parts.returns[I]>(v), ...);
    }(std::make_index_sequence<text::parts.returns.size()>{});
  }
  return v;
}

template <fixed_string Text>
concept valid_schema = explain_schema<Text>().ok();

template <fixed_string Text>
consteval auto result_from_text() {
  constexpr auto& returns = parsed<Text>::parts.returns;
  if constexpr (returns.empty()) {
    return std::type_identity<void>{};
  } else if constexpr (returns.size() == 1) {
    return std::type_identity<typename item_type<Text, returns[0]>::result>{};
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::type_identity<std::tuple<typename item_type<Text, returns[I]>::result...>>{};
    }(std::make_index_sequence<returns.size()>{});
  }
}

template <fixed_string Text>
consteval auto signature_from_text() {
  static_assert(valid_schema<Text>, explain_schema<Text>());
  if constexpr (!valid_schema<Text>) {
    return std::type_identity<void()>{};
  } else if constexpr (!parsed<Text>::has_signature) {
    return std::type_identity<void>{};  // a name alone: the caller gives the signature
  } else {
    constexpr auto& arguments = parsed<Text>::parts.arguments;
    using result = decltype(result_from_text<Text>())::type;
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::type_identity<result(typename item_type<Text, arguments[I]>::argument...)>{};
    }(std::make_index_sequence<arguments.size()>{});
  }
}

/// Why an operator cannot have both this text and this signature; empty if it can.
template <fixed_string Text, class Sig>
consteval verdict explain_agreement() {
  verdict v;
  if constexpr (valid_schema<Text> && parsed<Text>::has_signature) {
    using computed = decltype(signature_from_text<Text>())::type;
    if constexpr (!std::same_as<computed, Sig>) {
      v.add("schema '").add(Text.view()).add("' stands for '").add(type_name<computed>()).add("', found beside it '");
      v.add(type_name<Sig>()).add("'; leave the signature out, or give a name alone");
    }
  }
  return v;
}
template <fixed_string Text, class Sig>
concept signature_agrees = explain_agreement<Text, Sig>().ok();

}  // namespace detail

/// The C++ function type a schema text stands for: `tensor(const tensor&, const scalar&)`.
export template <fixed_string Text>
using schema_signature = decltype(detail::signature_from_text<Text>())::type;

}  // namespace topbit

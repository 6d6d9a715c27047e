// From schema to C++ signature and back: the type of an operator is computed from its text.
//
// Each schema type names a C++ type by a specialisation of schema_type. The primary is never defined, so an unmapped
// type is found by a concept and reported with its column, not by a template error.
export module topbit.core:schema.signature;

import topbit.std;
import :schema.schema;
import :schema.schema_parser;
import :text.text;

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
struct schema_type<"DeviceIndex"> {
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
struct schema_type<"SymBool"> {
  using value = bool;
  using argument = bool;
};
template <>
struct schema_type<"str"> {
  using value = std::string;
  using argument = std::string_view;
};

namespace author {

/// A schema type that some imported module or this file has mapped to C++.
export template <fixed_string Name>
concept mapped_schema_type = requires { typename schema_type<Name>::value; };

}  // namespace author

namespace detail {

template <class T>
struct function_traits;  // the shape of a function type: result and parameters

template <class R, class... A>
struct function_traits<R(A...)> {
  using type = R(A...);
  using result = R;
  static constexpr std::size_t arity = sizeof...(A);
  template <std::size_t I>
  using parameter = A...[I];
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

// The parts of a text that is a schema or only a name.
template <std::size_t Items>
struct schema_code {
  item_code items[Items]{};
  schema_head head;
};
template <std::size_t Items>
constexpr schema_code<Items> parse_code(std::string_view text) noexcept {
  schema_code<Items> code;
  code.head = schema_parser(text, code.items).parse();
  return code;
}

template <fixed_string Text>
struct parsed {
  static constexpr auto code = parse_code<most_items(Text.view())>(Text.view());

  static constexpr std::string_view argument_name(std::size_t i) noexcept {
    return i < code.head.arguments ? part(Text.view(), code.items[i].name) : std::string_view{};
  }
  static constexpr std::string_view default_text(std::size_t i) noexcept {
    return i < code.head.arguments ? part(Text.view(), code.items[i].literal) : std::string_view{};
  }
  static constexpr int list_size(std::size_t i) noexcept {
    return i < code.head.arguments ? code.items[i].list_size : -1;
  }
  static constexpr bool is_keyword_only(std::size_t i) noexcept {
    return i < code.head.arguments && code.items[i].keyword_only;
  }
};

// What the parts of a schema are called, for those who ask; most programs never do, and pay nothing.
template <fixed_string Text>
struct [[gnu::visibility("hidden")]] parts {
  static constexpr auto items = [] {
    constexpr schema_head head = parsed<Text>::code.head;
    std::array<author::schema_item, std::size_t{head.arguments} + head.returns> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = item_from(Text.view(), parsed<Text>::code.items[i]);
    return all;
  }();
  static constexpr author::schema_view view =
      view_from(Text.view(), parsed<Text>::code.head, {items.data(), items.size()});
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
template <class Slot>
struct written {
  using argument = Slot::value&;
  using value = Slot::value&;
};

// A core's name as schema_type is specialised for it.
template <type_key Key>
consteval std::size_t core_size() {
  std::size_t n = 0;
  while (n < sizeof Key.core && Key.core[n] != 0) ++n;
  return n;
}
template <type_key Key>
consteval auto core_name() {
  fixed_string<core_size<Key>() + 1> name;
  copy_characters(name.chars, Key.core, core_size<Key>());
  return name;
}

template <class Slot, unsigned Modifiers>
consteval auto modified() {
  if constexpr ((Modifiers & 3) == 1)
    return modified<list_of<Slot>, (Modifiers >> 2)>();
  else if constexpr ((Modifiers & 3) == 2)
    return modified<optional_of<Slot>, (Modifiers >> 2)>();
  else
    return std::type_identity<Slot>{};
}

// The C++ types of all items of one schema type: how an argument is taken and what a result is. A written argument is
// `T&`, whatever T's own way to pass is. One instantiation per type, whatever the number of schemas.
template <type_key Key>
struct slot;
template <type_key Key>
  requires(!Key.writes && author::mapped_schema_type<core_name<Key>()>)
struct slot<Key> : decltype(modified<schema_type<core_name<Key>()>, Key.modifiers>())::type {};
template <type_key Key>
  requires(Key.writes && author::mapped_schema_type<core_name<Key>()>)
struct slot<Key> : written<typename decltype(modified<schema_type<core_name<Key>()>, Key.modifiers>())::type> {};

template <type_key Key>
inline constexpr bool is_mapped = author::mapped_schema_type<core_name<Key>()>;

// Every item of the schema stands for a C++ type.
template <fixed_string Text, class Items>
inline constexpr bool all_mapped = false;
template <fixed_string Text, std::size_t... I>
inline constexpr bool all_mapped<Text, std::index_sequence<I...>> = (is_mapped<parsed<Text>::code.items[I].key> && ...);
consteval std::size_t items_of(const schema_head& head) { return std::size_t{head.arguments} + head.returns; }

template <fixed_string Text>
concept valid_text = parsed<Text>::code.head.column == 0;
template <fixed_string Text>
concept valid_schema = valid_text<Text> && parsed<Text>::code.head.simple &&
                       !parsed<Text>::code.head.variadic_arguments && !parsed<Text>::code.head.variadic_returns &&
                       all_mapped<Text, std::make_index_sequence<items_of(parsed<Text>::code.head)>>;

/// Why this text is neither a schema nor a name; empty if it is one of them.
template <fixed_string Text>
consteval author::verdict explain_text() {
  constexpr schema_head head = parsed<Text>::code.head;
  author::verdict v;
  if (head.column != 0) {
    v.add("schema '").add(Text.view()).add("', column ").add(head.column).add(": expected ").add(head.expected);
  }
  return v;
}

// The name of an operator in code is a part of its text, so nothing stands inside it.
consteval bool is_unbroken(const schema_head& head) {
  const piece first = head.ns.size != 0 ? head.ns : head.name;
  const piece last = head.overload.size != 0 ? head.overload : head.name;
  const int marks = (head.ns.size != 0 ? 2 : 0) + (head.overload.size != 0 ? 1 : 0);
  return last.begin + last.size - first.begin == head.ns.size + head.name.size + head.overload.size + marks;
}
template <fixed_string Text>
concept unbroken_name = is_unbroken(parsed<Text>::code.head);
template <fixed_string Text>
consteval author::verdict explain_name() {
  author::verdict v;
  v.add("schema '").add(Text.view()).add("': found white space or a comment inside the operator's name, wanted none");
  return v;
}

template <fixed_string Text, std::size_t I>
consteval void explain_item(author::verdict& v) {
  constexpr item_code item = parsed<Text>::code.items[I];
  constexpr std::string_view type = part(Text.view(), item.type);
  if (!v.ok()) return;
  if constexpr (item.key.core[0] == 0) {
    v.add("schema '").add(Text.view()).add("', column ").add(item.type.begin + 1).add(": '").add(type);
    v.add(item.made_of_types ? "' has no C++ type; give the operator a name and a C++ signature instead"
                             : "' is longer than the 24 characters a mapped type may have");
  } else if constexpr (!is_mapped<item.key>) {
    v.add("schema '").add(Text.view()).add("', column ").add(item.type.begin + 1).add(": unknown type '").add(type);
    v.add("'; import the module that maps it (topbit.tensor maps Tensor, Scalar, ScalarType, Device, Layout) ");
    v.add("or specialise topbit::schema_type for it");
  }
}

/// Why this text is no schema of a typed operator; empty if it is one.
template <fixed_string Text>
consteval author::verdict explain_schema() {
  author::verdict v = explain_text<Text>();
  if constexpr (valid_text<Text>) {
    constexpr schema_head head = parsed<Text>::code.head;
    if constexpr (head.variadic_arguments || head.variadic_returns) {
      v.add("schema '").add(Text.view()).add("': '...' has no C++ type; a typed operator has a fixed number of ");
      v.add("arguments and results");
    }
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (explain_item<Text, I>(v), ...);
    }(std::make_index_sequence<items_of(head)>{});
  }
  return v;
}

// The results are the items behind the arguments.
template <fixed_string Text, std::size_t First, std::size_t Count>
struct results {
  using type = decltype([]<std::size_t... J>(std::index_sequence<J...>) {
    return std::type_identity<std::tuple<typename slot<parsed<Text>::code.items[First + J].key>::value...>>{};
  }(std::make_index_sequence<Count>{}))::type;
};
template <fixed_string Text, std::size_t First>
struct results<Text, First, 0> {
  using type = void;
};
template <fixed_string Text, std::size_t First>
struct results<Text, First, 1> {
  using type = slot<parsed<Text>::code.items[First].key>::value;
};

template <fixed_string Text, class Arguments>
struct function_from;
template <fixed_string Text, std::size_t... I>
struct function_from<Text, std::index_sequence<I...>> {
  using type = results<Text, sizeof...(I), parsed<Text>::code.head.returns>::type(
      typename slot<parsed<Text>::code.items[I].key>::argument...);
};

enum class schema_state : std::uint8_t { refused, name_alone, signature };
template <fixed_string Text>
inline constexpr schema_state schema_state_of = !valid_schema<Text>                     ? schema_state::refused
                                                : parsed<Text>::code.head.has_signature ? schema_state::signature
                                                                                        : schema_state::name_alone;

template <fixed_string Text, schema_state State = schema_state_of<Text>>
struct schema_function {
  static_assert(valid_schema<Text>, explain_schema<Text>());
  using type = void();
};
template <fixed_string Text>
struct schema_function<Text, schema_state::signature>
    : function_from<Text, std::make_index_sequence<parsed<Text>::code.head.arguments>> {};
// The caller gives the signature.
template <fixed_string Text>
struct schema_function<Text, schema_state::name_alone> {
  using type = void;
};

/// Why a name is not enough for an operator; empty where there is more.
template <fixed_string Text>
consteval author::verdict explain_name_alone() {
  author::verdict v;
  if constexpr (schema_state_of<Text> == schema_state::name_alone) {
    v.add(Text.view()).add(": found only a name, wanted a schema, op<\"").add(Text.view());
    v.add("(int x) -> int\">, or the name and a C++ signature, op<\"").add(Text.view());
    v.add("\", std::int64_t(std::int64_t)>");
  }
  return v;
}
template <fixed_string Text>
concept has_types = explain_name_alone<Text>().ok();

/// Why an operator cannot have both this text and this signature, which signature_agrees has refused.
template <fixed_string Text, class Sig>
consteval author::verdict explain_agreement() {
  author::verdict v;
  if constexpr (valid_schema<Text> && parsed<Text>::code.head.has_signature) {
    using computed = schema_function<Text>::type;
    v.add("schema '").add(Text.view()).add("' stands for '").add(type_name<computed>()).add("', found beside it '");
    v.add(type_name<Sig>()).add("'; leave the signature out, or give only a name");
  }
  return v;
}
template <fixed_string Text, class Sig>
concept signature_agrees =
    schema_state_of<Text> != schema_state::signature || std::same_as<typename schema_function<Text>::type, Sig>;

}  // namespace detail

namespace author {

/// The C++ function type a schema text stands for: `tensor(const tensor&, const scalar&)`.
export template <fixed_string Text>
using schema_signature = detail::schema_function<Text>::type;

}  // namespace author

}  // namespace topbit

// Schemas as data: what an operator takes and gives, in parts that point into its text.
//
//   ns::name.overload(Tensor self, Tensor(a!) out, int[2] size, *, Scalar alpha=1, Device? device=None) -> Tensor
export module topbit.core:schema.schema;

import topbit.std;
import :schema.schema_parser;
import :text.characters;

namespace topbit {

namespace author {

/// What follows a core type: `[]` or `?`, innermost first.
export enum class type_modifier : std::uint8_t { none, list, optional };

/// One argument or result of a schema. The views point into the schema's text.
export struct schema_item {
  std::string_view type;          // the core: "Tensor", "Dict(str, int)", "(int, Tensor)"
  std::string_view name;          // empty for a result without one
  std::string_view default_text;  // as it was written
  std::string_view alias;         // the sets it is in: "a", "a|b", "*"; empty if it is in none, or alone in one
  std::string_view alias_after;   // the sets it is in after the call, where they were written: "a -> b"
  std::string_view list_alias;    // of `Tensor(a)[](b)` what the list itself has, "b"
  std::array<type_modifier, 4> modifiers{};
  std::size_t column = 0;  // of the type, from 1
  int list_size = -1;      // N of `T[N]`
  bool writes = false;
  bool keyword_only = false;
  bool has_default = false;
};

/// A parsed schema that does not own its parts. Two are equal if their canonical texts are: names, types, sizes,
/// annotations as sets, defaults as values.
export struct schema_view {
  std::string_view ns, name, overload;
  std::span<const schema_item> arguments, returns;
  bool variadic_arguments = false, variadic_returns = false;  // end in `...`
};

/// An argument whose value the operator makes: written, and given by name.
export constexpr bool is_out(const schema_item& argument) noexcept { return argument.writes && argument.keyword_only; }
/// Whether alias sets as items name them, such as "a|b" and "b", have one in common; "*" is all of them.
export constexpr bool have_common_set(std::string_view a, std::string_view b) noexcept {
  return topbit::detail::have_common_set(a, b);
}
/// Some argument is written.
export constexpr bool is_mutable(const schema_view& s) noexcept {
  for (const schema_item& a : s.arguments) {
    if (a.writes) return true;
  }
  return false;
}
/// The first argument is written and is the one result, and nothing else is aliased: `add_`.
export constexpr bool is_in_place(const schema_view& s) noexcept {
  if (s.arguments.empty() || !s.arguments[0].writes || s.returns.size() != 1 || !s.returns[0].writes) return false;
  for (const schema_item& a : s.arguments.subspan(1)) {
    if (a.writes || !a.alias.empty()) return false;
  }
  return true;
}

}  // namespace author

/// A schema that owns its text; made at run time.
export class schema {
 public:
  /// Throws bad_schema with the column and what was expected there. Takes time in proportion to the text.
  explicit schema(std::string_view text);
  schema(const schema& other) : schema(other.text_) {}
  schema& operator=(const schema&) = delete;
  const author::schema_view& view() const noexcept { return view_; }

 private:
  std::string text_;
  std::vector<author::schema_item> items_;
  author::schema_view view_;
};

namespace author {

/// "ns::name.overload", or without what is empty.
export std::string qualified_name(const schema_view& s);

/// The argument that a written result is: the first that is written, of its type and in one of its alias sets. Throws
/// bad_schema where there is none, which no text that was parsed lacks.
export std::size_t written_argument(const schema_view& s, std::size_t result);

}  // namespace author

namespace detail {

constexpr std::string_view part(std::string_view text, piece p) noexcept { return {text.data() + p.begin, p.size}; }

// The item that a parser's code stands for in this text.
constexpr author::schema_item item_from(std::string_view text, const item_code& code) noexcept {
  author::schema_item item{.type = part(text, code.type),
                           .name = part(text, code.name),
                           .default_text = part(text, code.literal),
                           .alias = part(text, code.alias),
                           .alias_after = part(text, code.alias_after),
                           .list_alias = part(text, code.list_alias),
                           .column = std::size_t{code.type.begin} + 1,
                           .list_size = code.list_size,
                           .writes = code.key.writes,
                           .keyword_only = code.keyword_only,
                           .has_default = code.literal.size != 0};
  for (std::size_t i = 0; i < item.modifiers.size(); ++i)
    item.modifiers[i] = static_cast<author::type_modifier>(code.key.modifiers >> (2 * i) & 3);
  return item;
}

constexpr author::schema_view view_from(std::string_view text, const schema_head& head,
                                        std::span<const author::schema_item> items) noexcept {
  return {part(text, head.ns),
          part(text, head.name),
          part(text, head.overload),
          items.first(head.arguments),
          items.subspan(head.arguments, head.returns),
          head.variadic_arguments,
          head.variadic_returns};
}

}  // namespace detail

}  // namespace topbit

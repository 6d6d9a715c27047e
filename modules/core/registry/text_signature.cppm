// Signatures that are made when the program runs, from a schema text alone: for bindings to other languages, and for
// operators that a table lists. Such an operator is called with values on a stack until a caller knows its
// C++ signature; then it is called by that too.
export module topbit.core:registry.text_signature;

import topbit.std;
import :boxing.boxable;
import :boxing.boxed_form;
import :boxing.slot;
import :boxing.unboxed;
import :boxing.value;
import :dispatch.operator_info;
import :keys.key_set;
import :schema.extract;
import :schema.schema_parser;
import :schema.signature;
import :schema.signature_types;
import :text.text;

namespace topbit {

namespace detail {

// A schema type as an argument and as a result. Plain data, which says of a type what templates say of it elsewhere.
struct text_type {
  type_key key;  // without a core where values of it cannot be boxed
  slot_info argument, result;
  named_type argument_name, result_name;
  bool selects_device;
  key_set (*backend_keys)(value&);  // null: does not say where to run
};

template <type_key Key>
consteval text_type text_type_of() {
  using argument = slot<Key>::argument;
  using result = slot<Key>::value;
  if constexpr (!wanted_for_boxes<argument>().empty() || !boxable_result<result>) {
    return {};
  } else {
    text_type t{Key, slot_of<argument>(), slot_of<result>(), named<argument>, named<result>, may_place<argument>, {}};
    if constexpr (author::selects_backend<std::remove_cvref_t<argument>>) {
      t.backend_keys = [](value& v) -> key_set {
        const std::remove_cvref_t<argument>& x = unboxed<argument>::read(v);
        return backend_keys_of(x);
      };
    }
    return t;
  }
}

template <fixed_string Word>
consteval type_key key_of_word(unsigned modifiers, bool writes) {
  type_key k;
  static_assert(Word.view().size() <= sizeof k.core, "a mapped type has at most 24 characters");
  for (std::size_t i = 0; i < Word.view().size(); ++i) k.core[i] = Word.chars[i];
  k.modifiers = static_cast<std::uint8_t>(modifiers);
  k.writes = writes;
  return k;
}

// T, T[], T?, T[]?, T?[], T(a!), T(a!)[]: innermost lowest, two bits each, 1 for a list and 2 for an optional.
template <fixed_string Word>
inline constexpr std::array text_types{
    text_type_of<key_of_word<Word>(0, false)>(), text_type_of<key_of_word<Word>(1, false)>(),
    text_type_of<key_of_word<Word>(2, false)>(), text_type_of<key_of_word<Word>(9, false)>(),
    text_type_of<key_of_word<Word>(6, false)>(), text_type_of<key_of_word<Word>(0, true)>(),
    text_type_of<key_of_word<Word>(1, true)>()};

void register_text_types(std::span<const text_type> types, std::source_location where);

// A signature that was made from a text. Lives for good.
struct text_signature : signature_info {
  std::string raw_name;
  std::vector<slot_info> argument_list, result_list;
  std::vector<named_type> argument_names, result_names;
  std::vector<key_set (*)(value&)> backend_keys;  // of each argument
};
// This signature, if it was made from a text; else null.
const text_signature* as_text_signature(const signature_info* s) noexcept;
// The signature that the items of a schema stand for. Throws bad_schema for the first that stands for none.
const text_signature& signature_of_text(std::string_view schema, const schema_head& head,
                                        std::span<const item_code> items);

}  // namespace detail

/// For authors of operator libraries and backends.
export namespace author {

/// Lets operators that are defined from a text take and return these schema types, each of which schema_type maps to
/// C++: `register_schema_types<"Tensor", "Scalar">()`, also as `T[]`, `T?`, `T[]?`, `T?[]`, `T(a!)` and `T(a!)[]`.
/// `int`, `SymInt`, `float`, `complex`, `bool` and `str` are known without it, those of topbit.tensor where topbit.ops
/// is imported. Saying so again is allowed. Throws bad_registration for a word that stands for another C++ type
/// already.
template <fixed_string... Words>
void register_schema_types(std::source_location where = std::source_location::current())
  requires(mapped_schema_type<Words> && ...)
{
  (detail::register_text_types(detail::text_types<Words>, where), ...);
}

}  // namespace author

}  // namespace topbit

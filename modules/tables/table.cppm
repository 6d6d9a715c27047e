// A table that the compiler reads: its text as a constant, what is in it, and the operators that it declares.
export module topbit.tables:table;

import topbit.std;
import topbit.core;
import :check;
import :entry;
import :position;
import :reader;

export namespace topbit::tables {

/// The text of a table with the namespace of its operators, which entries need not repeat, and the name of its file for
/// messages. Declare it `inline constexpr` in a namespace, since it is a template argument by reference:
///   inline constexpr topbit::tables::table ops{"demo", R"(- func: ...)"};
/// The text may end with a zero, as string literals do, or without one.
struct table {
  std::string_view ns, text, file;
  template <std::size_t N, std::size_t M, std::size_t F = 6>
  constexpr table(const char (&ns)[N], const char (&text)[M], const char (&file)[F] = "table") noexcept
      : ns(ns, N - 1), text(text, text[M - 1] == '\0' ? M - 1 : M), file(file, F - 1) {}
};

}  // namespace topbit::tables

namespace topbit::tables {

constexpr const table& as_table(const table& t) noexcept { return t; }
// The entries of a text alone have their namespaces in their schemas.
template <std::size_t N>
constexpr table as_table(const char (&text)[N]) noexcept {
  return {"", text};
}

// Of the sizes of bounds_of(); `counts` is how much of them is used.
template <std::size_t Entries, std::size_t Items>
struct table_arrays {
  std::array<table_entry, Entries> entries{};
  std::array<dispatch_item, Items> items{};
  std::array<named_place, Items> autogens{};
  std::array<std::uint32_t, 2 * Entries + 1> slots{};
  entry_counts counts;
  mistake wrong;
  constexpr table_view view() const noexcept {
    return {{entries.data(), counts.entries},
            {items.data(), counts.items},
            {autogens.data(), counts.autogens},
            {slots.data(), slots.size()}};
  }
};

// Entries have the table's namespace, in their schemas or not; `ns` may be empty, then that of the first is meant.
constexpr mistake check_namespaces(std::span<const table_entry> entries, std::string_view ns) {
  mistake m;
  if (ns.empty() && !entries.empty()) ns = entries[0].ns;
  for (const table_entry& e : entries) {
    if (e.ns.empty() ? !ns.empty() : e.ns == ns) continue;
    m.at = e.func.at;
    if (e.ns.empty()) {
      m.text.add("found '").add(e.name).add("' without a namespace, wanted ns::").add(e.name);
      m.text.add(", or one for the table, as in tables::table{\"ns\", text}");
    } else {
      m.text.add("found the namespace '").add(e.ns).add("', wanted '").add(ns).add("', or none");
    }
    return m;
  }
  return m;
}

template <const auto& Table>
struct parsed_table {
  static constexpr table source = as_table(Table);
  static constexpr entry_counts bounds = bounds_of(source.text);
  static constexpr auto all = [] {
    table_arrays<bounds.entries, bounds.items> a;
    entry_sink sink(a.entries.data(), a.items.data(), a.autogens.data());
    a.wrong = read_yaml(source.text, sink);
    if (!a.wrong.ok()) return a;
    a.counts = sink.counts();
    a.wrong = check_entries(a.view(), {a.slots.data(), a.slots.size()});
    if (a.wrong.ok()) a.wrong = check_namespaces(a.view().entries, source.ns);
    return a;
  }();
  static constexpr entry_counts counts = all.counts;
  static constexpr table_view view = all.view();
  static constexpr std::string_view ns = source.ns.empty() && counts.entries != 0 ? all.entries[0].ns : source.ns;
};

template <const auto& Table>
concept valid_table = parsed_table<Table>::all.wrong.ok();
template <const auto& Table>
consteval auto explain(const mistake& m) {
  return sentence_of(parsed_table<Table>::source.file, m);
}

// The schema of an entry, with its namespace, as it would be written by hand.
template <const auto& Table, std::size_t I>
consteval auto schema_text() {
  using parsed = parsed_table<Table>;
  constexpr std::size_t prefix = parsed::all.entries[I].ns.empty() ? parsed::ns.size() + 2 : 0;
  fixed_string<prefix + parsed::all.entries[I].func.size() + 1> text;
  if constexpr (prefix != 0) {
    copy_text(text.chars, parsed::ns);
    text.chars[prefix - 2] = text.chars[prefix - 1] = ':';
  }
  parsed::all.entries[I].func.copy(text.chars + prefix);
  return text;
}

// Named in the compiler's notes where a schema is refused.
template <const auto& Table, std::size_t I, std::uint32_t Line>
struct operator_in_line {
  using type = op<schema_text<Table, I>()>;
};
template <const auto& Table, std::size_t I>
using operator_at = operator_in_line<Table, I, parsed_table<Table>::all.entries[I].func.at.line>::type;

template <const auto& Table>
constexpr std::size_t entry_named(std::string_view name) {
  const std::string_view ns = parsed_table<Table>::ns;
  if (name.size() > ns.size() + 2 && same_text(name.substr(0, ns.size()), ns) && name[ns.size()] == ':')
    name.remove_prefix(ns.size() + 2);
  return parsed_table<Table>::view.find(name);
}
template <const auto& Table, fixed_string Name>
concept has_operator = entry_named<Table>(Name.view()) != parsed_table<Table>::counts.entries;

template <const auto& Table, fixed_string Name>
consteval auto explain_name() {
  author::basic_verdict<900> v;
  author::verdict near;
  parsed_table<Table>::view.suggest_entry(Name.view(), near);
  v.add(parsed_table<Table>::source.file).add(": found no operator '").add(Name.view());
  return v.add("', wanted one of this table").add(near.view());
}

// The sentences are made where something is wrong only, since that costs more than to see that nothing is.
template <const auto& Table>
consteval std::nullptr_t refuse_table() {
  static_assert(valid_table<Table>, explain<Table>(parsed_table<Table>::all.wrong));
  return nullptr;
}
template <const auto& Table, fixed_string Name>
consteval std::nullptr_t refuse_name() {
  static_assert(has_operator<Table, Name>, explain_name<Table, Name>());
  return nullptr;
}
template <const auto& Table, fixed_string Name>
consteval auto make_op() {
  if constexpr (!valid_table<Table>)
    return refuse_table<Table>();
  else if constexpr (!has_operator<Table, Name>)
    return refuse_name<Table, Name>();
  else
    return operator_at<Table, entry_named<Table>(Name.view())>();
}

template <bool AsMany, const auto& Table, std::size_t I, class... Op>
consteval bool is_declared() {
  if constexpr (AsMany)
    return std::same_as<Op...[I], operator_at<Table, I>>;
  else
    return (std::same_as<Op, operator_at<Table, I>> || ...);
}

// A list of operators that somebody else declared, such as a generated file, against the table.
template <const auto& Table, class... Op>
consteval auto explain_declared() {
  using parsed = parsed_table<Table>;
  mistake m;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto compare = [&](bool same, std::size_t i) {
      if (same || !m.ok()) return;
      m.at = parsed::all.entries[i].func.at;
      m.text.add("found '").add(parsed::all.entries[i].func.raw.substr(0, 200));
      m.text.add("', which is not what was declared; run 'topbit generate' again");
    };
    constexpr bool as_many = sizeof...(Op) == parsed::counts.entries;
    (compare(is_declared<as_many, Table, I, Op...>(), I), ...);
  }(std::make_index_sequence<parsed::counts.entries>{});
  if (m.ok() && sizeof...(Op) != parsed::counts.entries) {
    m.text.add("found ").add(parsed::counts.entries).add(" operators, of ").add(sizeof...(Op));
    m.text.add(" that were declared; run 'topbit generate' again");
  }
  return explain<Table>(m);
}

}  // namespace topbit::tables

export namespace topbit::tables {

/// The operator of this name, with the table's namespace in front or without: the same object type as that of
/// `op<"demo::scaled_add(...) -> Tensor">`.
template <const auto& Table, fixed_string Name>
inline constexpr auto op_of = make_op<Table, Name>();

/// What the table says of this operator.
template <const auto& Table, fixed_string Name>
  requires valid_table<Table> && has_operator<Table, Name>
constexpr const table_entry& entry_of() noexcept {
  return parsed_table<Table>::all.entries[entry_named<Table>(Name.view())];
}

/// True if these are the operators of the table, in its order.
template <const auto& Table, auto... Op>
concept declared = valid_table<Table> && explain_declared<Table, decltype(Op)...>().ok();

}  // namespace topbit::tables

namespace topbit::tables {

template <const auto& Table, auto... Op>
consteval auto explain_declarations() {
  if constexpr (valid_table<Table>)
    return explain_declared<Table, decltype(Op)...>();
  else
    return explain<Table>(parsed_table<Table>::all.wrong);
}

}  // namespace topbit::tables

export namespace topbit::tables {

/// Generated declarations assert this: they do not compile when the table has changed.
template <const auto& Table, auto... Op>
consteval bool check_declarations() {
  static_assert(declared<Table, Op...>, explain_declarations<Table, Op...>());
  return true;
}

}  // namespace topbit::tables

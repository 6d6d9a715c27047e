// What takes several entries to check: names, structured groups.
export module topbit.tables:check;

import topbit.std;
import topbit.core;
import :entry;
import :position;
import :reader;
import :words;

namespace topbit::tables {

// A table that has been read.
struct table_view {
  std::span<const table_entry> entries;
  std::span<const dispatch_item> items;
  std::span<const named_place> autogens;
  std::span<const std::uint32_t> slots;  // of a name_index

  constexpr std::span<const dispatch_item> items_of(const table_entry& e) const noexcept {
    return items.subspan(e.first_item, e.items);
  }
  constexpr auto names() const noexcept {
    return [this](std::uint32_t i) { return entries[i].name; };
  }
  // entries.size() where there is none of this name.
  constexpr std::size_t find(std::string_view name) const {
    return find_name(slots, name, names(), static_cast<std::uint32_t>(entries.size()));
  }
  constexpr void suggest_entry(std::string_view name, author::verdict& v) const {
    near_name near(name);
    for (const table_entry& e : entries) near.consider(e.name);
    near.suggest(v);
  }
};

// A key of plain tensors of a backend, whose kernels the forms of a structured group share.
constexpr bool is_dense(std::string_view key) noexcept {
  const auto found = key_of_word(key);
  return found ? !found->is_alias() && found->row.layer == functionality::Dense : is_small(key.front());
}
constexpr bool is_composite(std::string_view key) noexcept { return key.starts_with("Composite"); }

struct entry_checker {
  const table_view& t;
  mistake& m;

  constexpr author::verdict& at(position p) const noexcept {
    m.at = p;
    return m.text;
  }

  constexpr void names(std::size_t i, std::size_t first) const {
    const table_entry& e = t.entries[i];
    if (first != i) {
      at(e.func.at).add("found the operator '").add(e.name).add("' a second time; the first is in line ");
      m.text.add(t.entries[first].at.line);
      return;
    }
    if (e.is_method && !has_argument(e.func.raw, "self"))
      at(e.at).add("found the variant method for '").add(e.name).add("', wanted an argument 'self' in its schema");
  }
  // `Tensor self,`: a word of the schema that a comma, a parenthesis or a default follows.
  static constexpr bool has_argument(std::string_view schema, std::string_view name) noexcept {
    for (std::size_t i = schema.find(name); i != schema.npos; i = schema.find(name, i + 1)) {
      const std::size_t end = i + name.size();
      if (i == 0 || (schema[i - 1] != ' ' && schema[i - 1] != '\n') || end == schema.size()) continue;
      if (schema[end] == ',' || schema[end] == ')' || schema[end] == '=' || schema[end] == ' ') return true;
    }
    return false;
  }

  constexpr void autogens(const table_entry& e) const {
    for (const named_place& form : t.autogens.subspan(e.first_autogen, e.autogens)) {
      if (t.find(form.name) != t.entries.size()) continue;
      at(form.at).add("found no entry of '").add(form.name).add("', wanted one: forms are not made from others");
      t.suggest_entry(form.name, m.text);
      return;
    }
  }

  constexpr void structured(const table_entry& e) const {
    if (!e.structured_inherits.name.empty() && !e.structured) {
      at(e.structured_inherits.at).add("found structured_inherits, wanted 'structured: True' beside it");
    } else if (e.structured && !e.structured_delegate.name.empty()) {
      at(e.structured_delegate.at).add("found structured and structured_delegate, wanted one of them");
    } else if (e.structured && e.items == 0) {
      at(e.structured_at)
          .add("found structured '")
          .add(e.name)
          .add("' without dispatch, wanted a kernel for a backend");
    } else if (e.structured) {
      for (const dispatch_item& i : t.items_of(e)) {
        if (!is_composite(i.key)) continue;
        at(i.key_at).add("found ").add(i.key).add(" for structured '").add(e.name);
        m.text.add("', wanted keys of backends: a composite has no kernel that its forms can share");
        return;
      }
    } else if (!e.structured_delegate.name.empty()) {
      delegate(e);
    }
  }

  constexpr void delegate(const table_entry& e) const {
    const named_place& to = e.structured_delegate;
    const std::size_t out = t.find(to.name);
    if (out == t.entries.size()) {
      at(to.at).add("found structured_delegate '").add(to.name).add("', wanted an entry of this table");
      t.suggest_entry(to.name, m.text);
      return;
    }
    if (!t.entries[out].structured) {
      at(to.at)
          .add("found structured_delegate '")
          .add(to.name)
          .add("', wanted an entry with 'structured: True'; line ");
      m.text.add(t.entries[out].at.line).add(" has none");
      return;
    }
    for (const dispatch_item& i : t.items_of(e)) {
      if (!is_dense(i.key) && !is_composite(i.key)) continue;
      at(i.key_at).add("found ").add(i.key).add(" for '").add(e.name).add(
          "', which has its kernels of backends from '");
      m.text.add(to.name).add("'; remove it, or structured_delegate");
      return;
    }
  }
};

// The first mistake, without a look at schemas. Makes the index of the view, of at least twice as many slots as
// entries.
constexpr mistake check_entries(const table_view& t, std::span<std::uint32_t> slots) {
  mistake m;
  const entry_checker check{t, m};
  const name_index index{slots};
  for (std::uint32_t i = 0; m.ok() && i < t.entries.size(); ++i) check.names(i, index.insert(i, t.names()));
  for (std::size_t i = 0; m.ok() && i < t.entries.size(); ++i) {
    const table_entry& e = t.entries[i];
    if (e.autogens != 0) check.autogens(e);
    if (m.ok() && (e.structured || !e.structured_delegate.name.empty() || !e.structured_inherits.name.empty()))
      check.structured(e);
  }
  return m;
}

constexpr std::size_t outs_of(const author::schema_view& s) noexcept {
  std::size_t outs = 0;
  for (const author::schema_item& a : s.arguments) outs += author::is_out(a) ? 1 : 0;
  return outs;
}

constexpr mistake check_out_form(const table_entry& e, const author::schema_view& s) {
  mistake m;
  const std::size_t outs = outs_of(s);
  bool last = outs != 0;
  for (std::size_t i = s.arguments.size() - outs; last && i < s.arguments.size(); ++i)
    last = author::is_out(s.arguments[i]);
  if (last && s.returns.size() == outs) return m;
  m.at = e.structured_at;
  m.text.add("found structured '").add(e.name);
  m.text.add("', wanted an out form: its last arguments are written and given by name, and are its results");
  return m;
}

constexpr bool same_item(const author::schema_item& a, const author::schema_item& b) noexcept {
  return a.type == b.type && a.name == b.name && a.default_text == b.default_text && a.modifiers == b.modifiers &&
         a.list_size == b.list_size && a.keyword_only == b.keyword_only;
}

// The form takes what the out form takes, apart from the results.
constexpr mistake check_form(const table_entry& e, const author::schema_view& form, const table_entry& out_entry,
                             const author::schema_view& out) {
  mistake m;
  const std::size_t outs = outs_of(out), shared = out.arguments.size() - outs;
  const auto& at = e.structured_delegate.at;
  const auto begin = [&] {
    m.at = at;
    m.text.add("found '").add(e.name).add("' to delegate to '").add(out_entry.name).add("' in line ");
    m.text.add(out_entry.at.line).add(": ");
  };
  if (form.arguments.size() != shared) {
    begin();
    m.text.add("it has ").add(form.arguments.size()).add(" arguments, wanted the ").add(shared);
    m.text.add(" that come before the results there");
    return m;
  }
  for (std::size_t i = 0; i < shared; ++i) {
    if (same_item(form.arguments[i], out.arguments[i])) continue;
    begin();
    m.text.add("argument ").add(i + 1).add(", '").add(form.arguments[i].name);
    m.text.add("', differs from '").add(out.arguments[i].name).add("' there in its type, name or default");
    return m;
  }
  if ((!author::is_mutable(form) && form.returns.size() == outs) || (author::is_in_place(form) && outs == 1)) return m;
  begin();
  m.text.add("wanted a form that returns the ").add(outs).add(outs == 1 ? " result" : " results");
  m.text.add(", new or written into its first argument");
  return m;
}

}  // namespace topbit::tables

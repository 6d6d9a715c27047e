// The entries of a table: what the keys of each say, checked one by one. What takes several entries, functions or
// schemas to check is checked by who has them.
export module topbit.tables:entry;

import topbit.std;
import topbit.core;
import :cursor;
import :position;
import :reader;
import :words;

export namespace topbit::tables {

/// One key of a dispatch list and its function.
struct dispatch_item {
  std::uint32_t entry = 0;
  std::string_view key;
  position key_at;
  std::string_view function;
  position function_at;
  std::optional<key_target> target{};  // none: the name of a private backend
};

/// A name in a key's value.
struct named_place {
  std::string_view name;
  position at;
};

/// One entry: an operator and what the table says of it. Views point into the table's text.
struct table_entry {
  position at;
  scalar func;
  std::string_view ns, name;  // "demo" or empty, "sub.out"
  std::uint32_t first_item = 0, items = 0;
  tag_set tags;
  position tags_at;
  named_place structured_delegate, structured_inherits, gradient;
  position structured_at;
  bool structured = false, has_dispatch = false;
  bool is_function = true, is_method = false;        // variants
  bool checks_devices = true, guards_device = true;  // device_check, device_guard
  std::uint32_t first_autogen = 0, autogens = 0;
};

}  // namespace topbit::tables

namespace topbit::tables {

// The keys that an entry may have.
inline constexpr std::array<std::string_view, 11> entry_keys{
    "func",         "dispatch", "variants", "structured", "structured_delegate", "structured_inherits",
    "device_check", "autogen",  "tags",     "gradient",   "device_guard"};

// How many there are of each.
struct entry_counts {
  std::uint32_t entries = 0, items = 0, autogens = 0;
};

// At least as many as a text has of each, from its line ends and commas alone.
constexpr entry_counts bounds_of(std::string_view text) noexcept {
  entry_counts n{.entries = 1, .items = 1, .autogens = 1};
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* const stop = find_byte(at, end, '\n');
    while (at != stop && *at == ' ') ++at;
    if (at != stop && *at == '-') ++n.entries;
    ++n.items;
    for (at = find_byte(at, stop, ','); at != stop; at = find_byte(at + 1, stop, ',')) ++n.items;
    at = stop == end ? end : stop + 1;
  }
  n.autogens = n.items;
  return n;
}

// Fills arrays, of bounds_of(), with the entries of a table. A lenient
// one is for lists that were written for PyTorch: it takes keys of entries, dispatch keys and tags that it does not
// know.
class entry_sink {
 public:
  constexpr entry_sink(table_entry* entries, dispatch_item* items, named_place* autogens) noexcept
      : entries_(entries), items_(items), autogens_(autogens) {}
  constexpr entry_sink& lenient() noexcept {
    lenient_ = true;
    return *this;
  }
  constexpr const entry_counts& counts() const noexcept { return n_; }

  constexpr void entry(position at, mistake&) noexcept {
    e_ = entries_ + n_.entries;
    e_->at = at;
    e_->first_item = n_.items;
    e_->first_autogen = n_.autogens;
    seen_ = 0;
  }

  constexpr void key(const scalar& k, value_kind kind, mistake& m) {
    key_ = index_of(k.raw);
    if (key_ == entry_keys.size()) {
      if (!lenient_) {
        m.at = k.at;
        m.text.add("found the key '").add(k.raw).add("', wanted one of an entry, such as func or dispatch");
        near_name near(k.raw);
        for (const std::string_view known : entry_keys) near.consider(known);
        near.suggest(m.text);
      }
      return;
    }
    if ((seen_ >> key_ & 1) != 0) {
      m.at = k.at;
      m.text.add("found the key '").add(k.raw).add("' a second time in this entry, wanted it once");
      return;
    }
    seen_ |= 1U << key_;
    const bool lists = key_ == tags_key || key_ == autogen_key || key_ == variants_key;
    const value_kind wanted = key_ == dispatch_key_ ? value_kind::map : value_kind::scalar;
    if (kind == wanted || (lists && kind == value_kind::list)) {
      if (key_ == dispatch_key_) e_->has_dispatch = true;
      if (key_ == variants_key) e_->is_function = e_->is_method = false;
      if (key_ == tags_key) e_->tags_at = k.at;
      return;
    }
    m.at = k.at;
    m.text.add("found ").add(name_of(kind)).add(" for '").add(k.raw).add("', wanted ").add(name_of(wanted));
    if (key_ == dispatch_key_) m.text.add(" of lines 'CPU, CUDA: function'");
  }

  constexpr void value(const scalar& v, mistake& m) {
    switch (key_) {
      case 0: return func(v, m);
      case variants_key: return words(v, [&](std::string_view word, position at) { variant(word, at, m); });
      case structured_key: e_->structured_at = v.at; return truth(v, e_->structured, m);
      case 4: return name(v, e_->structured_delegate, "the name of an operator, such as sub.out", m);
      case 5: return name(v, e_->structured_inherits, "TensorIteratorBase", m);
      case device_check_key: return device_check(v, m);
      case autogen_key:
        return words(v, [&](std::string_view word, position at) { autogens_[n_.autogens++] = {word, at}; });
      case tags_key: return words(v, [&](std::string_view word, position at) { tag_word(word, at, m); });
      case gradient_key: return name(v, e_->gradient, "the name of a function", m);
      case device_guard_key: return truth(v, e_->guards_device, m);
      default: return;
    }
  }

  // `CPU, CUDA: function`
  constexpr void pair(const scalar& keys, const scalar& function, mistake& m) {
    if (key_ != dispatch_key_) return;
    if (!is_name(function.raw, true)) {
      m.at = function.at;
      m.text.add("found '").add(function.raw).add("', wanted the name of a function");
      return;
    }
    words(keys, [&](std::string_view word, position at) { dispatch(word, at, function, m); });
  }

  constexpr void end_of_entry(mistake& m) {
    if ((seen_ & 1) == 0) {
      m.at = e_->at;
      m.text.add("found an entry without func, wanted 'func: name(Tensor self) -> Tensor', its schema");
      return;
    }
    e_->items = n_.items - e_->first_item;
    e_->autogens = n_.autogens - e_->first_autogen;
    ++n_.entries;
  }

 private:
  static constexpr std::size_t dispatch_key_ = 1, variants_key = 2, structured_key = 3, device_check_key = 6,
                               autogen_key = 7, tags_key = 8, gradient_key = 9, device_guard_key = 10;

  static constexpr std::string_view name_of(value_kind k) noexcept {
    return k == value_kind::scalar ? "a single value" : k == value_kind::list ? "a list" : "a map";
  }
  static constexpr bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  // An operator's "sub.out", or a function's "native::sub".
  // The compiler finds another one where it looks for the function, or reads the schema.
  static constexpr bool is_name(std::string_view text, bool function) noexcept {
    if (std::is_constant_evaluated()) return !text.empty();
    if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
    for (const char c : text) {
      if (!is_word(c) && c != (function ? ':' : '.')) return false;
    }
    return true;
  }

  // By length first: the compiler's evaluator takes a step for each comparison.
  static constexpr std::size_t index_of(std::string_view key) noexcept {
    const auto among = [&](std::initializer_list<std::size_t> candidates) {
      for (const std::size_t i : candidates) {
        if (same_text(entry_keys[i], key)) return i;
      }
      return entry_keys.size();
    };
    switch (key.size()) {
      case 4: return among({0, tags_key});
      case 7: return among({autogen_key});
      case 8: return among({dispatch_key_, variants_key, gradient_key});
      case 10: return among({structured_key});
      case 12: return among({device_check_key, device_guard_key});
      case 19: return among({4, 5});
      default: return entry_keys.size();
    }
  }
  // The words of a comma-separated list, each with its place.
  template <class F>
  static constexpr void words(const scalar& v, F f) {
    const char* const raw = v.raw.data();
    const char* const end = raw + v.raw.size();
    for (const char* at = raw;;) {
      const char* const comma = find_byte(at, end, ',');
      const char* last = comma;
      while (at != last && *at == ' ') ++at;
      while (last != at && last[-1] == ' ') --last;
      const auto shift = static_cast<std::uint32_t>(at - raw + (v.quote != 0 ? 1 : 0));
      f(std::string_view(at, static_cast<std::size_t>(last - at)), position{v.at.line, v.at.column + shift});
      if (comma == end) return;
      at = comma + 1;
    }
  }

  constexpr void func(const scalar& v, mistake& m) {
    e_->func = v;
    const char* const begin = v.raw.data();
    const char* const paren = find_byte(begin, begin + v.raw.size(), '(');
    const char* const colon = find_byte(begin, paren, ':');
    const auto end = static_cast<std::size_t>(paren - begin), first = static_cast<std::size_t>(colon - begin);
    const bool qualified = colon != paren && colon + 1 != paren && colon[1] == ':';
    e_->name = qualified ? v.raw.substr(first + 2, end - first - 2) : v.raw.substr(0, end);
    if (qualified) e_->ns = v.raw.substr(0, first);
    if (end < v.raw.size() && is_name(e_->name, false) && (!qualified || is_name(e_->ns, false))) return;
    m.at = v.at;
    m.text.add("found '").add(v.raw.substr(0, std::min<std::size_t>(v.raw.size(), 60)));
    m.text.add("', wanted a schema, such as add(Tensor self, Tensor other) -> Tensor");
  }

  constexpr void variant(std::string_view word, position at, mistake& m) {
    if (word == "function") {
      e_->is_function = true;
    } else if (word == "method") {
      e_->is_method = true;
    } else if (m.ok()) {
      m.at = at;
      m.text.add("found '").add(word).add("', wanted function, method or both");
    }
  }

  constexpr void truth(const scalar& v, bool& value, mistake& m) {
    if (v.raw == "True" || v.raw == "true") {
      value = true;
    } else if (v.raw == "False" || v.raw == "false") {
      value = false;
    } else {
      m.at = v.at;
      m.text.add("found '").add(v.raw).add("', wanted True or False");
    }
  }

  constexpr void name(const scalar& v, named_place& place, std::string_view wanted, mistake& m) {
    place = {v.raw, v.at};
    const bool good = key_ == 5 ? lenient_ || v.raw == "TensorIteratorBase" : is_name(v.raw, key_ == gradient_key);
    if (good) return;
    m.at = v.at;
    m.text.add("found '").add(v.raw).add("', wanted ").add(wanted);
  }

  constexpr void device_check(const scalar& v, mistake& m) {
    e_->checks_devices = v.raw != "NoCheck";
    if (v.raw == "NoCheck" || v.raw == "ExactSame") return;
    m.at = v.at;
    m.text.add("found '").add(v.raw).add("', wanted NoCheck or ExactSame");
  }

  constexpr void tag_word(std::string_view word, position at, mistake& m) {
    if (!m.ok()) return;
    if (const auto tags = tags_of_word(word)) {
      e_->tags = e_->tags | *tags;
    } else if (!lenient_) {
      m.at = at;
      m.text.add("found the tag '").add(word).add("', wanted one of topbit's or PyTorch's, such as pointwise");
      suggest_tag(word, m.text);
    }
  }

  constexpr void dispatch(std::string_view word, position at, const scalar& function, mistake& m) {
    if (!m.ok()) return;
    const std::optional<key_target> target = key_of_word(word);
    if (!lenient_ && !target) unknown_key(word, at, m);
    for (std::uint32_t i = e_->first_item; i < n_.items; ++i) {
      if (!same_text(items_[i].key, word)) continue;
      m.at = at;
      m.text.add("found the key '").add(word).add("' a second time in this entry; the first is in line ");
      m.text.add(items_[i].key_at.line);
      return;
    }
    items_[n_.items++] = {n_.entries, word, at, function.raw, function.at, target};
  }

  static constexpr void unknown_key(std::string_view word, position at, mistake& m) {
    if (is_name(word, false) && may_be_private_key(word)) return;
    m.at = at;
    m.text.add("found the key '").add(word).add("', wanted a dispatch key or an alias, such as CPU");
    suggest_key(word, m.text);
  }

  table_entry* entries_;
  dispatch_item* items_;
  named_place* autogens_;
  entry_counts n_;
  table_entry* e_ = nullptr;  // the one that is being read
  std::uint32_t seen_ = 0;
  std::size_t key_ = 0;
  bool lenient_ = false;
};

}  // namespace topbit::tables

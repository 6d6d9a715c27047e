module;

#include <cerrno>
#include <cstdio>
#include <cstring>

module topbit.tables;

import topbit.std;
import topbit.core;

namespace topbit::tables {

table_entries read_entries(std::string_view text, bool lenient) {
  table_entries t;
  const entry_counts bounds = bounds_of(text);
  t.entries.resize(bounds.entries);
  t.items.resize(bounds.items);
  t.autogens.resize(bounds.autogens);
  entry_sink sink(t.entries.data(), t.items.data(), t.autogens.data());
  if (lenient) sink.lenient();
  t.wrong = read_yaml(text, sink);
  t.entries.resize(sink.counts().entries);
  t.items.resize(sink.counts().items);
  t.autogens.resize(sink.counts().autogens);
  t.slots.resize(2 * t.entries.size() + 1);
  return t;
}

std::string content_of(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  std::string text;
  if (file != nullptr) {
    char part[65536];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, file)) != 0;) text.append(part, n);
  }
  const int error = errno;
  const bool read = file != nullptr && std::ferror(file) == 0;
  if (file != nullptr) std::fclose(file);
  if (!read) throw bad_argument("cannot read the operator table '" + path + "': " + std::strerror(error));
  return text;
}

position position_in(const scalar& s, std::size_t index) {
  // The raw character that begins the one wanted: as many raw characters as it takes to have `index` before it.
  std::size_t raw = 0;
  if (!s.folded && s.quote == 0) {
    raw = index;
  } else {
    while (raw < s.raw.size()) {
      scalar before = s;
      before.raw = s.raw.substr(0, raw);
      std::size_t n = 0;
      before.each([&](char) { ++n; });
      if (n >= index && (raw == 0 || s.raw[raw] != ' ' || !s.folded)) break;
      ++raw;
    }
  }
  position at{s.at.line, s.at.column + (s.quote != 0 ? 1U : 0U)};
  for (const char c : s.raw.substr(0, std::min(raw, s.raw.size()))) {
    if (c == '\n')
      at = {at.line + 1, 1};
    else
      ++at.column;
  }
  return at;
}

mistake check_schema(const table_entry& e) {
  mistake m;
  const std::string text = e.func.text();
  try {
    const schema parsed(text);
  } catch (const bad_schema& wrong) {
    const std::string_view sentence = wrong.what();
    const std::size_t expected = sentence.rfind(": expected ");
    const std::size_t begin = wrong.column() - 1;
    m.at = position_in(e.func, begin);
    if (begin < text.size())
      m.text.add("found '").add(
          std::string_view(text).substr(begin, std::min(text.find(' ', begin), begin + 40) - begin));
    else
      m.text.add("found the end of the schema");
    m.text.add(begin < text.size() ? "', wanted " : ", wanted ");
    m.text.add(expected == sentence.npos ? sentence : sentence.substr(expected + 11));
  }
  return m;
}

namespace {

class loader {
 public:
  loader(library_block& block, std::string_view file, std::string_view ns, std::span<const kernel> kernels,
         std::source_location where)
      : block_(block), file_(file), ns_(ns), kernels_(kernels), where_(where) {}

  void load(const table_view& t) const {
    for (const table_entry& e : t.entries) check(e);
    for (const table_entry& e : t.entries) {
      const std::string schema = e.ns.empty() ? std::string(ns_) + "::" + e.func.text() : e.func.text();
      const std::string name = std::string(e.ns.empty() ? ns_ : e.ns) + "::" + std::string(e.name);
      at(e.func.at, [&] { block_.def(std::string_view(schema), where_); });
      if (!e.tags.empty()) at(e.tags_at, [&] { block_.tag(std::string_view(schema), e.tags, where_); });
      for (const dispatch_item& i : t.items_of(e)) {
        const key_target key = registered_key(file_, i.key_at, i.key);
        add(name, i.function, i.function_at, key);
      }
      if (!e.gradient.name.empty()) add(name, e.gradient.name, e.gradient.at, key::Autograd);
      if (e.has_dispatch) continue;
      const bool whole = find(e.name) != nullptr;
      add(name, whole ? e.name : e.name.substr(0, e.name.find('.')), e.func.at, key::CompositeImplicitAutograd);
    }
  }

 private:
  [[noreturn]] void refuse(const mistake& m, std::string_view op = {}) const {
    throw bad_registration(std::string(sentence_of(file_, m).view()), std::string(op));
  }
  void check(const table_entry& e) const {
    if (const mistake m = check_schema(e); !m.ok()) refuse(m, e.name);
    if (e.structured_delegate.name.empty()) return;
    mistake m{.at = e.structured_delegate.at};
    m.text.add(
        "found structured_delegate, whose kernels the compiler makes, wanted dispatch with a function for each key");
    refuse(m, e.name);
  }
  template <class F>
  void at(position p, F f) const {
    try {
      f();
    } catch (const bad_registration& e) {
      throw bad_registration(
          std::string(file_) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) + ": " + e.what(),
          std::string(e.op()));
    }
  }
  const kernel* find(std::string_view name) const {
    const auto found = std::ranges::find(kernels_, name, &kernel::name);
    return found == kernels_.end() ? nullptr : &*found;
  }
  void add(const std::string& op, std::string_view function, position p, key_target key) const {
    if (const kernel* const k = find(function)) return at(p, [&] { k->add(block_, op, key, where_); });
    mistake m{.at = p};
    m.text.add("found no kernel '").add(function).add("' for ").add(op).add(", wanted one among those given");
    near_name near(function);
    for (const kernel& other : kernels_) near.consider(other.name);
    near.suggest(m.text);
    refuse(m, op);
  }

  library_block& block_;
  std::string_view file_, ns_;
  std::span<const kernel> kernels_;
  std::source_location where_;
};

}  // namespace

library_block library_from_text(std::string_view text, std::string_view file, std::string_view ns,
                                std::span<const kernel> kernels, registry& r, std::source_location where) {
  table_entries t = read_entries(text, false);
  if (t.wrong.ok()) t.wrong = check_entries(t.view(), t.slots);
  if (t.wrong.ok()) t.wrong = check_namespaces(t.entries, ns);
  if (!t.wrong.ok()) throw bad_registration(std::string(sentence_of(file, t.wrong).view()));
  library_block block = library(ns, r, where);
  loader(block, file, ns, kernels, where).load(t.view());
  return block;
}

library_block load_operator_table(const std::string& path, std::string_view ns, std::span<const kernel> kernels,
                                  registry& r, std::source_location where) {
  return library_from_text(content_of(path), path, ns, kernels, r, where);
}

}  // namespace topbit::tables

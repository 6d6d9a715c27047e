module topbit.core;

import topbit.std;

namespace topbit {

namespace {

class comparison {
 public:
  void add(const std::string& where, const char* what, std::string first, std::string second) {
    if (first != second) changes_.push_back({where, what, std::move(first), std::move(second)});
  }

  void items(const char* kind, std::span<const author::schema_item> a, std::span<const author::schema_item> b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      std::string where = kind + (" " + std::to_string(i + 1));
      if (!a[i].name.empty() && a[i].name == b[i].name) where += " '" + std::string(a[i].name) + "'";
      add(where, "type", type(a[i]), type(b[i]));
      add(where, "name", std::string(a[i].name), std::string(b[i].name));
      add(where, "default", default_of(a[i]), default_of(b[i]));
      add(where, "keyword-only", a[i].keyword_only ? "yes" : "no", b[i].keyword_only ? "yes" : "no");
    }
  }
  std::vector<author::schema_change> take() { return std::move(changes_); }

 private:
  static std::string type(const author::schema_item& item) {
    detail::text_sink text;
    detail::print_type(text, item);
    return std::string(text.view());
  }
  static std::string default_of(const author::schema_item& item) {
    if (!item.has_default) return "none";
    detail::text_sink text;
    detail::print_default(text, item);
    return std::string(text.view());
  }

  std::vector<author::schema_change> changes_;
};

std::string count(std::span<const author::schema_item> items, bool variadic) {
  return std::to_string(items.size()) + (variadic ? " and '...'" : "");
}

}  // namespace

std::string detail::infer_schema(std::string_view name, const signature_types& types) {
  return std::string(print_inferred(name, types).view());
}

std::string to_string(const author::schema_view& s) { return std::string(detail::print(s).view()); }

std::vector<author::schema_change> author::differences(const author::schema_view& a, const author::schema_view& b) {
  comparison found;
  found.add("operator", "name", author::qualified_name(a), author::qualified_name(b));
  found.add("arguments", "number", count(a.arguments, a.variadic_arguments), count(b.arguments, b.variadic_arguments));
  found.items("argument", a.arguments, b.arguments);
  found.add("results", "number", count(a.returns, a.variadic_returns), count(b.returns, b.variadic_returns));
  found.items("result", a.returns, b.returns);
  return found.take();
}

std::string to_string(const author::schema_change& c) {
  const auto quoted = [&](const std::string& text) { return c.what == "number" ? text : "'" + text + "'"; };
  return c.where + ": " + c.what + " is " + quoted(c.first) + " and " + quoted(c.second);
}

std::string difference(const author::schema_view& a, const author::schema_view& b) {
  for (const author::schema_change& c : author::differences(a, b)) {
    if (c.where != "operator") return to_string(c);
  }
  return {};
}

}  // namespace topbit

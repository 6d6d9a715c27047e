module topbit.core;

import topbit.std;

namespace topbit {

schema::schema(std::string_view text) : text_(text) {
  detail::schema_parser counter(text_, nullptr, nullptr);
  schema_mistake mistake = counter.parse(view_);
  if (mistake.ok()) {
    arguments_.resize(counter.found().arguments);
    returns_.resize(counter.found().returns);
    view_ = {};
    mistake = detail::schema_parser(text_, arguments_.data(), returns_.data()).parse(view_);
  }
  if (!mistake.ok()) {
    throw bad_schema("schema '" + text_ + "', column " + std::to_string(mistake.column) + ": expected " +
                         std::string(mistake.expected),
                     mistake.column);
  }
  view_.arguments = arguments_;
  view_.returns = returns_;
}

namespace {

std::string to_string(const schema_item& item) {
  std::string text(item.type);
  if (!item.alias.empty()) text += "(" + std::string(item.alias) + (item.writes ? "!" : "") + ")";
  for (type_modifier m : item.modifiers) {
    if (m == type_modifier::optional) text += "?";
    if (m == type_modifier::list) {
      text += "[" + (item.list_size >= 0 ? std::to_string(item.list_size) : std::string()) + "]";
    }
  }
  if (!item.name.empty()) text += " " + std::string(item.name);
  if (item.has_default) text += "=" + std::string(item.default_text);
  return text;
}

}  // namespace

std::string difference(const schema_view& a, const schema_view& b) {
  const auto compare = [](const char* what, std::span<const schema_item> x, std::span<const schema_item> y) {
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const std::string in_x = to_string(x[i]), in_y = to_string(y[i]), label = what + std::to_string(i + 1);
      if (in_x != in_y) return label + " is '" + in_x + "' and '" + in_y + "'";
      if (x[i].keyword_only != y[i].keyword_only) {
        return label + " '" + std::string(x[i].name) + "' is keyword-only in the " +
               (x[i].keyword_only ? "first" : "second") + " alone";
      }
    }
    return std::string();
  };
  if (a.arguments.size() != b.arguments.size()) {
    return "they have " + std::to_string(a.arguments.size()) + " and " + std::to_string(b.arguments.size()) +
           " arguments";
  }
  if (std::string text = compare("argument ", a.arguments, b.arguments); !text.empty()) return text;
  if (a.returns.size() != b.returns.size()) {
    return "they have " + std::to_string(a.returns.size()) + " and " + std::to_string(b.returns.size()) + " results";
  }
  return compare("result ", a.returns, b.returns);
}

std::string qualified_name(const schema_view& s) {
  std::string text = s.ns.empty() ? std::string() : std::string(s.ns) + "::";
  text += s.name;
  if (!s.overload.empty()) text += "." + std::string(s.overload);
  return text;
}

std::string to_string(const schema_view& s) {
  std::string text = qualified_name(s) + "(";
  bool keyword_only = false;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    if (i != 0) text += ", ";
    if (s.arguments[i].keyword_only && !keyword_only) text += "*, ";
    keyword_only = s.arguments[i].keyword_only;
    text += to_string(s.arguments[i]);
  }
  text += ") -> ";
  if (s.returns.size() == 1) return text + to_string(s.returns[0]);
  text += "(";
  for (std::size_t i = 0; i < s.returns.size(); ++i) text += (i != 0 ? ", " : "") + to_string(s.returns[i]);
  return text + ")";
}

}  // namespace topbit

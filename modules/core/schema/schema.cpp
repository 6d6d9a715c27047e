module topbit.core;

import topbit.std;

namespace topbit {

schema::schema(std::string_view text) : text_(text) {
  // The number of items is not computed for a text that exceeds the length limit.
  std::vector<detail::item_code> codes(text.size() <= author::max_schema_text ? detail::most_items(text_) : 0);
  const detail::schema_head head = detail::schema_parser(text_, codes.data()).parse();
  if (head.column != 0) {
    const std::string shown = text_.size() <= 2'000 ? text_ : text_.substr(0, 2'000) + "...";
    throw bad_schema("schema '" + shown + "', column " + std::to_string(head.column) + ": expected " + head.expected,
                     head.column);
  }
  items_.reserve(std::size_t{head.arguments} + head.returns);
  for (std::size_t i = 0; i < std::size_t{head.arguments} + head.returns; ++i)
    items_.push_back(detail::item_from(text_, codes[i]));
  view_ = detail::view_from(text_, head, items_);
}

std::string author::qualified_name(const author::schema_view& s) {
  std::string text = s.ns.empty() ? std::string() : std::string(s.ns) + "::";
  text += s.name;
  if (!s.overload.empty()) text += "." + std::string(s.overload);
  return text;
}

std::size_t author::written_argument(const author::schema_view& s, std::size_t result) {
  const author::schema_item& r = s.returns[result];
  const auto is_it = [&](const author::schema_item& a) {
    return a.writes && have_common_set(a.alias, r.alias) && a.type == r.type && a.modifiers == r.modifiers;
  };
  const auto found = std::ranges::find_if(s.arguments, is_it);
  if (found == s.arguments.end()) {
    throw bad_schema(qualified_name(s) + ": found result " + std::to_string(result + 1) +
                         " written in the alias set '" + std::string(r.alias) +
                         "', wanted the type and alias set of an argument that is written",
                     r.column);
  }
  return static_cast<std::size_t>(found - s.arguments.begin());
}

}  // namespace topbit

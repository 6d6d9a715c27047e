// Any bytes are a schema or a mistake with a place inside them; a schema's text is read back as the same schema.
//
// A unit of the module, so that the parser's code is in this object, where libFuzzer sees which of it has run.
module;
#include "require.h"
module topbit.core;

import topbit.std;

namespace topbit {
namespace {

using fuzz::require;

std::string without_space(std::string_view text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* at = detail::skip_space(text.data()); at < end; at = detail::skip_space(at + 1)) out += *at;
  return out;
}

struct parse {
  std::vector<detail::item_code> codes;
  std::vector<author::schema_item> items;
  detail::schema_head head;

  explicit parse(const std::string& text) : codes(detail::most_items(text)) {
    head = detail::schema_parser(text, codes.data()).parse();
    if (head.column != 0) return;
    const std::size_t n = std::size_t{head.arguments} + head.returns;
    require(n <= codes.size(), "no more items than there is room for");
    for (std::size_t i = 0; i < n; ++i) items.push_back(detail::item_from(text, codes[i]));
  }
  author::schema_view view(const std::string& text) const { return detail::view_from(text, head, items); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const parse first(text);
  if (first.head.column != 0) {
    require(first.head.column <= size + 1, "a mistake is inside the text, or right behind it");
    require(first.head.expected != nullptr && *first.head.expected != 0, "a mistake says what was expected");
    return 0;
  }
  if (!first.head.has_signature) return 0;
  const detail::text_sink printed = detail::print(first.view(text));
  const std::string canonical(printed.view());
  const parse second(canonical);
  require(second.head.column == 0, "the printed text is a schema");
  require(detail::print(second.view(canonical)).view() == canonical, "the printed text is canonical");
  const author::schema_view a = first.view(text), b = second.view(canonical);
  require(a.arguments.size() == b.arguments.size() && a.returns.size() == b.returns.size() &&
              a.variadic_arguments == b.variadic_arguments && a.variadic_returns == b.variadic_returns,
          "nothing is lost");
  for (std::size_t i = 0; i < first.items.size(); ++i) {
    const author::schema_item &x = first.items[i], &y = second.items[i];
    require(x.name == y.name && x.modifiers == y.modifiers && x.list_size == y.list_size && x.writes == y.writes &&
                x.keyword_only == y.keyword_only && x.has_default == y.has_default &&
                without_space(x.type) == without_space(y.type) && x.alias.empty() == y.alias.empty() &&
                x.list_alias.empty() == y.list_alias.empty() && (!x.alias_after.empty() || y.alias_after.empty()),
            "items come back as they were");
  }
  return 0;
}

}  // namespace topbit

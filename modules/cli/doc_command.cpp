module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

namespace {

using author::operator_page;
using nlohmann::ordered_json;

bool is_wanted(const request& r, const operator_page& p) {
  if (r.words.empty()) return true;
  return std::ranges::any_of(p.operators, [&](const auto& o) { return matches(r.words.front(), o.op->name); });
}

ordered_json json_of(std::string_view title, const operator_page& p) {
  const author::page_lines& l = p.lines;
  ordered_json operators = ordered_json::array(), errors = ordered_json::array(), examples = ordered_json::array(),
               tags = ordered_json::array();
  for (const author::page_operator& o : p.operators)
    operators.push_back({{"name", o.op->name}, {"variable", o.variable}, {"schema", o.op->schema}});
  for (const author::page_error& e : l.errors) {
    if (!e.type.empty()) errors.push_back({{"type", e.type}, {"when", e.when}, {"example", e.example}});
  }
  for (const tag t : author::tags_of_page(p).list()) tags.push_back(name_of(t));
  for (const author::page_example& e : l.examples) {
    if (!e.call.empty()) examples.push_back({{"call", e.call}, {"results", e.results}});
  }
  return {{"group", title},     {"operators", operators}, {"summary", l.summary},
          {"shapes", l.shapes}, {"dtypes", l.dtypes},     {"keys", author::keys_of_page(p)},
          {"tags", tags},       {"memory", l.memory},     {"cost", l.cost},
          {"errors", errors},   {"examples", examples}};
}

}  // namespace

answer run_doc(const request& r) {
  if (r.has("--markdown") && r.has("--json")) throw bad_request("doc: found --markdown and --json, wanted one of them");
  // The matching groups with copies of their matching pages.
  std::vector<std::pair<std::string_view, std::vector<operator_page>>> found;
  for (const author::page_group& g : author::operator_pages()) {
    std::vector<operator_page> pages;
    std::ranges::copy_if(g.pages, std::back_inserter(pages), [&](const operator_page& p) { return is_wanted(r, p); });
    if (!pages.empty()) found.emplace_back(g.title, std::move(pages));
  }
  const status ends = found.empty() ? status::negative : status::answered;
  if (r.has("--markdown")) {
    std::vector<author::page_group> groups;
    for (const auto& [title, pages] : found) groups.push_back({title, pages});
    return {author::to_markdown(groups), ends};
  }
  if (r.has("--json")) {
    ordered_json all = ordered_json::array();
    for (const auto& [title, pages] : found) {
      for (const operator_page& p : pages) all.push_back(json_of(title, p));
    }
    return {all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n", ends};
  }
  std::string text;
  for (const auto& [title, pages] : found) {
    for (const operator_page& p : pages) text += (text.empty() ? "" : "\n") + author::to_string(p);
  }
  return {painted(r.to, text), ends};
}

}  // namespace topbit::cli

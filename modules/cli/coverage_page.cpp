module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import :embedded;

namespace topbit::cli {

namespace {

using json = nlohmann::ordered_json;

json place_of(const inspect::source_location& p) { return p.file.empty() ? json(nullptr) : json(to_string(p)); }

json described(const inspect::table_row& cell) {
  const bool elsewhere = cell.registered_for && *cell.registered_for != key_target(cell.key);
  json made{{"word", std::string(inspect::word_of(cell))},
            {"reason", std::string(name_of(cell.why))},
            {"for", elsewhere ? json(to_string(*cell.registered_for)) : json(nullptr)},
            {"place", place_of(cell.place)}};
  if (!cell.note.empty()) made["note"] = cell.note;
  return made;
}

}  // namespace

std::string page_of(const inspect::coverage_report& report) {
  json keys = json::array(), cells = json::array(), operators = json::array(), shadowed = json::array();
  for (dispatch_key k : report.keys) keys.push_back(to_string(k));
  std::map<std::string, std::size_t> numbers;  // index of each distinct cell, by its JSON text
  for (const inspect::coverage_row& row : report.operators) {
    json line = json::array();
    for (const inspect::table_row& cell : row.cells) {
      json text = described(cell);
      const auto [found, is_new] =
          numbers.try_emplace(text.dump(-1, ' ', false, json::error_handler_t::replace), numbers.size());
      if (is_new) cells.push_back(std::move(text));
      line.push_back(found->second);
    }
    operators.push_back({row.op, std::move(line)});
  }
  for (const inspect::shadowed_kernel& s : report.shadowed) {
    shadowed.push_back({{"op", s.op},
                        {"key", to_string(s.key)},
                        {"reason", std::string(name_of(s.reason))},
                        {"sentence", s.sentence}});
  }
  const json all{{"version", std::string(version)},
                 {"keys", keys},
                 {"cells", cells},
                 {"operators", operators},
                 {"shadowed", shadowed}};

  // In a script element only "<" can end the element or begin a comment, and JSON has "<" only inside strings.
  std::string data;
  for (char c : all.dump(-1, ' ', false, json::error_handler_t::replace)) {
    if (c == '<')
      data += "\\u003c";
    else
      data += c;
  }
  constexpr std::string_view mark = "@coverage@";
  const std::size_t at = coverage_template.find(mark);
  return std::string(coverage_template.substr(0, at)) + data + std::string(coverage_template.substr(at + mark.size()));
}

}  // namespace topbit::cli

module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

std::vector<std::string> make_call(const operator_handle& op, const request& r) {
  const std::vector<std::string_view> arguments(r.words.begin() + 1, r.words.end());
  const include_guard included(union_of(r.values("--include")));
  const exclude_guard excluded(union_of(r.values("--exclude")));
  return call_text(op, arguments);
}

answer run_call(const request& r) {
  const operator_handle op = find(r.words.front());
  const std::vector<std::string> results = make_call(op, r);
  if (r.has("--json")) {
    const nlohmann::ordered_json all{{"op", std::string(op.name())}, {"results", results}};
    return {all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
  }
  std::string text;
  for (const std::string& result : results) text += result + "\n";
  return {text};
}

}  // namespace topbit::cli

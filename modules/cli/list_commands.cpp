module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;

namespace topbit::cli {

answer run_ops(const request& r) {
  const std::vector<operator_handle> found = operators_matching(r.words);
  std::string text;
  if (r.has("--json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (operator_handle op : found)
      all.push_back({{"name", std::string(op.name())}, {"schema", std::string(op.schema())}});
    text = all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  } else {
    for (operator_handle op : found) {
      // A schema begins with the operator's name, so the name is not repeated.
      const std::string_view name = op.name(), schema = op.schema();
      text += styled(r.to, emphasis::bold, name);
      if (!r.has("--names")) text += schema.starts_with(name) ? schema.substr(name.size()) : schema;
      text += "\n";
    }
  }
  return {text, found.empty() ? status::negative : status::answered};
}

answer run_dump(const request& r) {
  inspect::registry_dump all = dump(registry::process());
  if (!r.words.empty()) {
    std::erase_if(all.operators, [&](const inspect::operator_dump& d) { return !matches(r.words.front(), d.name); });
    all = {std::move(all.operators), {}, {}, {}, {}};
  }
  if (r.has("--json")) return {inspect::to_json(all) + "\n"};
  return {painted(r.to, to_string(all))};
}

answer run_keys(const request& r) {
  const inspect::key_overview all = describe_keys();
  if (r.has("--json")) return {inspect::to_json(all) + "\n"};
  if (!r.has("--names")) return {painted(r.to, to_string(all))};
  std::string text;
  for (const inspect::layer_overview& l : all.layers) {
    for (dispatch_key k : l.keys) text += to_string(k) + "\n";
  }
  for (const inspect::alias_overview& a : all.aliases) text += to_string(a.alias) + "\n";
  return {text};
}

}  // namespace topbit::cli

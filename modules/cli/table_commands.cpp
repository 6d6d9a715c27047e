module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.tables;

namespace topbit::cli {

namespace {

using json = nlohmann::ordered_json;

// "path/to/my-ops.yaml" gives "my-ops.yaml", its words "my_ops_yaml".
std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string identifier(std::string text) {
  for (char& c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word) c = '_';
  }
  return !text.empty() && text.front() >= '0' && text.front() <= '9' ? "_" + text : text;
}

json listed(std::span<const tables::list_difference> all) {
  json list = json::array();
  for (const tables::list_difference& d : all) {
    list.push_back({{"op", d.op},
                    {"line", d.at.line},
                    {"column", d.at.column},
                    {"theirs", d.theirs},
                    {"ours", d.ours},
                    {"reason", d.reason}});
  }
  return list;
}

}  // namespace

answer run_generate(const request& r) {
  const std::string& path = r.words.front();
  const std::string file = name_of_file(path), stem = identifier(file.substr(0, file.find('.')));
  tables::generator_options options{.ns = r.has("--namespace") ? r.value("--namespace") : stem,
                                    .module = r.has("--module") ? r.value("--module") : stem,
                                    .file = file,
                                    .header = file + ".h",
                                    .constant = identifier(file)};
  const auto imports = r.values("--import");
  options.imports.assign(imports.begin(), imports.end());
  std::string text = tables::generate(content_of("generate", path), options);
  if (!r.has("--to")) return {std::move(text)};
  write_file("generate", r.value("--to"), text);
  return {};
}

answer run_difference(const request& r) {
  const std::string& path = r.words.front();
  const std::string ns = r.has("--namespace") ? r.value("--namespace") : "aten";
  const tables::list_comparison c = tables::compare_with_list(content_of("difference", path), path, ns);
  const status ends = c.same == c.entries ? status::answered : status::negative;
  if (!r.has("--json")) return {to_string(c, !r.has("--brief")), ends};
  json reasons = json::array();
  for (const auto& [reason, times] : c.reasons) reasons.push_back({{"reason", reason}, {"times", times}});
  const json all{{"entries", c.entries},         {"same", c.same},
                 {"differs", listed(c.differs)}, {"missing", listed(c.missing)},
                 {"refused", listed(c.refused)}, {"reasons", reasons}};
  return {all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", ends};
}

}  // namespace topbit::cli

module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.autograd;

namespace topbit::cli {

namespace {

using json = nlohmann::ordered_json;

json described(const declared_gradient& d) {
  json findings = json::array();
  for (const gradient_finding& f : d.findings)
    findings.push_back({{"what", std::string(name_of(f.what))}, {"sentence", f.sentence}});
  const json place = d.place.file.empty() ? json(nullptr) : json{{"file", d.place.file}, {"line", d.place.line}};
  return {{"op", d.op},          {"gradient", std::string(name_of(d.gradient))}, {"writes", d.writes},
          {"views", d.views},    {"aliases", std::string(name_of(d.aliases))},   {"place", place},
          {"findings", findings}};
}

}  // namespace

answer run_gradients(const request& r) {
  const std::vector<operator_handle> operators = operators_matching(r.words);
  std::vector<declared_gradient> all = declared_gradients(operators);
  const bool lost = std::ranges::any_of(all, [](const declared_gradient& d) { return !d.findings.empty(); });
  const status ends = operators.empty() || (lost && r.has("--require")) ? status::negative : status::answered;
  if (r.has("--missing")) std::erase_if(all, [](const declared_gradient& d) { return d.findings.empty(); });
  if (r.has("--names")) {
    std::string names;
    for (const declared_gradient& d : all) names += d.op + "\n";
    return {names, ends};
  }
  if (r.has("--json")) {
    json list = json::array();
    for (const declared_gradient& d : all) list.push_back(described(d));
    return {list.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", ends};
  }
  return {painted_table(r.to, to_string(all)), ends};
}

}  // namespace topbit::cli

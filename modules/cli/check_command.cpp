module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.contracts;

namespace topbit::cli {

namespace {

using nlohmann::ordered_json;

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

ordered_json json_of(const contracts::report& found) {
  ordered_json findings = ordered_json::array();
  for (const contracts::finding& f : found.findings) {
    findings.push_back({{"rule", name_of(f.broken)},
                        {"op", f.op},
                        {"subject", f.subject},
                        {"text", f.text},
                        {"kernel", f.kernel},
                        {"times", f.times}});
  }
  return findings;
}

std::string lines_of(const contracts::report& found) {
  std::string text;
  for (const contracts::finding& f : found.findings) text += to_string(f) + "\n";
  return text;
}

std::string line_of(const ordered_json& j) {
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

answer check_one(const request& r) {
  const operator_handle op = find(r.words.front());
  const include_guard included(union_of(r.values("--include")));
  const exclude_guard excluded(union_of(r.values("--exclude")));
  const contracts::report found =
      contracts::check_call(op, std::vector<std::string_view>(r.words.begin() + 1, r.words.end()));
  const status ends = found.findings.empty() ? status::answered : status::negative;
  if (r.has("--json")) {
    return {line_of({{"op", std::string(op.name())}, {"kernels", found.calls}, {"findings", json_of(found)}}), ends};
  }
  if (!found.findings.empty()) return {lines_of(found), ends};
  return {std::string(op.name()) + ": no finding in " +
          counted(found.calls, "call of a kernel\n", "calls of kernels\n")};
}

answer check_matching(const request& r, const std::string& pattern) {
  if (r.words.size() > 1)
    throw bad_request("check: found the argument '" + r.words[1] + "' after the pattern '" + pattern +
                      "', wanted none: operators are called as their pages show");
  const std::vector<operator_handle> operators = operators_matching(std::span(&pattern, 1));
  if (operators.empty()) throw bad_request("check: found '" + pattern + "', wanted a pattern that matches an operator");
  const include_guard included(union_of(r.values("--include")));
  const exclude_guard excluded(union_of(r.values("--exclude")));
  const contracts::exemptions known(r.has("--except") ? content_of("check", r.value("--except")) : std::string());
  contracts::report found = contracts::check_examples(operators);
  const std::vector<std::string> unused = known.apply_to(found);
  // Nothing is known of operators that were not called.
  const bool good = found.findings.empty() && unused.empty() && !found.checked.empty();
  const status ends = good ? status::answered : status::negative;
  if (r.has("--json")) {
    ordered_json unchecked = ordered_json::array();
    for (const contracts::unchecked_operator& u : found.unchecked) unchecked.push_back({{"op", u.op}, {"why", u.why}});
    return {line_of({{"checked", found.checked},
                     {"not_checked", unchecked},
                     {"kernels", found.calls},
                     {"findings", json_of(found)},
                     {"unused_exemptions", unused}}),
            ends};
  }
  std::string text = lines_of(found);
  for (const std::string& line : unused) text += "nothing is found for the exemption '" + line + "'; delete it\n";
  for (const contracts::unchecked_operator& u : found.unchecked) text += "not checked: " + u.op + ": " + u.why + "\n";
  text += "checked " + std::to_string(found.checked.size()) + " of " +
          counted(operators.size(), "operator", "operators") + " in " +
          counted(found.calls, "call of a kernel: ", "calls of kernels: ") +
          counted(found.findings.size(), "finding\n", "findings\n");
  return {text, ends};
}

}  // namespace

answer run_check(const request& r) {
  if (r.has("--all")) {
    if (!r.words.empty()) throw bad_request("check: found --all and '" + r.words.front() + "', wanted one of them");
    return check_matching(r, "*");
  }
  if (r.words.empty()) throw bad_request("check: found no operator, wanted OP with its arguments, a pattern, or --all");
  const std::string& wanted = r.words.front();
  if (wanted.find_first_of("*?") != std::string::npos) return check_matching(r, wanted);
  if (r.has("--except")) throw bad_request("check: found --except beside one operator, wanted a pattern or --all");
  return check_one(r);
}

}  // namespace topbit::cli

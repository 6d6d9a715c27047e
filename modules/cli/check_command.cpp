module;

#include <nlohmann/json.hpp>

module topbit.cli;

import topbit.std;
import topbit.core;
import topbit.modes;
import topbit.contracts;
import :call_command;

namespace topbit::cli {

answer run_check(const request& r) {
  const operator_handle op = find(r.words.front());
  contracts::checker kernels({.depth = contracts::level::repeated}), callers({.depth = contracts::level::bytes});
  {
    const modes::scope above(callers, modes::above), below(kernels, modes::below);
    try {
      make_call(op, r);
    } catch (const error&) {
      // What is wrong about the call is the answer, unless a kernel did something wrong before it threw.
      if (kernels.findings().empty() && callers.findings().empty()) throw;
    }
  }
  std::vector<contracts::finding> found = kernels.findings();
  for (const contracts::finding& f : callers.findings()) {
    const bool known = std::ranges::any_of(found, [&](const contracts::finding& k) {
      return k.broken == f.broken && k.op == f.op && k.subject == f.subject;
    });
    if (!known) found.push_back(f);
  }
  const status ends = found.empty() ? status::answered : status::negative;
  if (r.has("--json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const contracts::finding& f : found) {
      all.push_back({{"rule", name_of(f.broken)},
                     {"op", f.op},
                     {"subject", f.subject},
                     {"text", f.text},
                     {"kernel", f.kernel},
                     {"times", f.times}});
    }
    const nlohmann::ordered_json answered{
        {"op", std::string(op.name())}, {"kernels", kernels.calls()}, {"findings", all}};
    return {answered.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", ends};
  }
  std::string text;
  for (const contracts::finding& f : found) text += to_string(f) + "\n";
  if (found.empty()) {
    const std::uint64_t calls = kernels.calls();
    text = std::string(op.name()) + ": no finding in " + std::to_string(calls) +
           (calls == 1 ? " call of a kernel\n" : " calls of kernels\n");
  }
  return {text, ends};
}

}  // namespace topbit::cli

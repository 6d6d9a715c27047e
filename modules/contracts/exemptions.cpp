module topbit.contracts;

import topbit.std;
import topbit.core;
import :examples;
import :exemptions;

namespace topbit::contracts {

namespace {

bool is_rule(std::string_view name) {
  for (auto r = rule::unwritten; r <= rule::keys; r = static_cast<rule>(static_cast<int>(r) + 1)) {
    if (name_of(r) == name) return true;
  }
  return false;
}

}  // namespace

exemptions::exemptions(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t bar = line.find(" | "), space = line.find(' ');
    const auto refuse = [&](std::string_view what) {
      throw error("exemptions, line " + std::to_string(number) + ": found " + std::string(what) + " '" +
                  std::string(line) + "', wanted 'RULE OPERATOR | REASON'");
    };
    if (bar == std::string_view::npos || bar + 3 == line.size() || space == 0 || space >= bar) refuse("the line");
    if (!is_rule(line.substr(0, space))) refuse("an unknown rule in");
    std::string subject(line.substr(0, bar));
    if (std::ranges::find(lines_, subject) != lines_.end()) refuse("once more");
    lines_.push_back(std::move(subject));
  }
}

std::vector<std::string> exemptions::apply_to(report& r) const {
  std::vector<std::string> unused = lines_;
  std::erase_if(unused, [&](const std::string& line) {
    const std::string_view op = std::string_view(line).substr(line.find(' ') + 1);
    return std::ranges::find(r.checked, op) == r.checked.end();
  });
  std::erase_if(r.findings, [&](const finding& f) {
    const std::string line = std::string(name_of(f.broken)) + " " + f.op;
    std::erase(unused, line);
    return std::ranges::find(lines_, line) != lines_.end();
  });
  return unused;
}

}  // namespace topbit::contracts

module topbit.contracts;

import topbit.std;
import topbit.core;

namespace topbit {

std::string_view name_of(contracts::rule r) noexcept {
  constexpr std::string_view names[] = {
      "unwritten",  "within_view", "argument",    "alias",  "geometry", "exception", "thread", "placement", "metadata",
      "repeatable", "threads",     "initialised", "writes", "shares",   "alignment", "finite", "keeps",     "keys"};
  return names[static_cast<std::size_t>(r)];
}

std::string to_string(const contracts::finding& f) {
  std::string text =
      f.op + ": " + f.subject + (f.subject.empty() ? "" : ": ") + f.text + " (" + std::string(name_of(f.broken));
  if (!f.kernel.empty()) text += "; " + f.kernel;
  if (f.times > 1) text += "; " + std::to_string(f.times) + " times";
  return text + ")";
}

namespace contracts {

contract_error::contract_error(const finding& f) : error(to_string(f), f.op) {}
contract_error::contract_error(const contract_error&) = default;
contract_error::~contract_error() = default;

}  // namespace contracts

}  // namespace topbit

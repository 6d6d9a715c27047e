// Findings that are known and accepted, as a list of reasons.
export module topbit.contracts:exemptions;

import topbit.std;
import topbit.core;
import :examples;

namespace topbit::contracts {

/// A line "RULE OPERATOR | REASON" for each, such as "alias aten::atleast_1d | the composite returns a view". Empty
/// lines and those that begin with # do not count.
export class exemptions {
 public:
  exemptions() = default;
  /// Throws error for a line without rule, operator or reason, with a rule that there is not, and for one that stands
  /// there twice.
  explicit exemptions(std::string_view text);

  /// Takes these findings out of the report. Returns the lines about operators that were checked and for which nothing
  /// was found, without their reasons.
  std::vector<std::string> apply_to(report& r) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace topbit::contracts

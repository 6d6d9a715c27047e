// The check of a numeric option. Internal.
module topbit.training:options;

import topbit.std;

namespace topbit::detail {

// Throws error "<who>: found <option>=<value>, wanted <wanted>" unless the condition holds.
void require_option(std::string_view who, bool is_so, std::string_view option, double value, std::string_view wanted);

}  // namespace topbit::detail

// Checks of numeric options. Internal.
module topbit.training:options;

import topbit.std;

namespace topbit::detail {

// Throws error "<who>: found <option>=<value>, wanted <wanted>" unless the condition holds.
void require_option(std::string_view who, bool is_so, std::string_view option, double value, std::string_view wanted);
// Why a sparse gradient is refused unless this option is 0, for optimizer::refuses_sparse(); empty if it is.
std::string refused_with(std::string_view option, double value);

}  // namespace topbit::detail

// Registers the batching rules and tangents of the library's operators when the module is initialised.
export module topbit.transform:registration;

import topbit.std;

namespace topbit::detail {

bool register_batching();
const bool batching_registered = register_batching();
bool register_forward_mode();
const bool forward_mode_registered = register_forward_mode();
bool register_functions();
const bool functions_registered = register_functions();

}  // namespace topbit::detail

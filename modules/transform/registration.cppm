// Registers what the module adds to operators, functions and autograd, when it is initialised.
export module topbit.transform:registration;

import topbit.std;

namespace topbit::detail {

bool register_batching();
const bool batching_registered = register_batching();
bool register_forward_mode();
const bool forward_mode_registered = register_forward_mode();
bool register_functions();
const bool functions_registered = register_functions();
bool register_gradients();
const bool gradients_registered = register_gradients();

}  // namespace topbit::detail

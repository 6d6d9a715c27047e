// Registers the batching rules of the library's operators when the module is initialised.
export module topbit.transform:registration;

import topbit.std;

namespace topbit::detail {

bool register_batching();
const bool batching_registered = register_batching();

}  // namespace topbit::detail

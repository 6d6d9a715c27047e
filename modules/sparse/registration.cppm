// Registers the module's kernels when it is initialised.
export module topbit.sparse:registration;

import topbit.std;

namespace topbit::sparse {

bool register_foundation();
const bool foundation_registered = register_foundation();

}  // namespace topbit::sparse

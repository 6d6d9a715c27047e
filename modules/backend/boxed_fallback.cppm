// Operators of other libraries on a backend from outside.
module topbit.backend:boxed_fallback;

import topbit.std;
import topbit.core;

namespace topbit::detail {

// Runs every operator without a kernel for this backend on the CPU.
registration register_boxed_fallback(dispatch_key k, std::source_location where);

}  // namespace topbit::detail

// Registers the CUDA kernels when this module is loaded: see topbit.ops:backend.builtin for why it is here.
export module topbit.cuda:registration;

import topbit.std;
import topbit.ops;

namespace topbit::detail {

bool register_cuda();
const bool cuda_registered = register_cuda();

}  // namespace topbit::detail

// Gradients of activations.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

std::span<const author::kernel_row> activation_gradients() { return {}; }

}  // namespace topbit::detail

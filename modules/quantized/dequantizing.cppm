// The fallback of quantized tensors. Internal.
module topbit.quantized:dequantizing;

import topbit.std;
import topbit.core;

namespace topbit::quantized {

void without_kernel(const operator_handle& op, boxed_stack& stack);

}  // namespace topbit::quantized

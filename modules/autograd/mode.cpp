module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

thread_key_state enable_grad::enabled() {
  if (is_inference_mode())
    throw error(
        "enable_grad: found inference mode, in which nothing can be recorded; leave it with inference_mode(false)");
  const thread_key_state now = current_thread_keys();
  return {now.include, now.exclude - autograd_keys};
}

}  // namespace topbit

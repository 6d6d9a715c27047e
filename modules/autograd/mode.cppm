// Whether operators are recorded: a state of the thread, kept where the dispatcher reads it anyway.
export module topbit.autograd:mode;

import topbit.std;
import topbit.core;

namespace topbit {

/// True unless a no_grad scope is active on this thread.
export inline bool grad_enabled() noexcept { return !current_thread_keys().exclude.intersects(autograd_keys); }

/// Records nothing for the length of the scope: calls go below autograd at no cost.
export class [[nodiscard("the guard ends with the full expression that makes it")]] no_grad : public exclude_guard {
 public:
  inline no_grad() noexcept : exclude_guard(autograd_keys) {}
};

}  // namespace topbit

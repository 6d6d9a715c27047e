// The Autograd fallback: an operator without a gradient rule does not lose its gradient silently. Registered when this
// module is loaded, from an interface partition, so that importing is enough even from a static archive.
export module topbit.autograd:unimplemented;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// When an operator without a gradient rule throws for a tensor that requires a gradient.
export enum class missing_rule : std::uint8_t { raises_in_backward, raises_in_forward };

/// Process-wide. The default is raises_in_backward, or raises_in_forward with TOPBIT_STRICT_GRADIENTS=1. Returns the
/// previous value.
export missing_rule set_missing_rule(missing_rule when) noexcept;

namespace detail {

// Redispatches, and counts the writes. Results replace the arguments on the stack, so `written` holds these. A kernel
// composed of counting operators has counted already.
void run_counting_writes(const operator_handle& op, key_set below, boxed_stack& s, std::span<const tensor> written);
// The operator's name in static storage.
const std::string_view* lasting_name(const operator_handle& op);

registration register_unimplemented();
const registration unimplemented_registration = register_unimplemented();

}  // namespace detail

}  // namespace topbit

// The Autograd fallback: an operator without a rule does not lose its gradient silently. Registered when this module is
// loaded, from an interface partition, so that importing is enough even from a static archive.
export module topbit.autograd:unimplemented;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Where an operator that has no gradient rule says so, if a tensor that requires its gradient comes to it.
export enum class missing_rule : std::uint8_t { raises_in_backward, raises_in_forward };

/// For the whole process. What it is at first, raises_in_backward unless the environment has TOPBIT_STRICT_GRADIENTS=1.
/// Returns what it was.
export missing_rule set_missing_rule(missing_rule when) noexcept;

namespace detail {

// What a call writes to: what the schema marks, or, for an operator without a schema, what came from a C++ reference.
std::vector<tensor> written_by(const operator_handle& op, std::span<const value> arguments);
// Calls on, and counts what it wrote to. Results take the arguments' place on the stack, so `written` holds these. A
// kernel that was written with counting operators has counted already.
void run_counting_writes(const operator_handle& op, key_set below, stack& s, std::span<const tensor> written);
// The operator's name in a place of its own that stays.
const std::string_view* lasting_name(const operator_handle& op);

registration register_unimplemented();
const registration unimplemented_registration = register_unimplemented();

}  // namespace detail

}  // namespace topbit

// What the two ways of shadowing have in common. Internal.
module topbit.graphs:shadow_difference;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :shadow;

namespace topbit::graphs {

// Throws graph_error for a second device whose tensors have no elements.
void check_shadow_map(const shadow_options& options);
// A copy for the other device, with the strides of the first.
tensor shadow_copy(const tensor& t, device to);
// How two results of a call differ; nothing if they do not by more than the tolerance.
std::optional<shadow_finding> shadow_difference(const operator_handle& op, const tensor& a, const tensor& b,
                                                const shadow_options& options);

}  // namespace topbit::graphs

// Initial values of parameters. Internal.
module topbit.training:initial;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

// Leaves that require gradients, drawn on the host, so that a seed gives the same network on every device.

// Uniform within 1 / sqrt(inputs): the initialisation of torch.nn's layers, kaiming_uniform_ with a = sqrt(5).
tensor uniform_parameter(const shape& sizes, std::int64_t inputs, dtype type, generator random);
tensor normal_parameter(const shape& sizes, dtype type, generator random);
tensor constant_parameter(const shape& sizes, double value, dtype type);

// Throws error "<who>: found <what>=<value>, wanted 1 or more".
void require_positive(std::string_view who, std::string_view what, std::int64_t value);

}  // namespace topbit::detail

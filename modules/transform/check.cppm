// Checks of forward mode by finite differences and by reverse mode.
export module topbit.transform:check;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit {

/// Compares how the results of `f` change along a random direction of those inputs that require a gradient, as forward
/// mode has it, with central differences, element by element, and with the gradients that reverse mode has. `f` must be
/// deterministic and not write to its inputs. Costs three calls of f, one of them of dual tensors, and one backward
/// pass. Throws dtype_error for inputs that are not float64, for which differences are too inaccurate, device_error for
/// those that are not on the CPU, and what f throws. Not within vmap.
export check_result jvpcheck(const tensor_function& f, std::span<const tensor> inputs,
                             const check_options& options = {}, std::uint64_t seed = 1);

}  // namespace topbit

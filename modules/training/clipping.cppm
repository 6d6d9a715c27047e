// Gradients that are too large are made smaller before a step.
export module topbit.training:clipping;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export struct clip_options {
  double p = 2;  // of the norm; infinity takes the greatest magnitude
  bool error_if_non_finite = false;
};

/// The norm of all gradients as if they were one vector. If it is above `most`, all are multiplied, in place, with
/// most / (norm + 1e-6). Parameters without a gradient are skipped. A norm that is not finite makes zeros and NaN, or
/// with error_if_non_finite an error before anything is changed.
///
/// Errors   error for a `most` below 0 and a p that is not above 0
/// Cost     two passes over the gradients, one if there is nothing to do
export double clip_gradient_norm(std::span<const tensor> parameters, double most, const clip_options& options = {});

/// Every element of a gradient is brought within -most and most, in place. Throws error for a `most` below 0.
export void clip_gradient_value(std::span<const tensor> parameters, double most);

}  // namespace topbit

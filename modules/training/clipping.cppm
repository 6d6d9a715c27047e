// Gradient clipping.
export module topbit.training:clipping;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export struct clip_options {
  double p = 2;  // order of the norm; infinity is the maximum magnitude
  bool error_if_non_finite = false;
};

/// The norm of all gradients as if they were one vector. If it is above `most`, all are multiplied, in place, with most
/// / (norm + 1e-6). Parameters without a gradient are skipped; duplicate entries of a sparse one are added up, in
/// another tensor that replaces it. A non-finite norm gives zeros and NaN, or with
/// error_if_non_finite an error before anything is changed.
///
/// Errors   error for a `most` below 0 and a p that is not above 0
/// Cost     two passes over the gradients, one if there is nothing to do
export double clip_gradient_norm(std::span<const tensor> parameters, double most, const clip_options& options = {});

/// Clamps every gradient element to [-most, most], in place, and duplicate entries of a sparse gradient as above.
/// Throws error for a `most` below 0.
export void clip_gradient_value(std::span<const tensor> parameters, double most);

}  // namespace topbit

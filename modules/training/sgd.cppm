// Stochastic gradient descent.
export module topbit.training:sgd;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :optimizer;

namespace topbit {

export struct sgd_options {
  double learning_rate = 1e-3;
  /// The momentum factor, and the dampening of the gradient, except in the first step.
  double momentum = 0, dampening = 0;
  /// Weight decay: times the parameter, added to the gradient.
  double weight_decay = 0;
  /// Nesterov momentum. Requires momentum, and no dampening.
  bool nesterov = false;
  /// Maximises instead of minimising.
  bool maximize = false;
};

/// A step is one pass over parameter, gradient and momentum, by aten::_fused_sgd_; see its documentation for the
/// formula. The state is "momentum_buffer" for each parameter, none without momentum. A sparse gradient updates the
/// rows that it has, without momentum and weight decay.
///
/// Errors   error for an option out of its range, and what optimizer::add() throws
export class sgd final : public optimizer {
 public:
  explicit sgd(std::vector<tensor> parameters, const sgd_options& options = {});
  void add_group(std::vector<tensor> parameters, const sgd_options& options = {});

 private:
  void update(std::size_t group, batch& b) override;
  bool takes_scaling() const noexcept override { return true; }
  std::string refuses_sparse(std::size_t group) const override;
  std::vector<sgd_options> options_;
};

}  // namespace topbit

// Adagrad.
export module topbit.training:adagrad;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :optimizer;

namespace topbit {

export struct adagrad_options {
  double learning_rate = 1e-2;
  /// The rate of step n is the learning rate divided by 1 + (n - 1) * this.
  double learning_rate_decay = 0;
  /// Weight decay: times the parameter, added to the gradient.
  double weight_decay = 0;
  /// Added to the divisor.
  double epsilon = 1e-10;
  /// Maximises instead of minimising.
  bool maximize = false;
};

/// Divides the gradient by the root of the sum of its squares so far (Duchi, Hazan, Singer: "Adaptive Subgradient
/// Methods for Online Learning and Stochastic Optimization", 2011): sum += g * g; parameter -= rate * g / (sqrt(sum) +
/// epsilon). The state is "sum" for each parameter. A sparse gradient updates the rows that it has, without weight
/// decay.
///
/// Errors   error for an option out of its range, and what optimizer::add() throws
/// Cost     four passes over the parameter, or over its updated rows
export class adagrad final : public optimizer {
 public:
  explicit adagrad(std::vector<tensor> parameters, const adagrad_options& options = {});
  void add_group(std::vector<tensor> parameters, const adagrad_options& options = {});

 private:
  void update(std::size_t group, batch& b) override;
  std::string refuses_sparse(std::size_t group) const override;
  std::vector<adagrad_options> options_;
};

}  // namespace topbit

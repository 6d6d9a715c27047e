// Adam and AdamW.
export module topbit.training:adam;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :optimizer;

namespace topbit {

export struct adam_options {
  double learning_rate = 1e-3;
  /// How much of the averages of the gradient and of its square is kept.
  double beta1 = 0.9, beta2 = 0.999;
  /// Keeps the divisor from 0.
  double epsilon = 1e-8;
  /// Times the parameter, added to the gradient.
  double weight_decay = 0;
  /// Divides by the greatest average of squares there was.
  bool amsgrad = false;
  /// Climbs the gradient.
  bool maximize = false;
  /// Counts steps on the parameters' device, which has to be one for a group, so that a cuda_graph can take them. The
  /// numbers are the same, but where the device's pow rounds otherwise. steps() and state() wait for the device then,
  /// and so does set_schedule(). The learning rate of a replay is that of the capture.
  bool capturable = false;
};

export struct adamw_options {
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  /// Times the learning rate, by how much parameters shrink in a step, whatever their gradients.
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
  bool capturable = false;
};

namespace detail {

// Both; they differ in where the decay comes in.
class adam_family : public optimizer {
 protected:
  adam_family(std::string name, bool decoupled) : optimizer(std::move(name)), decoupled_(decoupled) {}
  void add_checked(std::vector<tensor> parameters, const adam_options& options);

 private:
  void update(std::size_t group, batch& b) override;
  bool decoupled_;
  std::vector<adam_options> options_;
};

}  // namespace detail

/// Steps by averages of the gradient and its square (Kingma, Ba: "Adam", 2015), one pass over all of them, by
/// aten::_fused_adam_. Keeps "exp_avg" and "exp_avg_sq" for each parameter, with amsgrad "max_exp_avg_sq".
///
/// Errors   error for an option out of its range, and what optimizer::add() throws
export class adam final : public detail::adam_family {
 public:
  explicit adam(std::vector<tensor> parameters, const adam_options& options = {});
  void add_group(std::vector<tensor> parameters, const adam_options& options = {});
};

/// Adam with the decay of weights apart from the gradient (Loshchilov, Hutter: "Decoupled Weight Decay Regularization",
/// 2019), by aten::_fused_adamw_.
export class adamw final : public detail::adam_family {
 public:
  explicit adamw(std::vector<tensor> parameters, const adamw_options& options = {});
  void add_group(std::vector<tensor> parameters, const adamw_options& options = {});
};

}  // namespace topbit

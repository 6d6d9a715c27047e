// Adam, AdamW, and Adam for sparse gradients.
export module topbit.training:adam;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :optimizer;

namespace topbit {

export struct adam_options {
  double learning_rate = 1e-3;
  /// The decay rates of the averages of the gradient and of its square.
  double beta1 = 0.9, beta2 = 0.999;
  /// Added to the divisor.
  double epsilon = 1e-8;
  /// Weight decay: times the parameter, added to the gradient.
  double weight_decay = 0;
  /// Divides by the maximum of the averages of squares so far.
  bool amsgrad = false;
  /// Maximises instead of minimising.
  bool maximize = false;
  /// Counts steps on the parameters' device, which must be one per group, so that a cuda_graph can capture them.
  /// Results are the same up to the rounding of the device's pow. steps(), state(), and with a schedule step() and
  /// learning_rate() then wait for the device. The learning rate of a replay is that of the capture.
  bool capturable = false;
};

export struct adamw_options {
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  /// Times the learning rate: the relative decay of parameters per step, independent of gradients.
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
  bool capturable = false;
};

export struct sparse_adam_options {
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  bool maximize = false;
};

namespace detail {

// All; they differ in where the decay comes in.
class adam_family : public optimizer {
 protected:
  adam_family(std::string name, bool decoupled) : optimizer(std::move(name)), decoupled_(decoupled) {}
  void add_checked(std::vector<tensor> parameters, const adam_options& options);

 private:
  void update(std::size_t group, batch& b) override;
  bool takes_scaling() const noexcept override { return true; }
  bool decoupled_;
  std::vector<adam_options> options_;
};

}  // namespace detail

/// Updates by averages of the gradient and its square (Kingma, Ba: "Adam", 2015), one pass over all of them, by
/// aten::_fused_adam_. The state is "exp_avg" and "exp_avg_sq" for each parameter, with amsgrad also "max_exp_avg_sq".
///
/// Errors   error for an option out of its range, and what optimizer::add() throws
export class adam final : public detail::adam_family {
 public:
  explicit adam(std::vector<tensor> parameters, const adam_options& options = {});
  void add_group(std::vector<tensor> parameters, const adam_options& options = {});
};

/// Adam with decoupled weight decay (Loshchilov, Hutter: "Decoupled Weight Decay Regularization", 2019), by
/// aten::_fused_adamw_.
export class adamw final : public detail::adam_family {
 public:
  explicit adamw(std::vector<tensor> parameters, const adamw_options& options = {});
  void add_group(std::vector<tensor> parameters, const adamw_options& options = {});
};

/// Adam for sparse gradients: a step updates the rows that the gradient has, and their averages, as Adam does; other
/// rows and their averages stay as they are. The step number of all rows is the parameter's. With a strided gradient it
/// is Adam. (torch.optim.SparseAdam adds epsilon before it corrects the average of squares, and refuses strided
/// gradients.)
///
/// Errors   error for an option out of its range, and what optimizer::add() throws
/// Cost     of a step, six passes over the rows that it updates
export class sparse_adam final : public detail::adam_family {
 public:
  explicit sparse_adam(std::vector<tensor> parameters, const sparse_adam_options& options = {});
  void add_group(std::vector<tensor> parameters, const sparse_adam_options& options = {});

 private:
  std::string refuses_sparse(std::size_t group) const override;
};

}  // namespace topbit

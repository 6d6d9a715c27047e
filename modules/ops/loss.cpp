// Losses of two tensors, element by element: composites.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

tensor reduced(std::string_view op, const tensor& loss, std::int64_t reduction) {
  switch (reduction) {
    case 0: return loss;
    case 1:
      if (!is_floating(loss.dtype())) {
        refuse<dtype_error>({nullptr, op}, "found the mean of " + std::string(name_of(loss.dtype())) +
                                               ", wanted a floating dtype; convert with to()");
      }
      return ops::mean(loss);
    case 2: return ops::sum(loss);
    default: break;
  }
  refuse<error>({nullptr, op},
                "found reduction " + std::to_string(reduction) + ", wanted None (0), Mean (1) or Sum (2)");
}

void check_broadcast(std::string_view op, const tensor& self, const tensor& target) {
  check_defined({nullptr, op}, self);
  check_defined({nullptr, op}, target);
  broadcast(op, self.sizes(), target.sizes());
}

// Differences of integers do not fit their dtype.
void check_floating_loss(std::string_view op, const tensor& self, const tensor& target) {
  if (is_floating(self.dtype()) || is_floating(target.dtype())) return;
  refuse<dtype_error>({nullptr, op}, "found " + std::string(name_of(self.dtype())) + " and targets of " +
                                         std::string(name_of(target.dtype())) +
                                         ", wanted a floating dtype; convert one with to()");
}
void check_numbers(std::string_view op, const tensor& self, const tensor& target) {
  if (self.dtype() != dtype::boolean || target.dtype() != dtype::boolean) return;
  refuse<dtype_error>({nullptr, op}, "found bool and bool, wanted numbers; convert one with to()");
}
void check_floating_self(std::string_view op, const tensor& self) {
  if (is_floating(self.dtype())) return;
  refuse<dtype_error>(
      {nullptr, op}, "found " + std::string(name_of(self.dtype())) + ", wanted a floating dtype; convert it with to()");
}

tensor mse_loss(const tensor& self, const tensor& target, std::int64_t reduction) {
  author::check_one_device(ops::mse_loss, self, target);
  check_broadcast(ops::mse_loss.name(), self, target);
  check_floating_loss(ops::mse_loss.name(), self, target);
  const tensor d = self - target;
  return reduced(ops::mse_loss.name(), d * d, reduction);
}

tensor l1_loss(const tensor& self, const tensor& target, std::int64_t reduction) {
  author::check_one_device(ops::l1_loss, self, target);
  check_broadcast(ops::l1_loss.name(), self, target);
  check_numbers(ops::l1_loss.name(), self, target);
  return reduced(ops::l1_loss.name(), ops::abs(self - target), reduction);
}

tensor smooth_l1_loss(const tensor& self, const tensor& target, std::int64_t reduction, double beta) {
  author::check_one_device(ops::smooth_l1_loss, self, target);
  constexpr std::string_view op = ops::smooth_l1_loss.name();
  check_broadcast(op, self, target);
  check_floating_loss(op, self, target);
  if (!(beta >= 0)) refuse<error>({nullptr, op}, "found beta " + std::to_string(beta) + ", wanted at least 0");
  const tensor d = ops::abs(self - target);
  if (beta == 0) return reduced(op, d, reduction);
  return reduced(op, ops::where(d < beta, d * d * (0.5 / beta), d - 0.5 * beta), reduction);
}

tensor huber_loss(const tensor& self, const tensor& target, std::int64_t reduction, double delta) {
  author::check_one_device(ops::huber_loss, self, target);
  constexpr std::string_view op = ops::huber_loss.name();
  check_broadcast(op, self, target);
  check_floating_loss(op, self, target);
  if (!(delta > 0)) refuse<error>({nullptr, op}, "found delta " + std::to_string(delta) + ", wanted more than 0");
  const tensor d = ops::abs(self - target);
  return reduced(op, ops::where(d <= delta, d * d * 0.5, (d - 0.5 * delta) * delta), reduction);
}

tensor binary_cross_entropy(const tensor& self, const tensor& target, const optional_tensor& weight,
                            std::int64_t reduction) {
  author::check_one_device(ops::binary_cross_entropy, self, target, weight);
  constexpr std::string_view op = ops::binary_cross_entropy.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  if (self.sizes() != target.sizes()) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + " and targets " +
                                           to_string(target.sizes()) + ", wanted equal sizes");
  }
  if (self.device().type != backend::Meta) {
    const tensor within = ops::logical_and(ops::ge_scalar(self, 0.0), ops::le_scalar(self, 1.0));
    if (item(ops::sum(ops::logical_not(within))) != 0) {
      refuse<error>({nullptr, op},
                    "found a probability that is not from 0 to 1; logits need "
                    "binary_cross_entropy_with_logits");
    }
  }
  const tensor yes = ops::clamp_min(ops::log(self), -100.0), no = ops::clamp_min(ops::log1p(-self), -100.0);
  tensor loss = (target - 1.0) * no - target * yes;
  if (is_given(weight)) loss = loss * *weight;
  return reduced(op, loss, reduction);
}

// -log(sigmoid(x)) is max(-x, 0) + log1p(exp(-abs(x))), and -log(1 - sigmoid(x)) is that with x added.
tensor binary_cross_entropy_with_logits(const tensor& self, const tensor& target, const optional_tensor& weight,
                                        const optional_tensor& pos_weight, std::int64_t reduction) {
  author::check_one_device(ops::binary_cross_entropy_with_logits, self, target, weight, pos_weight);
  constexpr std::string_view op = ops::binary_cross_entropy_with_logits.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  const tensor softplus = ops::clamp_min(-self, 0.0) + ops::log1p(ops::exp(-ops::abs(self)));
  tensor loss = (1.0 - target) * self;
  loss = is_given(pos_weight) ? loss + ((*pos_weight - 1.0) * target + 1.0) * softplus : loss + softplus;
  if (is_given(weight)) loss = loss * *weight;
  return reduced(op, loss, reduction);
}

tensor kl_div(const tensor& self, const tensor& target, std::int64_t reduction, bool log_target) {
  author::check_one_device(ops::kl_div, self, target);
  constexpr std::string_view op = ops::kl_div.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  check_floating_self(op, target);
  if (log_target) return reduced(op, ops::exp(target) * (target - self), reduction);
  return reduced(op, ops::xlogy(target, target) - target * self, reduction);
}

// log(1 + exp(-x)) as in binary_cross_entropy_with_logits, without overflow.
tensor soft_margin_loss(const tensor& self, const tensor& target, std::int64_t reduction) {
  author::check_one_device(ops::soft_margin_loss, self, target);
  constexpr std::string_view op = ops::soft_margin_loss.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  const tensor x = target * self;
  return reduced(op, ops::clamp_min(-x, 0.0) + ops::log1p(ops::exp(-ops::abs(x))), reduction);
}

}  // namespace

void register_loss() {
  register_composite<&mse_loss, ops::mse_loss>();
  register_composite<&l1_loss, ops::l1_loss>();
  register_composite<&smooth_l1_loss, ops::smooth_l1_loss>();
  register_composite<&huber_loss, ops::huber_loss>();
  register_composite<&binary_cross_entropy, ops::binary_cross_entropy>();
  register_composite<&binary_cross_entropy_with_logits, ops::binary_cross_entropy_with_logits>();
  register_composite<&kl_div, ops::kl_div>();
  register_composite<&soft_margin_loss, ops::soft_margin_loss>();
  register_written<ops::mse_loss, ops::mse_loss_out>();
  register_written<ops::smooth_l1_loss, ops::smooth_l1_loss_out>();
  register_written<ops::huber_loss, ops::huber_loss_out>();
  register_written<ops::binary_cross_entropy, ops::binary_cross_entropy_out>();
  register_written<ops::soft_margin_loss, ops::soft_margin_loss_out>();
}

}  // namespace topbit::detail

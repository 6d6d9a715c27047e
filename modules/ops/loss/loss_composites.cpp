// Elementwise losses of two tensors, as composites.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :loss.loss_kernels;
import :registration.composite;

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
      return aten::mean(loss);
    case 2: return aten::sum(loss);
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

// Refuses integers, whose differences may overflow.
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
  author::check_one_device(aten::mse_loss, self, target);
  check_broadcast(aten::mse_loss.name(), self, target);
  check_floating_loss(aten::mse_loss.name(), self, target);
  return reduced(aten::mse_loss.name(), native::squared_difference(self, target), reduction);
}

tensor l1_loss(const tensor& self, const tensor& target, std::int64_t reduction) {
  author::check_one_device(aten::l1_loss, self, target);
  check_broadcast(aten::l1_loss.name(), self, target);
  check_numbers(aten::l1_loss.name(), self, target);
  return reduced(aten::l1_loss.name(), aten::abs(self - target), reduction);
}

tensor smooth_l1_loss(const tensor& self, const tensor& target, std::int64_t reduction, double beta) {
  author::check_one_device(aten::smooth_l1_loss, self, target);
  constexpr std::string_view op = aten::smooth_l1_loss.name();
  check_broadcast(op, self, target);
  check_floating_loss(op, self, target);
  if (!(beta >= 0)) refuse<error>({nullptr, op}, "found beta " + std::to_string(beta) + ", wanted at least 0");
  return reduced(op, beta == 0 ? aten::abs(self - target) : native::smooth_l1(self, target, beta), reduction);
}

tensor huber_loss(const tensor& self, const tensor& target, std::int64_t reduction, double delta) {
  author::check_one_device(aten::huber_loss, self, target);
  constexpr std::string_view op = aten::huber_loss.name();
  check_broadcast(op, self, target);
  check_floating_loss(op, self, target);
  if (!(delta > 0)) refuse<error>({nullptr, op}, "found delta " + std::to_string(delta) + ", wanted more than 0");
  return reduced(op, native::huber(self, target, delta), reduction);
}

// Losses of elements for backends without their kernels.
tensor squared_difference_in_parts(const tensor& self, const tensor& target) {
  const tensor d = self - target;
  return d * d;
}
tensor smooth_l1_in_parts(const tensor& self, const tensor& target, double beta) {
  const tensor difference = self - target, d = aten::abs(difference);
  return aten::where_self(d < beta, difference * difference * (0.5 / beta), d - 0.5 * beta);
}
tensor huber_in_parts(const tensor& self, const tensor& target, double delta) {
  const tensor difference = self - target, d = aten::abs(difference);
  return aten::where_self(d < delta, difference * difference * 0.5, (d - 0.5 * delta) * delta);
}

}  // namespace

tensor bounded_below(const tensor& logarithm) { return aten::clamp_min(logarithm, -100.0); }

tensor binary_cross_entropies(const tensor& self, const tensor& target) {
  const tensor yes = bounded_below(aten::log(self)), no = bounded_below(aten::log1p(-self));
  return (target - 1.0) * no - target * yes;
}

namespace {

tensor binary_cross_entropy(const tensor& self, const tensor& target, const optional_tensor& weight,
                            std::int64_t reduction) {
  author::check_one_device(aten::binary_cross_entropy, self, target, weight);
  constexpr std::string_view op = aten::binary_cross_entropy.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  if (self.sizes() != target.sizes()) {
    refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + " and targets " +
                                           to_string(target.sizes()) + ", wanted equal sizes");
  }
  if (self.device().type != backend::Meta) {
    const tensor within = aten::logical_and(aten::ge_Scalar(self, 0.0), aten::le_Scalar(self, 1.0));
    if (item(aten::sum(aten::logical_not(within))) != 0) {
      refuse<error>({nullptr, op},
                    "found a probability that is not from 0 to 1; logits need "
                    "binary_cross_entropy_with_logits");
    }
  }
  tensor loss = binary_cross_entropies(self, target);
  if (is_given(weight)) loss = loss * *weight;
  return reduced(op, loss, reduction);
}

// Uses -log(1 - sigmoid(x)) = x - log(sigmoid(x)).
tensor binary_cross_entropy_with_logits(const tensor& self, const tensor& target, const optional_tensor& weight,
                                        const optional_tensor& pos_weight, std::int64_t reduction) {
  author::check_one_device(aten::binary_cross_entropy_with_logits, self, target, weight, pos_weight);
  constexpr std::string_view op = aten::binary_cross_entropy_with_logits.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  const tensor logs = aten::log_sigmoid(self);
  tensor loss = (1.0 - target) * self;
  loss = is_given(pos_weight) ? loss - ((*pos_weight - 1.0) * target + 1.0) * logs : loss - logs;
  if (is_given(weight)) loss = loss * *weight;
  return reduced(op, loss, reduction);
}

tensor kl_div(const tensor& self, const tensor& target, std::int64_t reduction, bool log_target) {
  author::check_one_device(aten::kl_div, self, target);
  constexpr std::string_view op = aten::kl_div.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  check_floating_self(op, target);
  if (log_target) return reduced(op, aten::exp(target) * (target - self), reduction);
  return reduced(op, aten::xlogy_Tensor(target, target) - target * self, reduction);
}

tensor soft_margin_loss(const tensor& self, const tensor& target, std::int64_t reduction) {
  author::check_one_device(aten::soft_margin_loss, self, target);
  constexpr std::string_view op = aten::soft_margin_loss.name();
  check_broadcast(op, self, target);
  check_floating_self(op, self);
  return reduced(op, -aten::log_sigmoid(target * self), reduction);
}

constexpr author::kernel_row with_derivative[] = {
    author::define(aten::binary_cross_entropy),
    caller_row<&binary_cross_entropy, aten::binary_cross_entropy>(key::CompositeExplicitAutograd),
};

}  // namespace

void register_loss() {
  register_forms(element_loss_forms);
  register_in_parts<&squared_difference_in_parts, native::squared_difference>();
  register_in_parts<&smooth_l1_in_parts, native::smooth_l1>();
  register_in_parts<&huber_in_parts, native::huber>();
  register_composite<&mse_loss, aten::mse_loss>();
  register_composite<&l1_loss, aten::l1_loss>();
  register_composite<&smooth_l1_loss, aten::smooth_l1_loss>();
  register_composite<&huber_loss, aten::huber_loss>();
  author::register_rows(with_derivative);
  register_composite<&binary_cross_entropy_with_logits, aten::binary_cross_entropy_with_logits>();
  register_composite<&kl_div, aten::kl_div>();
  register_composite<&soft_margin_loss, aten::soft_margin_loss>();
  register_out_variants<aten::mse_loss, aten::mse_loss_out>();
  register_out_variants<aten::smooth_l1_loss, aten::smooth_l1_loss_out>();
  register_out_variants<aten::huber_loss, aten::huber_loss_out>();
  register_out_variants<aten::binary_cross_entropy, aten::binary_cross_entropy_out>();
  register_out_variants<aten::soft_margin_loss, aten::soft_margin_loss_out>();
}

}  // namespace topbit::detail

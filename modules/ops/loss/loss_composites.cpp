// Elementwise losses of two tensors, as composites.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

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
  const tensor d = self - target;
  return reduced(aten::mse_loss.name(), d * d, reduction);
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
  const tensor difference = self - target, d = aten::abs(difference);
  if (beta == 0) return reduced(op, d, reduction);
  return reduced(op, aten::where_self(d < beta, difference * difference * (0.5 / beta), d - 0.5 * beta), reduction);
}

tensor huber_loss(const tensor& self, const tensor& target, std::int64_t reduction, double delta) {
  author::check_one_device(aten::huber_loss, self, target);
  constexpr std::string_view op = aten::huber_loss.name();
  check_broadcast(op, self, target);
  check_floating_loss(op, self, target);
  if (!(delta > 0)) refuse<error>({nullptr, op}, "found delta " + std::to_string(delta) + ", wanted more than 0");
  const tensor difference = self - target, d = aten::abs(difference);
  return reduced(op, aten::where_self(d < delta, difference * difference * 0.5, (d - 0.5 * delta) * delta), reduction);
}

tensor bounded(const tensor& logarithm) { return aten::clamp_min(logarithm, -100.0); }
// The unweighted loss of each element.
tensor binary_cross_entropies(const tensor& self, const tensor& target) {
  const tensor yes = bounded(aten::log(self)), no = bounded(aten::log1p(-self));
  return (target - 1.0) * no - target * yes;
}

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

// At 0 and 1 the logarithm has no derivative; as in PyTorch, the denominator is clamped.
struct binary_cross_entropy_gradient {
  static constexpr std::string_view op = aten::binary_cross_entropy.name();
  saved_tensor self, target, weight;
  double share;  // factor of one element in the result
  static binary_cross_entropy_gradient save(T self, T target, const optional_tensor& weight, std::int64_t reduction,
                                            T) {
    shape sizes = self.sizes();
    if (is_given(weight)) sizes = broadcast(op, sizes, weight->sizes());
    return {saved_tensor(self), saved_tensor(target), saved_tensor(weight),
            reduction == 1 ? 1 / static_cast<double>(numel(sizes)) : 1};
  }
  std::array<tensor, 3> backward(T gradient, std::array<bool, 3> wanted) const {
    const tensor given = self.get(), t = target.get(), w = weight.get();
    const dtype type = widened(given.dtype());
    const tensor x = to(given, type), g = times(to(gradient, type), share);
    const tensor weighted = w.defined() ? g * to(w, type) : g;
    std::array<tensor, 3> all;
    if (wanted[0]) all[0] = weighted * (x - t) / aten::clamp_min(x * (1.0 - x), 1e-12);
    if (wanted[1]) all[1] = weighted * (bounded(aten::log1p(-x)) - bounded(aten::log(x)));
    // The weight may have more dimensions than the loss.
    if (wanted[2]) all[2] = g * aten::expand(binary_cross_entropies(x, t), broadcast(op, x.sizes(), w.sizes()));
    return all;
  }
};

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

// Composites with a gradient rule.
constexpr author::kernel_row with_derivative[] = {
    author::define(aten::binary_cross_entropy),
    caller_row<&binary_cross_entropy, aten::binary_cross_entropy>(key::CompositeExplicitAutograd),
    gradient_row<aten::binary_cross_entropy, binary_cross_entropy_gradient>(),
};

}  // namespace

void register_loss() {
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

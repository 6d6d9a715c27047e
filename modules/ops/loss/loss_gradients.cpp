// Gradient rules of losses, and the gradients of element losses in parts. Those of the other losses come from the
// operators that they are composed of.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :loss.loss_kernels;

namespace topbit::detail {

namespace {

void refuse_recorded_weights(std::string_view op, const optional_tensor& weight) {
  if (!is_given(weight) || !requires_grad(*weight)) return;
  refuse<error>({nullptr, op}, "found weights that require a gradient, which is not defined; detach() them");
}

// If recorded, composed of differentiable operators.
tensor scores_gradient(key_set keys, const tensor& gradient, const tensor& self, const tensor& target,
                       const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored,
                       const tensor& total) {
  constexpr std::string_view op = native::cross_entropy_backward.name();
  refuse_recorded_weights(op, weight);
  if (!requires_grad(gradient) && !requires_grad(self)) {
    return native::cross_entropy_backward.redispatch(keys & below(key::Autograd), gradient, self, target, weight,
                                                     reduction, ignored, total);
  }
  label_gradient_meta(op, gradient, self, target, weight, reduction, total);
  const tensor logs = aten::log_softmax_int(self, -1);
  const tensor of_logs = aten::nll_loss_backward(gradient, logs, target, weight, reduction, ignored, total);
  return of_logs - aten::exp(logs) * sum(of_logs, {-1}, true);
}

// The loss is linear in the log-probabilities, so the gradient of its backward is again such a loss.
struct nll_backward_gradient {
  saved_tensor target, weight, total;
  std::int64_t reduction, ignored;
  shape sizes;
  static nll_backward_gradient save(const tensor& gradient, const tensor&, const tensor& target,
                                    const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored,
                                    const tensor& total, const tensor&) {
    refuse_recorded_weights(aten::nll_loss_backward.name(), weight);
    return {saved_tensor(target), saved_tensor(weight), saved_tensor(total), reduction, ignored, gradient.sizes()};
  }
  std::array<tensor, 5> backward(const tensor& g, std::array<bool, 5> wanted) const {
    if (!wanted[0]) return {};
    const tensor w = weight.get();
    tensor loss = std::get<0>(aten::nll_loss_forward(g, target.get(), w.defined() ? optional_tensor(w) : std::nullopt,
                                                     reduction == by_none ? by_none : by_sum, ignored));
    if (reduction == by_mean) loss = loss / aten::reshape(total.get(), shape{});
    return {aten::reshape(loss, sizes)};
  }
};

// The second result, the sum of the weights, has no gradient.
template <const auto& Forward, const auto& Backward>
struct label_loss_gradient {
  saved_tensor self, target, weight;
  saved_result total;
  std::int64_t reduction, ignored;
  static label_loss_gradient save(const tensor& self, const tensor& target, const optional_tensor& weight,
                                  std::int64_t reduction, std::int64_t ignored, const std::tuple<tensor, tensor>& r) {
    refuse_recorded_weights(Forward.name(), weight);
    return {saved_tensor(self),
            saved_tensor(target),
            saved_tensor(weight),
            saved_result(std::get<1>(r), 1),
            reduction,
            ignored};
  }
  std::array<tensor, 3> backward(const std::array<tensor, 2>& g, std::array<bool, 3>) const {
    // The sum of the weights depends on no score.
    if (!g[0].defined()) return {};
    const tensor w = weight.get();
    return {Backward(g[0], self.get(), target.get(), w.defined() ? optional_tensor(w) : std::nullopt, reduction,
                     ignored, total.get())};
  }
};

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
            reduction == by_mean ? 1 / static_cast<double>(numel(sizes)) : 1};
  }
  std::array<tensor, 3> backward(T gradient, std::array<bool, 3> wanted) const {
    const tensor given = self.get(), t = target.get(), w = weight.get();
    const dtype type = widened(given.dtype());
    const tensor x = to(given, type), g = times(to(gradient, type), share);
    const tensor weighted = w.defined() ? g * to(w, type) : g;
    std::array<tensor, 3> all;
    if (wanted[0]) all[0] = weighted * (x - t) / aten::clamp_min(x * (1.0 - x), 1e-12);
    if (wanted[1]) all[1] = weighted * (bounded_below(aten::log1p(-x)) - bounded_below(aten::log(x)));
    // The weight may have more dimensions than the loss.
    if (wanted[2]) all[2] = g * aten::expand(binary_cross_entropies(x, t), broadcast(op, x.sizes(), w.sizes()));
    return all;
  }
};

// Losses of elements. They are symmetric: the gradient by the target is that of exchanged arguments.
using squared_difference_rule =
    in_parts<native::squared_difference,
             formula<keep<0, 1>, [](T g, T a, T b) { return native::squared_difference_backward(g, a, b); }>,
             formula<keep<0, 1>, [](T g, T a, T b) { return native::squared_difference_backward(g, b, a); }>>;
template <const auto& Loss, const auto& Backward>
using element_loss_rule =
    in_parts<Loss, formula<keep<0, 1>, [](T g, T a, T b, double bound) { return Backward(g, a, b, bound); }>,
             formula<keep<0, 1>, [](T g, T a, T b, double bound) { return Backward(g, b, a, bound); }>>;

tensor squared_difference_backward_in_parts(T g, T a, T b) { return product(g, a - b, 2); }
tensor smooth_l1_backward_in_parts(T g, T a, T b, double beta) {
  const tensor d = a - b;
  return g * aten::where_self(aten::abs(d) < beta, d * (1 / beta), aten::sign(d));
}
tensor huber_backward_in_parts(T g, T a, T b, double delta) { return g * aten::clamp(a - b, -delta, delta); }

constexpr auto element_loss_rows =
    joined_rows(rows_in_parts<native::squared_difference_backward, &squared_difference_backward_in_parts>(),
                rows_in_parts<native::smooth_l1_backward, &smooth_l1_backward_in_parts>(),
                rows_in_parts<native::huber_backward, &huber_backward_in_parts>());

constexpr std::array rules = {
    gradient_row<aten::nll_loss_forward, label_loss_gradient<aten::nll_loss_forward, aten::nll_loss_backward>>(),
    gradient_row<aten::nll_loss_backward, nll_backward_gradient>(),
    gradient_row<native::cross_entropy, label_loss_gradient<native::cross_entropy, native::cross_entropy_backward>>(),
    author::row<&scores_gradient>(native::cross_entropy_backward, key::Autograd),
    gradient_row<aten::binary_cross_entropy, binary_cross_entropy_gradient>(),
    gradient_row<native::squared_difference, squared_difference_rule>(),
    gradient_row<native::smooth_l1, element_loss_rule<native::smooth_l1, native::smooth_l1_backward>>(),
    gradient_row<native::huber, element_loss_rule<native::huber, native::huber_backward>>(),
};
constexpr auto rows = joined_rows(rules, element_loss_rows);

}  // namespace

std::span<const author::kernel_row> loss_gradients() { return rows; }

}  // namespace topbit::detail

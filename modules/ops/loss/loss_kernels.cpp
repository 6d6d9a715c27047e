// Kernels of losses with class labels: nll_loss, cross_entropy and their composites.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :loss.loss_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

void check_reduction(backend_call c, std::int64_t reduction) {
  if (reduction >= by_none && reduction <= by_sum) return;
  refuse<error>(c, "found reduction " + std::to_string(reduction) + ", wanted None (0), Mean (1) or Sum (2)");
}

void check_labels(backend_call c, const tensor& self, const tensor& target, const optional_tensor& weight) {
  check_defined(c, self);
  check_defined(c, target);
  if (!is_floating(self.dtype()) || target.dtype() != dtype::int64) {
    refuse<dtype_error>(c, "found " + describe(self) + " and labels of " + std::string(name_of(target.dtype())) +
                               ", wanted floating log-probabilities and int64 labels");
  }
  const bool one = self.dim() == 1 && target.dim() == 0;
  const bool many = self.dim() == 2 && target.dim() == 1 && self.sizes()[0] == target.sizes()[0];
  if (!one && !many) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and labels " + to_string(target.sizes()) +
                               ", wanted [n, classes] and [n], or [classes] and []");
  }
  if (!is_given(weight)) return;
  const std::int64_t classes = self.sizes()[self.dim() - 1];
  if (weight->dim() != 1 || weight->sizes()[0] != classes) {
    refuse<shape_error>(c, "found weights " + to_string(weight->sizes()) + ", wanted " + to_string(shape{classes}));
  }
  if (weight->dtype() != self.dtype()) {
    refuse<dtype_error>(c, "found weights of " + std::string(name_of(weight->dtype())) + " for " + describe(self) +
                               ", wanted one dtype");
  }
}

// The operands as rows along dimension 1, one row per label.
struct pictures {
  shape sizes;
  tensor target, weight;
  pictures(backend_call c, const tensor& self, const tensor& given, const optional_tensor& weights)
      : sizes(self.dim() == 1 ? shape{1, self.sizes()[0]} : self.sizes()) {
    check_storage(c, self);
    check_storage(c, given);
    target = reshaped(given, {sizes[0], 1});
    if (is_given(weights)) {
      weight = author::make_view(*weights, sizes, {0, weights->strides()[0]}, author::record_of(*weights).offset);
    }
  }
  tensor rows(const tensor& self) const { return self.dim() == 1 ? reshaped(self, sizes) : self; }
};

}  // namespace

std::array<result_meta, 2> label_loss_meta(std::string_view op, const tensor& self, const tensor& target,
                                           const optional_tensor& weight, std::int64_t reduction) {
  const backend_call c{nullptr, op};
  check_labels(c, self, target, weight);
  check_reduction(c, reduction);
  const result_meta scalar = dense_meta({}, self.dtype(), self);
  return {reduction == by_none ? dense_meta(target.sizes(), self.dtype(), self) : scalar, scalar};
}

void run_label_loss(backend_call c, rowwise code, const tensor& self, const tensor& target,
                    const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored, const tensor& output,
                    const tensor& total) {
  const pictures p(c, self, target, weight);
  const std::int64_t count = p.sizes[0];
  const shape column{count, 1};
  const dtype type = widened(self.dtype());
  const tensor weights = author::make_tensor(column, type, self.device());
  const tensor losses =
      reduction == by_none ? reshaped(output, column) : author::make_tensor(column, type, self.device());
  const tensor in = p.rows(self);
  run_rows(c, {code, type, 1, p.sizes, p.sizes[1]},
           {written(losses), written(weights), read(in), read(p.target), read(p.weight)}, {ignored});
  if (reduction == by_none) {
    tensor zero = total;
    fill(c, zero, 0);
    return;
  }
  run_rows(c, {rowwise::nll_total, type, 0, column}, {written(output), written(total), read(losses), read(weights)},
           {static_cast<std::int64_t>(reduction == by_mean)});
}

result_meta label_gradient_meta(std::string_view op, const tensor& grad, const tensor& self, const tensor& target,
                                const optional_tensor& weight, std::int64_t reduction, const tensor& total) {
  const backend_call c{nullptr, op};
  check_defined(c, grad);
  check_defined(c, total);
  check_labels(c, self, target, weight);
  check_reduction(c, reduction);
  const shape wanted = reduction == by_none ? target.sizes() : shape{};
  const bool fits = reduction == by_none ? grad.sizes() == wanted : grad.numel() == 1;
  const auto found = [&] {
    return "found a gradient " + describe(grad) + ", wanted " + std::string(name_of(self.dtype())) + " " +
           to_string(wanted);
  };
  if (!fits) refuse<shape_error>(c, found());
  if (grad.dtype() != self.dtype()) refuse<dtype_error>(c, found());
  if (total.numel() != 1) refuse<shape_error>(c, "found a total weight " + describe(total) + ", wanted one element");
  return dense_meta(self.sizes(), self.dtype(), self);
}

namespace {

// The gradient of each row of a mean: gradient / total.
tensor mean_of(backend_call c, const tensor& gradient, const tensor& total, dtype type) {
  if (gradient.dtype() == type) {
    constexpr fast_path_facts facts = fast_path_facts_of(elementwise::div);
    tensor mean;
    if (elementwise_fast_path<2, true>(c, elementwise::div, facts, collect(gradient, total), mean)) return mean;
  }
  tensor part = author::make_tensor({}, type, gradient.device());
  run_elementwise_in(c, elementwise::div, type, collect(gradient, total), part);
  return part;
}

}  // namespace

void run_label_gradient(backend_call c, rowwise code, const tensor& grad, const tensor& self, const tensor& target,
                        const optional_tensor& weight, std::int64_t reduction, std::int64_t ignored,
                        const tensor& total, const tensor& out) {
  const pictures p(c, self, target, weight);
  const shape column{p.sizes[0], 1};
  tensor of_rows = reduction == by_none ? reshaped(grad, column) : reshaped(grad, {});
  if (reduction == by_mean) {
    of_rows = mean_of(c, of_rows, reshaped(total, {}), widened(self.dtype()));
  }
  if (reduction != by_none) of_rows = author::make_view(of_rows, column, {0, 1}, author::record_of(of_rows).offset);
  const tensor to = p.rows(out);
  const row_call call{code, widened(self.dtype()), 1, p.sizes, p.sizes[1]};
  if (code == rowwise::nll_backward) {
    run_rows(c, call, {written(to), read(of_rows), read(p.target), read(p.weight)}, {ignored});
  } else {
    const tensor in = p.rows(self);
    run_rows(c, call, {written(to), read(of_rows), read(in), read(p.target), read(p.weight)}, {ignored});
  }
}

namespace {

// For log-probabilities, or for scores.
template <const auto& Forward>
struct label_loss {
  // Runs the checks of Forward under the name of the called operator.
  static tensor named(std::string_view op, const tensor& self, const tensor& target, const optional_tensor& weight,
                      std::int64_t reduction, std::int64_t ignored) {
    check_labels({nullptr, op}, self, target, weight);
    check_reduction({nullptr, op}, reduction);
    return std::get<0>(Forward(self, target, weight, reduction, ignored));
  }

  // Moves a class dimension that precedes other dimensions to the end of rows.
  static tensor of(std::string_view op, const tensor& self, const tensor& target, const optional_tensor& weight,
                   std::int64_t reduction, std::int64_t ignored) {
    if (self.dim() <= 2) return named(op, self, target, weight, reduction, ignored);
    shape labels = self.sizes();
    labels.erase(1);
    if (labels != target.sizes()) {
      refuse<shape_error>({nullptr, op}, "found " + to_string(self.sizes()) + " and labels " +
                                             to_string(target.sizes()) + ", wanted [n, classes, ...] and [n, ...]");
    }
    const std::int64_t n = self.sizes()[0], classes = self.sizes()[1], positions = n == 0 ? 0 : numel(labels) / n;
    const tensor last = aten::transpose_int(aten::reshape(self, shape{n, classes, positions}), 1, 2);
    const tensor loss = named(op, aten::reshape(last, shape{n * positions, classes}),
                              aten::reshape(target, shape{n * positions}), weight, reduction, ignored);
    return reduction == by_none ? aten::reshape(loss, labels) : loss;
  }
};
using nll = label_loss<aten::nll_loss_forward>;
using of_scores = label_loss<native::cross_entropy>;

tensor nll_loss(const tensor& self, const tensor& target, const optional_tensor& weight, std::int64_t reduction,
                std::int64_t ignored) {
  author::check_one_device(aten::nll_loss, self, target, weight);
  return nll::named(aten::nll_loss.name(), self, target, weight, reduction, ignored);
}

tensor nll_loss_nd(const tensor& self, const tensor& target, const optional_tensor& weight, std::int64_t reduction,
                   std::int64_t ignored) {
  author::check_one_device(aten::nll_loss_nd, self, target, weight);
  return nll::of(aten::nll_loss_nd.name(), self, target, weight, reduction, ignored);
}

tensor nll_loss2d(const tensor& self, const tensor& target, const optional_tensor& weight, std::int64_t reduction,
                  std::int64_t ignored) {
  author::check_one_device(aten::nll_loss2d, self, target, weight);
  constexpr backend_call c{nullptr, aten::nll_loss2d.name()};
  if (self.dim() != 4) refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted four dimensions");
  return nll::of(c.op, self, target, weight, reduction, ignored);
}

tensor sum_over_classes(const tensor& t, std::int64_t classes_dim) { return sum(t, {classes_dim}); }

// Class weights, reshaped to broadcast along `classes_dim` of `t`.
tensor weights_along(const tensor& weight, const tensor& t, std::int64_t classes_dim) {
  shape sizes(t.dim(), 1);
  sizes[static_cast<std::size_t>(classes_dim)] = weight.numel();
  return aten::reshape(weight, sizes);
}

tensor of_probabilities(const tensor& logs, const tensor& target, const optional_tensor& weight, std::int64_t reduction,
                        double smoothing, std::int64_t classes_dim) {
  const std::int64_t classes = logs.sizes()[static_cast<std::size_t>(classes_dim)];
  tensor wanted = target;
  if (smoothing > 0) wanted = wanted * (1 - smoothing) + smoothing / static_cast<double>(classes);
  tensor product = logs * wanted;
  if (is_given(weight)) product = product * weights_along(*weight, logs, classes_dim);
  if (reduction == by_none) return -sum_over_classes(product, classes_dim);
  const tensor loss = -aten::sum(product);
  return reduction == by_sum ? loss : loss / (static_cast<double>(logs.numel()) / static_cast<double>(classes));
}

// The label smoothing term: the losses of all classes, for labels that are not ignored.
tensor smooth_part(std::string_view op, const tensor& logs, const tensor& target, const optional_tensor& weight,
                   std::int64_t reduction, std::int64_t ignored, std::int64_t classes_dim) {
  const tensor weighted = is_given(weight) ? logs * weights_along(*weight, logs, classes_dim) : logs;
  const tensor counted = aten::ne_Scalar(target, ignored);
  const tensor loss = aten::where_ScalarOther(counted, -sum_over_classes(weighted, classes_dim), 0.0);
  if (reduction == by_none) return loss;
  const tensor total = aten::sum(loss);
  if (reduction == by_sum) return total;
  const tensor ones = aten::full(logs.sizes(), -1.0, arg<"dtype"> = logs.dtype(), arg<"device"> = logs.device());
  return total / nll::of(op, ones, target, weight, by_sum, ignored);
}

tensor cross_entropy_loss(const tensor& self, const tensor& target, const optional_tensor& weight,
                          std::int64_t reduction, std::int64_t ignored, double smoothing) {
  author::check_one_device(aten::cross_entropy_loss, self, target, weight);
  constexpr backend_call c{nullptr, aten::cross_entropy_loss.name()};
  check_defined(c, self);
  check_defined(c, target);
  check_reduction(c, reduction);
  if (!(smoothing >= 0 && smoothing <= 1)) {
    refuse<error>(c, "found label_smoothing " + std::to_string(smoothing) + ", wanted 0 to 1");
  }
  check_floating(c, self);
  if (self.dim() == 0) refuse<shape_error>(c, "found [], wanted [classes] or [n, classes, ...]");
  const std::int64_t classes_dim = self.dim() == 1 ? 0 : 1;
  if (target.sizes() == self.sizes()) {
    if (!is_floating(target.dtype())) {
      refuse<dtype_error>(
          c, "found probabilities of " + std::string(name_of(target.dtype())) + ", wanted a floating type");
    }
    return of_probabilities(aten::log_softmax_int(self, classes_dim), target, weight, reduction, smoothing,
                            classes_dim);
  }
  if (smoothing == 0) return of_scores::of(c.op, self, target, weight, reduction, ignored);
  const tensor logs = aten::log_softmax_int(self, classes_dim);
  const tensor loss = nll::of(c.op, logs, target, weight, reduction, ignored);
  const double share = smoothing / static_cast<double>(self.sizes()[static_cast<std::size_t>(classes_dim)]);
  return loss * (1 - smoothing) + smooth_part(c.op, logs, target, weight, reduction, ignored, classes_dim) * share;
}

}  // namespace

void register_nll_loss() {
  register_forms(loss_forms);
  register_composite<&nll_loss, aten::nll_loss>();
  register_composite<&nll_loss_nd, aten::nll_loss_nd>();
  register_composite<&nll_loss2d, aten::nll_loss2d>();
  register_composite<&cross_entropy_loss, aten::cross_entropy_loss>();
  register_out_variants<aten::nll_loss, aten::nll_loss_out>();
  register_out_variants<aten::nll_loss2d, aten::nll_loss2d_out>();
}

}  // namespace topbit::detail

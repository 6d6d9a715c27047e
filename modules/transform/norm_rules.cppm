// Batching rules of normalisation, losses and attention. Internal.
module topbit.transform:norm_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

using norm_sizes = std::span<const std::int64_t>;
using two_batched_results = std::tuple<tensor, batch_dim, tensor, batch_dim>;
using three_batched_results = std::tuple<tensor, batch_dim, tensor, batch_dim, tensor, batch_dim>;

// Kernels of narrow types round once, so what replaces one computes in this type.
dtype computed_in(dtype type) { return !is_floating(type) || type == dtype::float64 ? type : dtype::float32; }
void need_floating(const tensor& x) {
  if (!is_floating(x.dtype())) throw dtype_error("found no floating dtype");
}

tensor sum_over_second(const tensor& x) {
  const shape second{1};
  return aten::sum_dim_IntList(x, std::optional(norm_sizes(second)), false);
}

// Layer normalisation

void need_layer(const tensor& input, batch_dim d, norm_sizes normalized) {
  need_floating(input);
  if (static_cast<std::int64_t>(normalized.size()) > rank_of(input, d)) throw shape_error("found too many sizes");
}
void need_layer_parameter(const std::optional<tensor>& x, batch_dim d, norm_sizes normalized, dtype of_input) {
  if (!is_present(x)) return;
  shape sizes = x->sizes();
  if (d) sizes.erase(static_cast<std::size_t>(*d));
  if (sizes != shape(normalized)) throw shape_error("found other sizes");
  const bool is_half = of_input == dtype::float16 || of_input == dtype::bfloat16;
  if (x->dtype() != of_input && !(is_half && x->dtype() == dtype::float32)) throw dtype_error("found another dtype");
}
dtype type_of_layer_parameters(dtype of_input, const std::optional<tensor>& weight, const std::optional<tensor>& bias) {
  for (const std::optional<tensor>& x : {weight, bias}) {
    if (is_present(x)) of_input = promote(of_input, x->dtype());
  }
  return of_input;
}

three_batched_results batch_native_layer_norm(const tensor& input, batch_dim di, norm_sizes normalized,
                                              const std::optional<tensor>& weight, batch_dim dw,
                                              const std::optional<tensor>& bias, batch_dim db, double eps) {
  need_layer(input, di, normalized);
  if (!dw && !db) {
    const auto [out, means, rstds] = aten::native_layer_norm(in_front(input, di), normalized, weight, bias, eps);
    return {out, 0, means, 0, rstds, 0};
  }
  const dtype given = input.dtype(), type = computed_in(given);
  need_layer_parameter(weight, dw, normalized, given);
  need_layer_parameter(bias, db, normalized, given);
  const std::int64_t rank = rank_of(input, di);
  const auto [unit, means, rstds] =
      aten::native_layer_norm(to(in_front(input, di), type), normalized, std::nullopt, std::nullopt, eps);
  tensor out = unit;
  if (is_present(weight)) out = out * to(beside_examples(*weight, dw, rank), type);
  if (is_present(bias)) out = out + to(beside_examples(*bias, db, rank), type);
  const batch_dim of_rows = di ? batch_dim(0) : batch_dim();
  const dtype of_statistics = type_of_layer_parameters(given, weight, bias);
  return {to(out, given), 0, to(means, of_statistics), of_rows, to(rstds, of_statistics), of_rows};
}

// The sum over the dimensions between the batch and the normalised ones.
tensor sum_over_rows(const tensor& x, std::size_t normalized) {
  shape rows;
  for (std::int64_t i = 1; i + static_cast<std::int64_t>(normalized) < x.dim(); ++i) rows.push_back(i);
  // An empty list would mean all dimensions, and a result may not be an argument.
  return rows.empty() ? aten::clone(x) : aten::sum_dim_IntList(x, std::optional(norm_sizes(rows)), false);
}

three_batched_results batch_native_layer_norm_backward(const tensor& gradient, batch_dim dg, const tensor& input,
                                                       batch_dim di, norm_sizes normalized, const tensor& means,
                                                       batch_dim dm, const tensor& rstds, batch_dim dr,
                                                       const std::optional<tensor>& weight, batch_dim dw,
                                                       const std::optional<tensor>& bias, batch_dim db,
                                                       std::span<const bool> output_mask) {
  if (output_mask.size() != 3) throw error("found another number of elements of output_mask");
  need_layer(input, di, normalized);
  const dtype given = input.dtype(), type = computed_in(given);
  if (gradient.dtype() != given) throw dtype_error("found another dtype");
  need_layer_parameter(weight, dw, normalized, given);
  need_layer_parameter(bias, db, normalized, given);
  const std::int64_t rank = rank_of(input, di), size = batch_size({{&gradient, dg},
                                                                   {&input, di},
                                                                   {&means, dm},
                                                                   {&rstds, dr},
                                                                   {if_present(weight), dw},
                                                                   {if_present(bias), db}});
  const tensor g = with_batch_first(gradient, dg, size), x = with_batch_first(input, di, size);
  shape rows = x.sizes();
  for (std::size_t i = rows.size() - normalized.size(); i < rows.size(); ++i) rows[i] = 1;
  const tensor m = aten::reshape(with_batch_first(means, dm, size), rows),
               r = aten::reshape(with_batch_first(rstds, dr, size), rows);
  // Called also if no gradient of the input is wanted, for its checks.
  const std::array<bool, 3> of_input_alone{output_mask[0], false, false};
  const std::span<const bool> mask(of_input_alone);
  tensor of_input;
  if (!dw) {
    of_input =
        std::get<0>(aten::native_layer_norm_backward(g, x, normalized, m, r, weight, std::optional<tensor>(), mask));
  } else {
    const tensor of_unit = to(g, type) * to(beside_examples(*weight, dw, rank), type);
    of_input = std::get<0>(aten::native_layer_norm_backward(of_unit, to(x, type), normalized, m, r,
                                                            std::optional<tensor>(), std::optional<tensor>(), mask));
    if (output_mask[0]) of_input = to(of_input, given);
  }
  const dtype of_parameters = type_of_layer_parameters(given, weight, bias);
  tensor of_weight, of_bias;
  if (output_mask[1]) {
    const tensor unit = (to(x, type) - to(m, type)) * to(r, type);
    of_weight = to(sum_over_rows(to(g, type) * unit, normalized.size()), of_parameters);
  }
  if (output_mask[2]) of_bias = to(sum_over_rows(to(g, type), normalized.size()), of_parameters);
  return {of_input, 0, of_weight, 0, of_bias, 0};
}

batched_result batch_rms_norm(const tensor& input, batch_dim di, norm_sizes normalized,
                              const std::optional<tensor>& weight, batch_dim dw, std::optional<double> eps) {
  need_layer(input, di, normalized);
  if (!dw) return {aten::rms_norm(in_front(input, di), normalized, weight, eps), 0};
  const dtype given = input.dtype(), type = computed_in(given);
  need_layer_parameter(weight, dw, normalized, given);
  const tensor unit = aten::rms_norm(to(in_front(input, di), type), normalized, std::optional<tensor>(), eps);
  return {to(unit * to(beside_examples(*weight, dw, rank_of(input, di)), type), given), 0};
}

std::tuple<tensor, batch_dim, tensor, batch_dim> batch_rms_norm_backward(
    const tensor& gradient, batch_dim dg, const tensor& input, batch_dim di, norm_sizes normalized,
    const std::optional<tensor>& weight, batch_dim dw, double eps, std::span<const bool> output_mask) {
  if (output_mask.size() != 2) throw error("found another number of elements of output_mask");
  need_layer(input, di, normalized);
  const dtype given = input.dtype(), type = computed_in(given);
  if (gradient.dtype() != given) throw dtype_error("found another dtype");
  need_layer_parameter(weight, dw, normalized, given);
  const std::int64_t size = batch_size({{&gradient, dg}, {&input, di}, {if_present(weight), dw}});
  tensor g = with_batch_first(gradient, dg, size), x = with_batch_first(input, di, size), of_weight;
  const std::optional<tensor> none;
  if (output_mask[1]) {
    const tensor products = to(g, type) * aten::rms_norm(to(x, type), normalized, none, eps);
    const dtype of_parameters = type_of_layer_parameters(given, weight, none);
    of_weight = to(sum_over_rows(products, normalized.size()), of_parameters);
  }
  if (dw) {
    g = to(g, type) * to(beside_examples(*weight, dw, rank_of(input, di)), type);
    x = to(x, type);
  }
  // Called also if no gradient of the input is wanted, for its checks.
  const std::array<bool, 2> of_input_alone{output_mask[0], false};
  const tensor of_input = std::get<0>(
      native::rms_norm_backward(g, x, normalized, dw ? none : weight, eps, std::span<const bool>(of_input_alone)));
  return {output_mask[0] ? to(of_input, given) : of_input, 0, of_weight, 0};
}

// Losses

void need_reduction(std::int64_t how) {
  if (how < topbit::reduction::none || how > topbit::reduction::sum) throw error("found no such reduction");
}

// The scores of all examples as rows of classes, each with its label.
struct label_rows {
  std::int64_t size, count = 1, classes = 0;  // examples, rows of one, classes
  bool one;                                   // an example has one row, without a dimension of rows
  tensor scores, labels;

  label_rows(const tensor& self, batch_dim ds, const tensor& target, batch_dim dt, std::int64_t examples)
      : size(examples), one(rank_of(self, ds) == 1) {
    const std::int64_t rank = one ? 1 : 2;
    if (rank_of(self, ds) != rank || rank_of(target, dt) != rank - 1) throw shape_error("found no rows with labels");
    const tensor x = with_batch_first(self, ds, size), y = with_batch_first(target, dt, size);
    if (!one) count = x.size(1);
    if (!one && y.size(1) != count) throw shape_error("found other labels than rows");
    classes = x.size(-1);
    scores = aten::reshape(x, shape{size * count, classes});
    labels = aten::reshape(y, shape{size * count});
  }

  shape label_sizes() const { return one ? shape{size} : shape{size, count}; }
  shape score_sizes() const { return one ? shape{size, classes} : shape{size, count, classes}; }

  // Throws for class weights that an example may not have. They have no gradient.
  void check_weights(const std::optional<tensor>& weight, batch_dim dw, dtype type) const {
    if (!is_present(weight)) return;
    if (rank_of(*weight, dw) != 1 || in_front(*weight, dw).size(-1) != classes)
      throw shape_error("found other weights than classes");
    if (weight->dtype() != type) throw dtype_error("found weights of another dtype");
    if (grad_enabled() && requires_grad(*weight)) throw error("found weights that require a gradient");
  }
  // The weight of each row: [size, count], 0 where the label is ignored.
  tensor weights(const std::optional<tensor>& weight, batch_dim dw, std::int64_t ignored, dtype type) const {
    const tensor by = aten::reshape(labels, shape{size, count}), left_out = aten::eq_Scalar(by, ignored);
    if (!is_present(weight)) return to(aten::logical_not(left_out), type);
    const tensor of_classes = to(with_batch_first(*weight, dw, size), type);
    // All labels are ignored, or an error already.
    if (classes == 0) return aten::new_zeros(of_classes, shape{size, count});
    const tensor of_rows = aten::gather(of_classes, 1, aten::masked_fill_Scalar(by, left_out, 0));
    return aten::masked_fill_Scalar(of_rows, left_out, 0);
  }
};

// Of scores, or of log-probabilities.
two_batched_results label_losses(bool of_scores, const tensor& self, batch_dim ds, const tensor& target, batch_dim dt,
                                 const std::optional<tensor>& weight, batch_dim dw, std::int64_t how,
                                 std::int64_t ignored) {
  need_reduction(how);
  const label_rows rows(self, ds, target, dt, batch_size({{&self, ds}, {&target, dt}, {if_present(weight), dw}}));
  const dtype given = self.dtype(), type = computed_in(given);
  rows.check_weights(weight, dw, given);
  const auto losses_of = [&](const tensor& scores, const std::optional<tensor>& by) {
    return of_scores ? native::cross_entropy(scores, rows.labels, by, topbit::reduction::none, ignored)
                     : aten::nll_loss_forward(scores, rows.labels, by, topbit::reduction::none, ignored);
  };
  if (how == topbit::reduction::none && !dw) {
    const auto [losses, total] = losses_of(rows.scores, weight);
    return {aten::reshape(losses, rows.label_sizes()), 0, total, std::nullopt};
  }
  const auto [losses, no_total] = losses_of(to(rows.scores, type), std::nullopt);
  const tensor unweighted = aten::reshape(losses, shape{rows.size, rows.count}),
               weights = rows.weights(weight, dw, ignored, type),
               weighted = is_present(weight) ? unweighted * weights : unweighted;
  if (how == topbit::reduction::none) {
    return {to(aten::reshape(weighted, rows.label_sizes()), given), 0, to(no_total, given), std::nullopt};
  }
  const tensor totals = sum_over_second(weights), sums = sum_over_second(weighted);
  return {to(how == topbit::reduction::mean ? sums / totals : sums, given), 0, to(totals, given), 0};
}
two_batched_results batch_nll_loss_forward(const tensor& self, batch_dim ds, const tensor& target, batch_dim dt,
                                           const std::optional<tensor>& weight, batch_dim dw, std::int64_t how,
                                           std::int64_t ignored) {
  return label_losses(false, self, ds, target, dt, weight, dw, how, ignored);
}
two_batched_results batch_cross_entropy(const tensor& self, batch_dim ds, const tensor& target, batch_dim dt,
                                        const std::optional<tensor>& weight, batch_dim dw, std::int64_t how,
                                        std::int64_t ignored) {
  return label_losses(true, self, ds, target, dt, weight, dw, how, ignored);
}

// One number of each example, as a column.
tensor column_of_numbers(const tensor& x, batch_dim d, std::int64_t size) {
  const tensor column = flattened(with_batch_first(x, d, size));
  if (column.size(1) != 1) throw shape_error("found more or less than one element");
  return column;
}

batched_result label_gradient(bool of_scores, const tensor& gradient, batch_dim dg, const tensor& self, batch_dim ds,
                              const tensor& target, batch_dim dt, const std::optional<tensor>& weight, batch_dim dw,
                              std::int64_t how, std::int64_t ignored, const tensor& total, batch_dim d_total) {
  need_reduction(how);
  const std::int64_t size =
      batch_size({{&gradient, dg}, {&self, ds}, {&target, dt}, {if_present(weight), dw}, {&total, d_total}});
  const label_rows rows(self, ds, target, dt, size);
  const dtype given = self.dtype();
  rows.check_weights(weight, dw, given);
  if (gradient.dtype() != given) throw dtype_error("found a gradient of another dtype");
  if (total.device() != self.device()) throw device_error("found a total weight on another device");
  const tensor totals = column_of_numbers(total, d_total, size);
  const bool divides = how == topbit::reduction::mean;
  const dtype type = divides || dw ? computed_in(given) : given;
  const shape by_row{size, rows.count};
  tensor g;
  if (how == topbit::reduction::none) {
    g = with_batch_first(gradient, dg, size);
    if (g.sizes() != rows.label_sizes()) throw shape_error("found a gradient of other sizes than the labels");
    g = to(aten::reshape(g, by_row), type);
  } else {
    g = to(column_of_numbers(gradient, dg, size), type);
    if (divides) g = g / to(totals, type);
    g = aten::expand(g, by_row);
  }
  if (dw) g = g * rows.weights(weight, dw, ignored, type);
  std::optional<tensor> by;
  if (is_present(weight) && !dw) by = to(*weight, type);
  const tensor of_rows = aten::reshape(g, shape{size * rows.count}), scores = to(rows.scores, type),
               no_total = aten::new_zeros(scores, shape{});
  const tensor out =
      of_scores
          ? native::cross_entropy_backward(of_rows, scores, rows.labels, by, topbit::reduction::none, ignored, no_total)
          : aten::nll_loss_backward(of_rows, scores, rows.labels, by, topbit::reduction::none, ignored, no_total);
  return {to(aten::reshape(out, rows.score_sizes()), given), 0};
}
batched_result batch_nll_loss_backward(const tensor& gradient, batch_dim dg, const tensor& self, batch_dim ds,
                                       const tensor& target, batch_dim dt, const std::optional<tensor>& weight,
                                       batch_dim dw, std::int64_t how, std::int64_t ignored, const tensor& total,
                                       batch_dim d_total) {
  return label_gradient(false, gradient, dg, self, ds, target, dt, weight, dw, how, ignored, total, d_total);
}
batched_result batch_cross_entropy_backward(const tensor& gradient, batch_dim dg, const tensor& self, batch_dim ds,
                                            const tensor& target, batch_dim dt, const std::optional<tensor>& weight,
                                            batch_dim dw, std::int64_t how, std::int64_t ignored, const tensor& total,
                                            batch_dim d_total) {
  return label_gradient(true, gradient, dg, self, ds, target, dt, weight, dw, how, ignored, total, d_total);
}

// The product of each example's loss, a batched tensor with `rank` dimensions of an example, and its weight. An example
// without dimensions takes part in promotion as a number does.
tensor weighted_loss(tensor loss, std::int64_t rank, const tensor& weight, batch_dim dw) {
  const std::int64_t weight_rank = rank_of(weight, dw);
  const tensor by = beside_examples(weight, dw, rank);
  while (loss.dim() < weight_rank + 1) loss = aten::unsqueeze(loss, 1);
  if (loss.dtype() == by.dtype()) return loss * by;
  dtype wanted = promote(loss.dtype(), by.dtype());
  if ((rank == 0) != (weight_rank == 0)) {
    const dtype number = rank == 0 ? loss.dtype() : by.dtype(), shaped = rank == 0 ? by.dtype() : loss.dtype();
    if (can_cast(number, shaped)) wanted = shaped;
  }
  const dtype type = computed_in(wanted);
  return to(to(loss, type) * to(by, type), wanted);
}

batched_result batch_binary_cross_entropy(const tensor& self, batch_dim ds, const tensor& target, batch_dim dt,
                                          const std::optional<tensor>& weight, batch_dim dw, std::int64_t how) {
  need_reduction(how);
  author::check_one_device(aten::binary_cross_entropy, self, target, weight);
  const std::int64_t size = batch_size({{&self, ds}, {&target, dt}, {if_present(weight), dw}});
  tensor loss = aten::binary_cross_entropy(with_batch_first(self, ds, size), with_batch_first(target, dt, size),
                                           std::optional<tensor>(), topbit::reduction::none);
  if (is_present(weight)) loss = weighted_loss(loss, rank_of(self, ds), *weight, dw);
  if (how == topbit::reduction::none) return {loss, 0};
  if (how == topbit::reduction::sum) return {sum_over_second(flattened(loss)), 0};
  const shape second{1};
  return {aten::mean_dim(flattened(loss), std::optional(norm_sizes(second)), false), 0};
}

// Attention

batched_result batch_attend(const tensor& query, batch_dim dq, const tensor& key_given, batch_dim dk,
                            const tensor& value_given, batch_dim dv, const std::optional<tensor>& mask, batch_dim dm,
                            bool is_causal, double scale) {
  const std::int64_t q_rank = rank_of(query, dq), k_rank = rank_of(key_given, dk), v_rank = rank_of(value_given, dv),
                     rank = std::max({q_rank, k_rank, v_rank});
  if (q_rank < 2 || k_rank < 2 || v_rank < 2) throw shape_error("found no matrix");
  if (is_present(mask) && rank_of(*mask, dm) > rank) throw shape_error("found a mask of more dimensions");
  // The scores have the batch of a mask.
  const bool expands = !dq && !dk && !dv;
  const tensor q = expands ? beside_examples(with_batch_first(query, dq, mask->size(*dm)), 0, rank)
                           : beside_examples(query, dq, rank);
  std::optional<tensor> by;
  if (is_present(mask)) by = beside_examples(*mask, dm, rank);
  return {native::attend(q, beside_examples(key_given, dk, rank), beside_examples(value_given, dv, rank), by, is_causal,
                         scale),
          0};
}

inline constexpr auto norm_rules =
    batching::rules(batching::by<aten::native_layer_norm, &batch_native_layer_norm>{},
                    batching::by<aten::native_layer_norm_backward, &batch_native_layer_norm_backward>{},
                    batching::by<aten::rms_norm, &batch_rms_norm>{},
                    batching::by<native::rms_norm_backward, &batch_rms_norm_backward>{},
                    batching::by<aten::nll_loss_forward, &batch_nll_loss_forward>{},
                    batching::by<aten::nll_loss_backward, &batch_nll_loss_backward>{},
                    batching::by<native::cross_entropy, &batch_cross_entropy>{},
                    batching::by<native::cross_entropy_backward, &batch_cross_entropy_backward>{},
                    batching::by<aten::binary_cross_entropy, &batch_binary_cross_entropy>{},
                    batching::by<native::attend, &batch_attend>{});

}  // namespace topbit::detail

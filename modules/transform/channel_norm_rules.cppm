// Batching rules of the norms of channels: the channels of all examples are those of one input. Internal.
module topbit.transform:channel_norm_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;
import :window_rules;
import :norm_rules;

namespace topbit::detail {

struct channels_of_examples {
  std::int64_t size;

  tensor images(const tensor& x, batch_dim d) const {
    if (rank_of(x, d) < 2) throw shape_error("found no channels");
    return merged_at(aten::movedim_int(with_batch_first(x, d, size), 0, 1), 1);
  }
  std::optional<tensor> numbers(const std::optional<tensor>& x, batch_dim d) const {
    if (!is_present(x)) return std::nullopt;
    if (rank_of(*x, d) != 1) throw shape_error("found no numbers of channels");
    const tensor all = with_batch_first(*x, d, size);
    return aten::reshape(all, shape{all.numel()});
  }
  tensor statistics(const tensor& x, batch_dim d, std::int64_t groups) const {
    return groups == 0 ? *numbers(x, d) : images(x, d);
  }
  // Dimension `at` is that of the examples, and behind it that of channels or groups.
  tensor apart(const tensor& x, std::int64_t at) const {
    return x.defined() ? split_in_two(x, at, size, x.size(at) / size) : x;
  }
};

// Parameters and statistics of no example, whose number of channels a merged input would not say.
tensor no_numbers(const tensor& input, const shape& sizes) {
  const dtype type = input.dtype() == dtype::float64 ? dtype::float64 : dtype::float32;
  return aten::zeros(sizes, type, std::nullopt, input.device(), std::nullopt);
}

three_batched_results batch_channel_norm(const tensor& input, batch_dim di, const std::optional<tensor>& weight,
                                         batch_dim dw, const std::optional<tensor>& bias, batch_dim db,
                                         const std::optional<tensor>& mean, batch_dim dm,
                                         const std::optional<tensor>& variance, batch_dim dv, std::int64_t groups,
                                         double eps) {
  const channels_of_examples all{batch_size({{&input, di},
                                             {if_present(weight), dw},
                                             {if_present(bias), db},
                                             {if_present(mean), dm},
                                             {if_present(variance), dv}})};
  if (all.size == 0) {
    all.images(input, di);
    const tensor none = with_batch_first(input, di, 0);
    if (is_present(mean)) {
      const tensor numbers = no_numbers(none, {0});
      return {none, 0, numbers, std::nullopt, numbers, std::nullopt};
    }
    const tensor numbers = no_numbers(none, groups == 0 ? shape{0, none.size(2)} : shape{0, none.size(1), groups});
    return {none, 0, numbers, 0, numbers, 0};
  }
  const auto [out, means, variances] =
      native::channel_norm(all.images(input, di), all.numbers(weight, dw), all.numbers(bias, db), all.numbers(mean, dm),
                           all.numbers(variance, dv), groups * all.size, eps);
  if (is_present(mean)) return {all.apart(out, 1), 1, means, std::nullopt, variances, std::nullopt};
  const std::int64_t at = groups == 0 ? 0 : 1;
  return {all.apart(out, 1), 1, all.apart(means, at), at, all.apart(variances, at), at};
}

three_batched_results batch_channel_norm_backward(const tensor& gradient, batch_dim dg, const tensor& input,
                                                  batch_dim di, const tensor& mean, batch_dim dm,
                                                  const tensor& variance, batch_dim dv,
                                                  const std::optional<tensor>& weight, batch_dim dw,
                                                  std::int64_t groups, double eps, bool given,
                                                  std::span<const bool> output_mask) {
  const channels_of_examples all{
      batch_size({{&gradient, dg}, {&input, di}, {&mean, dm}, {&variance, dv}, {if_present(weight), dw}})};
  if (all.size == 0) {
    const tensor none = with_batch_first(input, di, 0), numbers = no_numbers(none, {0, none.size(2)});
    return {none, 0, numbers, 0, numbers, 0};
  }
  const auto [of_input, of_weight, of_bias] = native::channel_norm_backward(
      all.images(gradient, dg), all.images(input, di), all.statistics(mean, dm, groups),
      all.statistics(variance, dv, groups), all.numbers(weight, dw), groups * all.size, eps, given, output_mask);
  return {all.apart(of_input, 1), 1, all.apart(of_weight, 0), 0, all.apart(of_bias, 0), 0};
}

inline constexpr auto channel_norm_rules =
    batching::rules(batching::by<native::channel_norm, &batch_channel_norm>{},
                    batching::by<native::channel_norm_backward, &batch_channel_norm_backward>{});

}  // namespace topbit::detail

// Batching rules of convolution, pooling and padding: the batch is folded into images, channels or groups. Internal.
module topbit.transform:window_rules;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :level;
import :rule;
import :rule_helpers;

namespace topbit::detail {

using window_sizes = std::span<const std::int64_t>;

// Dimensions `at` and at + 1 as one.
tensor merged_at(const tensor& x, std::int64_t at) {
  shape sizes;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    if (i == at + 1)
      sizes[at] *= x.size(i);
    else
      sizes.push_back(x.size(i));
  }
  return aten::reshape(x, sizes);
}
// Dimension `at` as two.
tensor split_in_two(const tensor& x, std::int64_t at, std::int64_t first, std::int64_t second) {
  shape sizes;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    sizes.push_back(i == at ? first : x.size(i));
    if (i == at) sizes.push_back(second);
  }
  return aten::reshape(x, sizes);
}

// Sizes that a caller gives may be any numbers.
std::int64_t multiplied(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw shape_error("found sizes that are too large");
  return product;
}

// Convolutions

void need_images(std::int64_t rank, std::int64_t other_rank) {
  if (rank < 3 || rank > 5 || rank != other_rank) throw shape_error("found no images");
}
void need_groups(std::int64_t groups, std::int64_t channels) {
  if (groups < 1 || channels % groups != 0) throw error("found groups that do not divide the channels");
}

// A group has its channels of all examples: the channels, at dimension `at`, are group by group, and in each group
// example by example.
tensor into_groups(const tensor& x, std::int64_t at, std::int64_t groups) {
  need_groups(groups, x.size(at));
  const tensor apart = split_in_two(x, at, groups, x.size(at) / groups);
  return merged_at(merged_at(aten::movedim_int(apart, 0, at), at - 1), at - 1);
}
tensor out_of_groups(const tensor& x, std::int64_t at, std::int64_t groups, std::int64_t size, std::int64_t channels) {
  const std::int64_t of_group = channels / groups;
  const tensor apart = split_in_two(split_in_two(x, at, groups, size * of_group), at + 1, size, of_group);
  return merged_at(aten::movedim_int(apart, at + 1, 0), at + 1);
}

// Each example has groups of its own: the channels of images are example by example.
tensor into_channels(const tensor& x) { return merged_at(aten::movedim_int(x, 0, 1), 1); }
tensor out_of_channels(const tensor& x, std::int64_t size, std::int64_t channels) {
  return aten::movedim_int(split_in_two(x, 1, size, channels), 1, 0);
}

// There is no convolution of no groups: one example of zeros stands for no examples, and its result is left out.
tensor one_at_least(const tensor& x) {
  if (x.size(0) != 0) return x;
  std::vector<std::int64_t> one_behind(2 * x.sizes().size(), 0);
  one_behind.back() = 1;
  return aten::constant_pad_nd(x, one_behind, 0);
}
tensor first_examples(const tensor& x, std::int64_t size) {
  return x.size(0) == size ? x : aten::slice_Tensor(x, 0, 0, size);
}

batched_result batch_convolve(const tensor& input, batch_dim di, const tensor& weight, batch_dim dw,
                              window_sizes stride, window_sizes padding, window_sizes dilation, std::int64_t groups) {
  need_images(rank_of(input, di), rank_of(weight, dw));
  if (!dw) {
    const tensor x = in_front(input, di);
    const tensor out = native::convolve(merged_at(x, 0), weight, stride, padding, dilation, groups);
    return {split_in_two(out, 0, x.size(0), x.size(1)), 0};
  }
  const tensor given = in_front(weight, dw);
  if (!di) {
    const tensor out = native::convolve(input, into_groups(given, 1, groups), stride, padding, dilation, groups);
    return {out_of_groups(out, 1, groups, given.size(0), given.size(1)), 0};
  }
  const tensor x = one_at_least(in_front(input, di)), w = one_at_least(given);
  const tensor out =
      native::convolve(into_channels(x), merged_at(w, 0), stride, padding, dilation, multiplied(groups, w.size(0)));
  return {first_examples(out_of_channels(out, w.size(0), w.size(1)), given.size(0)), 0};
}

batched_result batch_convolve_input_gradient(const tensor& gradient, batch_dim dg, const tensor& weight, batch_dim dw,
                                             window_sizes input_sizes, window_sizes stride, window_sizes padding,
                                             window_sizes dilation, std::int64_t groups) {
  need_images(rank_of(gradient, dg), rank_of(weight, dw));
  need_images(rank_of(gradient, dg), static_cast<std::int64_t>(input_sizes.size()));
  shape sizes(input_sizes);
  if (!dw) {
    const tensor y = in_front(gradient, dg);
    sizes[0] = multiplied(sizes[0], y.size(0));
    const tensor out =
        native::convolve_input_gradient(merged_at(y, 0), weight, sizes, stride, padding, dilation, groups);
    return {split_in_two(out, 0, y.size(0), input_sizes[0]), 0};
  }
  const tensor given = in_front(weight, dw);
  if (!dg) {
    need_groups(groups, input_sizes[1]);
    if (input_sizes[1] / groups != given.size(2)) throw shape_error("found other channels");
    sizes[1] = multiplied(sizes[1], given.size(0));
    const tensor out =
        native::convolve_input_gradient(gradient, into_channels(given), sizes, stride, padding, dilation, groups);
    return {out_of_groups(out, 1, groups, given.size(0), input_sizes[1]), 0};
  }
  const tensor y = one_at_least(in_front(gradient, dg)), w = one_at_least(given);
  sizes[1] = multiplied(sizes[1], w.size(0));
  const tensor out = native::convolve_input_gradient(into_channels(y), merged_at(w, 0), sizes, stride, padding,
                                                     dilation, multiplied(groups, w.size(0)));
  return {first_examples(out_of_channels(out, w.size(0), input_sizes[1]), given.size(0)), 0};
}

batched_result batch_convolve_weight_gradient(const tensor& gradient, batch_dim dg, const tensor& input, batch_dim di,
                                              window_sizes weight_sizes, window_sizes stride, window_sizes padding,
                                              window_sizes dilation, std::int64_t groups) {
  need_images(rank_of(gradient, dg), rank_of(input, di));
  need_images(rank_of(gradient, dg), static_cast<std::int64_t>(weight_sizes.size()));
  shape sizes(weight_sizes);
  if (!di) {
    const tensor y = in_front(gradient, dg);
    sizes[0] = multiplied(sizes[0], y.size(0));
    const tensor out =
        native::convolve_weight_gradient(into_groups(y, 2, groups), input, sizes, stride, padding, dilation, groups);
    return {out_of_groups(out, 0, groups, y.size(0), weight_sizes[0]), 0};
  }
  const tensor given = in_front(input, di);
  if (!dg) {
    sizes[1] = multiplied(sizes[1], given.size(0));
    const tensor out = native::convolve_weight_gradient(gradient, into_groups(given, 2, groups), sizes, stride, padding,
                                                        dilation, groups);
    return {out_of_channels(out, given.size(0), weight_sizes[1]), 0};
  }
  const tensor y = one_at_least(in_front(gradient, dg)), x = one_at_least(given);
  sizes[0] = multiplied(sizes[0], x.size(0));
  const tensor out = native::convolve_weight_gradient(into_channels(y), into_channels(x), sizes, stride, padding,
                                                      dilation, multiplied(groups, x.size(0)));
  return {first_examples(split_in_two(out, 0, x.size(0), weight_sizes[0]), given.size(0)), 0};
}

// Pools and pads: examples with images of their own are folded into these, else each example is an image.

struct folded_images {
  tensor images;
  std::int64_t size = 0, each = 0;
  bool folded = false;

  // `rank` is that of an example with images of its own, `least` the lowest that the operator takes.
  folded_images(const tensor& given, batch_dim d, std::int64_t examples, std::int64_t rank, std::int64_t least)
      : images(with_batch_first(given, d, examples)) {
    const std::int64_t found = images.dim() - 1;
    if (found < least || found > rank) throw shape_error("found another number of dimensions");
    size = images.size(0);
    folded = found == rank;
    if (!folded) return;
    each = images.size(1);
    images = merged_at(images, 0);
  }
  // Throws unless the examples have as many dimensions.
  void need_like(const folded_images& other) const {
    if (images.dim() != other.images.dim() || folded != other.folded) throw shape_error("found other dimensions");
  }
  tensor unfolded(const tensor& out) const { return folded ? split_in_two(out, 0, size, each) : out; }
};
folded_images pooled_images(const tensor& given, batch_dim d, std::int64_t examples) {
  return {given, d, examples, 4, 3};
}

std::tuple<tensor, batch_dim, tensor, batch_dim> batch_max_pool2d(const tensor& self, batch_dim d, window_sizes window,
                                                                  window_sizes stride, window_sizes padding,
                                                                  window_sizes dilation, bool rounds_up) {
  const folded_images x = pooled_images(self, d, 0);
  const auto [out, indices] = aten::max_pool2d_with_indices(x.images, window, stride, padding, dilation, rounds_up);
  return {x.unfolded(out), 0, x.unfolded(indices), 0};
}
batched_result batch_max_pool2d_backward(const tensor& gradient, batch_dim dg, const tensor& self, batch_dim d,
                                         window_sizes window, window_sizes stride, window_sizes padding,
                                         window_sizes dilation, bool rounds_up, const tensor& indices, batch_dim di) {
  const std::int64_t size = batch_size({{&gradient, dg}, {&self, d}, {&indices, di}});
  const folded_images y = pooled_images(gradient, dg, size), x = pooled_images(self, d, size),
                      from = pooled_images(indices, di, size);
  y.need_like(x);
  from.need_like(x);
  return {x.unfolded(aten::max_pool2d_with_indices_backward(y.images, x.images, window, stride, padding, dilation,
                                                            rounds_up, from.images)),
          0};
}
batched_result batch_avg_pool2d(const tensor& self, batch_dim d, window_sizes window, window_sizes stride,
                                window_sizes padding, bool rounds_up, bool counts_padding,
                                std::optional<std::int64_t> divisor) {
  const folded_images x = pooled_images(self, d, 0);
  return {x.unfolded(aten::avg_pool2d(x.images, window, stride, padding, rounds_up, counts_padding, divisor)), 0};
}
batched_result batch_avg_pool2d_backward(const tensor& gradient, batch_dim dg, const tensor& self, batch_dim d,
                                         window_sizes window, window_sizes stride, window_sizes padding, bool rounds_up,
                                         bool counts_padding, std::optional<std::int64_t> divisor) {
  const std::int64_t size = batch_size({{&gradient, dg}, {&self, d}});
  const folded_images y = pooled_images(gradient, dg, size), x = pooled_images(self, d, size);
  y.need_like(x);
  return {x.unfolded(aten::avg_pool2d_backward(y.images, x.images, window, stride, padding, rounds_up, counts_padding,
                                               divisor)),
          0};
}
batched_result batch_adaptive_avg_pool2d(const tensor& self, batch_dim d, window_sizes output_size) {
  const folded_images x = pooled_images(self, d, 0);
  return {x.unfolded(aten::_adaptive_avg_pool2d(x.images, output_size)), 0};
}
batched_result batch_adaptive_avg_pool2d_backward(const tensor& gradient, batch_dim dg, const tensor& self,
                                                  batch_dim d) {
  const std::int64_t size = batch_size({{&gradient, dg}, {&self, d}});
  const folded_images y = pooled_images(gradient, dg, size), x = pooled_images(self, d, size);
  y.need_like(x);
  return {x.unfolded(aten::_adaptive_avg_pool2d_backward(y.images, x.images)), 0};
}

// Examples with channels in front of the padded dimensions.
folded_images padded_images(const tensor& given, batch_dim d, std::int64_t padded) {
  return {given, d, 0, padded + 2, padded + 1};
}

batched_result batch_reflection_pad1d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 1);
  return {x.unfolded(aten::reflection_pad1d(x.images, padding)), 0};
}
batched_result batch_reflection_pad2d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 2);
  return {x.unfolded(aten::reflection_pad2d(x.images, padding)), 0};
}
batched_result batch_reflection_pad3d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 3);
  return {x.unfolded(aten::reflection_pad3d(x.images, padding)), 0};
}
batched_result batch_replication_pad1d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 1);
  return {x.unfolded(aten::replication_pad1d(x.images, padding)), 0};
}
batched_result batch_replication_pad2d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 2);
  return {x.unfolded(aten::replication_pad2d(x.images, padding)), 0};
}
batched_result batch_replication_pad3d(const tensor& self, batch_dim d, window_sizes padding) {
  const folded_images x = padded_images(self, d, 3);
  return {x.unfolded(aten::replication_pad3d(x.images, padding)), 0};
}
// Also without channels.
batched_result batch_pad_circular(const tensor& self, batch_dim d, window_sizes padding) {
  const std::int64_t padded = static_cast<std::int64_t>(padding.size() / 2);
  const folded_images x(self, d, 0, padded + 2, padded);
  return {x.unfolded(aten::_pad_circular(x.images, padding)), 0};
}

inline constexpr auto window_rules =
    batching::rules(batching::by<native::convolve, &batch_convolve>{},
                    batching::by<native::convolve_input_gradient, &batch_convolve_input_gradient>{},
                    batching::by<native::convolve_weight_gradient, &batch_convolve_weight_gradient>{},
                    batching::by<aten::max_pool2d_with_indices, &batch_max_pool2d>{},
                    batching::by<aten::max_pool2d_with_indices_backward, &batch_max_pool2d_backward>{},
                    batching::by<aten::avg_pool2d, &batch_avg_pool2d>{},
                    batching::by<aten::avg_pool2d_backward, &batch_avg_pool2d_backward>{},
                    batching::by<aten::_adaptive_avg_pool2d, &batch_adaptive_avg_pool2d>{},
                    batching::by<aten::_adaptive_avg_pool2d_backward, &batch_adaptive_avg_pool2d_backward>{},
                    batching::by<aten::reflection_pad1d, &batch_reflection_pad1d>{},
                    batching::by<aten::reflection_pad2d, &batch_reflection_pad2d>{},
                    batching::by<aten::reflection_pad3d, &batch_reflection_pad3d>{},
                    batching::by<aten::replication_pad1d, &batch_replication_pad1d>{},
                    batching::by<aten::replication_pad2d, &batch_replication_pad2d>{},
                    batching::by<aten::replication_pad3d, &batch_replication_pad3d>{},
                    batching::by<aten::_pad_circular, &batch_pad_circular>{});

}  // namespace topbit::detail

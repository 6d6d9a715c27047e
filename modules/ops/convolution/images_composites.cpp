// Composite kernels of the family `images`: pixel and channel shuffles, nearest-neighbour upsampling.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.convolution_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

// The sizes of an image [.., c, h, w] with the last three dimensions replaced by `last`.
shape image_sizes(const tensor& self, const shape& last) {
  shape sizes(std::span(self.sizes().begin(), self.dim() - 3));
  for (std::int64_t n : last) sizes.push_back(n);
  return sizes;
}

// A permutation: the leading dimensions, then `last`, counted from the channels on.
shape image_order(const tensor& self, const shape& last) {
  shape order;
  const std::size_t front = self.dim() - 3;
  for (std::size_t d = 0; d < front; ++d) order.push_back(static_cast<std::int64_t>(d));
  for (std::int64_t d : last) order.push_back(static_cast<std::int64_t>(front) + d);
  return order;
}

void check_images(backend_call c, const tensor& self, std::int64_t factor) {
  check_defined(c, self);
  if (self.dim() < 3 || self.dim() + 2 > max_dims) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted [.., channels, height, width], at most " +
                               std::to_string(max_dims - 2) + " dimensions");
  }
  if (factor < 1) refuse<error>(c, "found a factor of " + std::to_string(factor) + ", wanted 1 or more");
}

tensor pixel_shuffle(const tensor& self, std::int64_t r) {
  constexpr backend_call c{nullptr, aten::pixel_shuffle.name()};
  check_images(c, self, r);
  const std::int64_t channels = self.size(-3), h = self.size(-2), w = self.size(-1);
  const std::int64_t square = product_of(c, "factor", r, r);
  if (channels % square != 0) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and a factor of " + std::to_string(r) +
                               ", wanted channels in a number that its square divides");
  }
  const std::int64_t left = channels / square;
  const tensor apart = aten::reshape(self, image_sizes(self, {left, r, r, h, w}));
  return aten::reshape(aten::permute(apart, image_order(self, {0, 3, 1, 4, 2})),
                       image_sizes(self, {left, product_of(c, "height", h, r), product_of(c, "width", w, r)}));
}

tensor pixel_unshuffle(const tensor& self, std::int64_t r) {
  constexpr backend_call c{nullptr, aten::pixel_unshuffle.name()};
  check_images(c, self, r);
  const std::int64_t channels = self.size(-3), h = self.size(-2), w = self.size(-1);
  if (h % r != 0 || w % r != 0) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and a factor of " + std::to_string(r) +
                               ", wanted a height and a width that it divides");
  }
  const std::int64_t made = product_of(c, "channels", channels, product_of(c, "factor", r, r));
  const tensor apart = aten::reshape(self, image_sizes(self, {channels, h / r, r, w / r, r}));
  return aten::reshape(aten::permute(apart, image_order(self, {0, 2, 4, 1, 3})),
                       image_sizes(self, {made, h / r, w / r}));
}

tensor channel_shuffle(const tensor& self, std::int64_t groups) {
  constexpr backend_call c{nullptr, aten::channel_shuffle.name()};
  check_defined(c, self);
  if (self.dim() < 3 || self.dim() == max_dims) {
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + ", wanted [n, channels, ..]");
  }
  const std::int64_t channels = self.sizes()[1];
  if (groups < 1 || channels % groups != 0) {
    refuse<error>(c, "found " + std::to_string(groups) + " groups for " + to_string(self.sizes()) +
                         ", wanted a number that divides the channels");
  }
  shape apart{self.sizes()[0], groups, channels / groups};
  for (std::size_t d = 2; d < self.sizes().size(); ++d) apart.push_back(self.sizes()[d]);
  return aten::reshape(aten::transpose_int(aten::reshape(self, apart), 1, 2), self.sizes());
}

// The source index of each of `count` pixels. The ratio is rounded as in PyTorch, and unused if the size stays or
// doubles.
tensor nearest(const tensor& self, std::size_t d, std::int64_t count, std::optional<double> scale) {
  const std::int64_t size = self.sizes()[d];
  const float step =
      scale && *scale > 0 ? static_cast<float>(1 / *scale) : static_cast<float>(size) / static_cast<float>(count);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < count; ++i) {
    const float scaled = std::min(static_cast<float>(i) * step, static_cast<float>(size - 1));
    const std::int64_t index = std::min(static_cast<std::int64_t>(scaled), size - 1);
    indices.push_back(count == size ? i : count == 2 * size ? i / 2 : index);
  }
  return to(from_values(indices, {count}), self.device());
}

tensor upsample_nearest2d(const tensor& self, sizes_view output_size, std::optional<double> scales_h,
                          std::optional<double> scales_w) {
  constexpr backend_call c{nullptr, aten::upsample_nearest2d.name()};
  check_defined(c, self);
  if (output_size.size() != 2 || output_size[0] < 1 || output_size[1] < 1) {
    refuse<error>(c, "found output_size " + to_string(sizes_of(c, output_size)) + ", wanted a height and a width");
  }
  if (self.dim() != 4 || self.sizes()[1] == 0 || self.sizes()[2] == 0 || self.sizes()[3] == 0) {
    refuse<shape_error>(c,
                        "found " + to_string(self.sizes()) + ", wanted [n, channels, height, width], only n being 0");
  }
  // Checked before a list with an index per row and column is made.
  const auto fits = [](std::int64_t count) { return count == static_cast<std::int32_t>(count); };
  if (!fits(output_size[0]) || !fits(output_size[1])) {
    refuse<shape_error>(
        c, "found output_size " + to_string(sizes_of(c, output_size)) + ", wanted at most 2147483647 rows and columns");
  }
  const auto with_rows = [&](const tensor& t) {
    return aten::index_select(t, 2, nearest(self, 2, output_size[0], scales_h));
  };
  const auto with_columns = [&](const tensor& t) {
    return aten::index_select(t, 3, nearest(self, 3, output_size[1], scales_w));
  };
  // Columns are selected where there are fewer rows, since rows are copied whole.
  return output_size[0] < self.sizes()[2] ? with_columns(with_rows(self)) : with_rows(with_columns(self));
}

}  // namespace

void register_images() {
  register_composite<&pixel_shuffle, aten::pixel_shuffle>();
  register_composite<&pixel_unshuffle, aten::pixel_unshuffle>();
  register_composite<&channel_shuffle, aten::channel_shuffle>();
  register_composite<&upsample_nearest2d, aten::upsample_nearest2d>();
  register_out_variants<aten::upsample_nearest2d, aten::upsample_nearest2d_out>();
}

}  // namespace topbit::detail

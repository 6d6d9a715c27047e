// Fake quantization: rounding as quantization does it, with gradients.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;
import :rows;

namespace topbit::quantized {

namespace {

tensor number(double x, const tensor& like) {
  return full({}, x, arg<"dtype"> = computed_in(like.dtype()), arg<"device"> = like.device());
}

// Rounded and back. All but x are in the dtype that is computed in, and broadcast to x.
tensor rounded(const tensor& x, const tensor& scale, const tensor& zero, std::int64_t lowest, std::int64_t highest) {
  const tensor codes = round_to_codes(to(x, scale.dtype()), scale, zero, tensor(), static_cast<double>(lowest),
                                      static_cast<double>(highest));
  return to((codes - zero) * scale, x.dtype());
}

// Whether the rounded element is in the range of codes; not if it is NaN.
tensor in_range(const tensor& x, const tensor& scale, const tensor& zero, std::int64_t lowest, std::int64_t highest) {
  const no_grad guard;
  const tensor q = round(to(x, scale.dtype()) * reciprocal(scale)) + zero;
  return ge(q, lowest) & le(q, highest);
}

tensor per_tensor(const tensor& self, double scale, std::int64_t zero_point, std::int64_t lowest,
                  std::int64_t highest) {
  constexpr std::string_view name = aten::fake_quantize_per_tensor_affine.name();
  check_values(name, self);
  check_scale(name, scale);
  check_zero_point(name, zero_point, lowest, highest);
  return rounded(self, number(scale, self), number(static_cast<double>(zero_point), self), lowest, highest);
}

struct per_tensor_gradient {
  saved_tensor passes;

  static per_tensor_gradient save(const tensor& self, double scale, std::int64_t zero_point, std::int64_t lowest,
                                  std::int64_t highest, const tensor&) {
    return {saved_tensor(
        in_range(self, number(scale, self), number(static_cast<double>(zero_point), self), lowest, highest))};
  }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {where(passes.get(), g, 0.0)}; }
};

// A parameter of channels that broadcasts to x.
tensor of_channels(const tensor& parameter, const tensor& x, std::int64_t axis) {
  const scheme s{.scales = granularity::per_channel, .axis = wrap_dim("axis", axis, x.dim())};
  return along(to(parameter, computed_in(x.dtype())), s, x.sizes());
}

tensor per_channel(const tensor& self, const tensor& scale, const tensor& zero_point, std::int64_t axis,
                   std::int64_t lowest, std::int64_t highest) {
  constexpr auto& op = aten::fake_quantize_per_channel_affine;
  check_values(op.name(), self);
  author::check_one_device(op, self, scale, zero_point);
  const std::int64_t d = wrap_dim(op.name(), axis, self.dim());
  check_scheme(op.name(), {.scales = granularity::per_channel, .axis = d}, self.sizes());
  check_channels(op.name(), self, scale, zero_point, d);
  check_scales(op.name(), scale);
  check_zero_point(op.name(), lowest, lowest, highest);
  check_zero_points(op.name(), zero_point, lowest, highest);
  return rounded(self, of_channels(scale, self, d), of_channels(zero_point, self, d), lowest, highest);
}

struct per_channel_gradient {
  saved_tensor passes;

  static per_channel_gradient save(const tensor& self, const tensor& scale, const tensor& zero_point, std::int64_t axis,
                                   std::int64_t lowest, std::int64_t highest, const tensor&) {
    return {saved_tensor(
        in_range(self, of_channels(scale, self, axis), of_channels(zero_point, self, axis), lowest, highest))};
  }
  // The scale is not learned by it.
  std::array<tensor, 3> backward(const tensor& g, std::array<bool, 3>) const {
    return {where(passes.get(), g, 0.0), tensor(), tensor()};
  }
};

tensor groups(const tensor& self, std::int64_t bits, std::int64_t group, bool symmetric) {
  check_values(native::fake_quantize_groups.name(), self);
  return dequantize(
      quantize(self, {.scales = granularity::per_group, .bits = static_cast<int>(bits), .group = group}, symmetric));
}

// Groups have the scales of their own elements, all of which are in range.
struct groups_gradient {
  static groups_gradient save(const tensor&, std::int64_t, std::int64_t, bool, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {g}; }
};

template <const auto& Op, class Rule>
constexpr author::kernel_row rule_row() {
  return author::row<&author::autograd_kernel<Op, Rule>::run>(Op, key::Autograd);
}

constexpr author::kernel_row rows[] = {
    author::define(aten::fake_quantize_per_tensor_affine),
    author::row<&per_tensor>(aten::fake_quantize_per_tensor_affine, key::CompositeExplicitAutograd),
    rule_row<aten::fake_quantize_per_tensor_affine, per_tensor_gradient>(),
    author::define(aten::fake_quantize_per_channel_affine),
    author::row<&per_channel>(aten::fake_quantize_per_channel_affine, key::CompositeExplicitAutograd),
    rule_row<aten::fake_quantize_per_channel_affine, per_channel_gradient>(),
    author::define(native::fake_quantize_groups),
    author::row<&groups>(native::fake_quantize_groups, key::CompositeExplicitAutograd),
    rule_row<native::fake_quantize_groups, groups_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> fake_rows() { return rows; }

}  // namespace topbit::quantized

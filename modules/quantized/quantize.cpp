// Making and reading quantized tensors.
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

tensor per_tensor(const tensor& self, double scale, std::int64_t zero_point, std::int64_t bits, bool is_signed) {
  constexpr std::string_view name = native::quantize_per_tensor.name();
  const no_grad guard;
  check_values(name, self);
  const scheme s{.bits = static_cast<int>(bits)};
  check_scheme(name, s, self.sizes());
  check_scale(name, scale);
  const code_range range = range_of(s.bits, is_signed);
  check_zero_point(name, zero_point, range.lowest, range.highest);
  const device where = self.device();
  const tensor scales = full({}, scale, arg<"dtype"> = computed_in(self.dtype()), arg<"device"> = where);
  const tensor zero = full({}, zero_point, arg<"dtype"> = dtype::int32, arg<"device"> = where);
  return trusted(s, self.sizes(), self.dtype(), codes_of(self, s, scales, zero, is_signed), scales, zero);
}

tensor per_channel(const tensor& self, const tensor& scales, const std::optional<tensor>& zero_points,
                   std::int64_t axis, std::int64_t bits, bool is_signed) {
  constexpr std::string_view name = native::quantize_per_channel.name();
  const no_grad guard;
  check_values(name, self);
  author::check_one_device(native::quantize_per_channel, self, scales, zero_points);
  const scheme s{
      .scales = granularity::per_channel, .bits = static_cast<int>(bits), .axis = wrap_dim(name, axis, self.dim())};
  check_scheme(name, s, self.sizes());
  check_channels(name, self, scales, zero_points, s.axis);
  check_scales(name, scales);
  const code_range range = range_of(s.bits, is_signed);
  tensor zero;
  if (is_given(zero_points)) {
    check_zero_points(name, *zero_points, range.lowest, range.highest);
    zero = clone(to(*zero_points, dtype::int32), arg<"memory_format"> = memory_format::contiguous);
  }
  const tensor own = clone(scales, arg<"memory_format"> = memory_format::contiguous);
  return trusted(s, self.sizes(), self.dtype(), codes_of(self, s, own, zero, is_signed), own, zero);
}

tensor groups(const tensor& self, std::int64_t bits, std::int64_t group, bool symmetric) {
  check_values(native::quantize_groups.name(), self);
  return quantize(self, {.scales = granularity::per_group, .bits = static_cast<int>(bits), .group = group}, symmetric);
}

tensor dequantize_any(const tensor& self) {
  if (!self.defined())
    refuse<shape_error>(aten::dequantize_self.name(), "found an undefined tensor, wanted one with elements");
  return self.layout() == layout::strided ? self : aten::_to_dense(self, std::nullopt, std::nullopt);
}

tensor codes_of_quantized(const tensor& self) {
  const payload& p = self.payload<payload>();
  const shape sizes = sizes_of_parts(self);
  const tensor codes = p.how.bits == 4 ? contiguous(unpack(p.codes, sizes[sizes.size() - 1])) : clone(p.codes);
  return p.transposed ? t(codes) : codes;
}

constexpr author::kernel_row rows[] = {
    author::define(native::quantize_per_tensor),
    author::row<&per_tensor>(native::quantize_per_tensor, key::CompositeExplicitAutograd),
    author::fallthrough_row(native::quantize_per_tensor, key::Autograd),
    author::define(native::quantize_per_channel),
    author::row<&per_channel>(native::quantize_per_channel, key::CompositeExplicitAutograd),
    author::fallthrough_row(native::quantize_per_channel, key::Autograd),
    author::define(native::quantize_groups),
    author::row<&groups>(native::quantize_groups, key::CompositeExplicitAutograd),
    author::fallthrough_row(native::quantize_groups, key::Autograd),
    author::define(aten::dequantize_self),
    author::row<&dequantize_any>(aten::dequantize_self, key::CompositeImplicitAutograd),
    author::define(aten::int_repr),
    author::row<&codes_of_quantized>(aten::int_repr, key::AnyQuantized),
    author::fallthrough_row(aten::int_repr, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> quantize_rows() { return rows; }

}  // namespace topbit::quantized

module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :part_checks;
import :part_composites;
import :rounding;
import :rows;

namespace topbit::quantized {

tensor quantize_parts(const tensor& self, const tensor& scales, const optional_tensor& offsets, std::int64_t bits,
                      std::int64_t axis, std::int64_t group, bool is_signed) {
  const no_grad guard;
  const scheme s = check_quantize(self, scales, offsets, bits, axis, group);
  return quantized_codes(self, scales, offsets, s, is_signed);
}

tensor dequantize_parts(const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                        std::span<const std::int64_t> size, std::int64_t bits, std::int64_t axis, std::int64_t group,
                        dtype type) {
  const shape sizes(size);
  const scheme s = check_dequantize(codes, scales, offsets, sizes, bits, axis, group, type);
  return dequantized(codes, scales, offsets, sizes, s, type);
}

namespace {

// Each row rounded to int8 with a scale of its own. A row of zeros stays; the scale of a row with NaN or infinity makes
// all of it NaN.
tensor rounded_rows(const tensor& x) {
  const tensor scale = amax(abs(x), {-1}, true) / 127;
  return round_to_codes(x, scale, tensor(), tensor(), -127, 127) * scale;
}

}  // namespace

tensor linear_parts(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                    const optional_tensor& bias, std::int64_t columns, std::int64_t bits, std::int64_t axis,
                    std::int64_t group, bool dynamic) {
  const scheme s = check_linear(input, codes, scales, offsets, bias, columns, bits, axis, group);
  const dtype computed = computed_in(input.dtype());
  tensor x = to(input, computed);
  if (dynamic && columns > 0) x = rounded_rows(x);
  const shape sizes{codes.size(0), columns};
  const tensor weight = dequantized(codes, scales, offsets, sizes, s, computed);
  const tensor product = is_given(bias) ? addmm(to(*bias, computed), x, t(weight)) : mm(x, t(weight));
  return to(product, input.dtype());
}

tensor mm_parts(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group) {
  const scheme s = check_mm(input, codes, scales, offsets, columns, bits, axis, group);
  const dtype computed = computed_in(input.dtype());
  const shape sizes{codes.size(0), columns};
  const tensor weight = dequantized(codes, scales, offsets, sizes, s, computed);
  return to(mm(to(input, computed), weight), input.dtype());
}

namespace {

// Codes less their zero points, as integers whose products cannot overflow.
tensor centred(const tensor& codes, const optional_tensor& zero_points, std::int64_t bits, const scheme& s,
               const shape& sizes, dtype type) {
  const tensor whole = to(unpacked(codes, bits, sizes), type);
  if (is_given(zero_points)) return whole - along(to(*zero_points, type), s, sizes);
  const int middle = range_of(static_cast<int>(bits), codes.dtype() == dtype::int8).middle();
  return middle == 0 ? whole : whole - middle;
}

// Rows of the input have a scale each, or all have one.
scheme scheme_of_rows(const tensor& scales) {
  return scales.dim() == 0 ? scheme{} : scheme{.scales = granularity::per_channel, .axis = 0};
}

}  // namespace

tensor linear_codes_parts(const tensor& input, const tensor& input_scales, const optional_tensor& input_offsets,
                          const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                          std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type) {
  const scheme s = check_linear_codes(input, input_scales, input_offsets, codes, scales, offsets, columns, bits, axis,
                                      group, type),
               of_rows = scheme_of_rows(input_scales);
  const dtype computed = computed_in(type);
  const shape sizes{codes.size(0), columns};
  // Only a scale that a whole row of the weight has can be applied to the sum.
  const bool by_row = group == 0 && axis <= 0;
  if (!by_row || !has_zero_points(offsets)) {
    const tensor x = dequantized(input, input_scales, input_offsets, input.sizes(), of_rows, computed);
    return to(mm(x, t(dequantized(codes, scales, offsets, sizes, s, computed))), type);
  }
  // A product is at most 2^16.
  const dtype whole = columns < (std::int64_t{1} << 15) ? dtype::int32 : dtype::int64;
  const tensor sums = mm(centred(input, input_offsets, 8, of_rows, input.sizes(), whole),
                         t(centred(codes, offsets, bits, s, sizes, whole)));
  const tensor row_scales = to(input_scales.dim() == 0 ? input_scales : unsqueeze(input_scales, 1), computed);
  return to(to(sums, computed) * (row_scales * to(scales, computed)), type);
}

namespace {

constexpr author::kernel_row rows[] = {
    author::row<&quantize_parts>(native::_quantize, key::CompositeExplicitAutograd),
    author::row<&dequantize_parts>(native::_dequantize, key::CompositeExplicitAutograd),
    author::row<&linear_parts>(native::_quantized_linear, key::CompositeExplicitAutograd),
    author::row<&mm_parts>(native::_quantized_mm, key::CompositeExplicitAutograd),
    author::row<&linear_codes_parts>(native::_quantized_linear_codes, key::CompositeExplicitAutograd),
};

}  // namespace

std::span<const author::kernel_row> composite_rows() { return rows; }

}  // namespace topbit::quantized

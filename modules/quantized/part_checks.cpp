module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :part_checks;
import :rounding;

namespace topbit::quantized {

namespace {

tensor given(const optional_tensor& t) { return is_given(t) ? *t : tensor(); }

// The scheme of three numbers, for a tensor of these sizes.
scheme checked_scheme(std::string_view op, std::int64_t bits, std::int64_t axis, std::int64_t group,
                      const shape& sizes) {
  if (bits != 8 && bits != 4) refuse<bad_argument>(op, "found bits " + std::to_string(bits) + ", wanted 8 or 4");
  if (axis < -1 || group < 0 || (axis != -1 && group != 0)) {
    refuse<bad_argument>(op, "found axis " + std::to_string(axis) + " and group " + std::to_string(group) +
                                 ", wanted axis -1 or group 0, and neither below");
  }
  check_sizes(op, sizes);
  const scheme s = scheme_of(bits, axis, group);
  check_scheme(op, s, sizes);
  return s;
}

void check_floating(std::string_view op, std::string_view what, dtype type) {
  if (is_floating(type)) return;
  refuse<dtype_error>(
      op, "found " + std::string(what) + " of " + std::string(name_of(type)) + ", wanted a floating-point type");
}

// The parts of a weight [n, columns]: its scheme and n.
struct checked_weight {
  scheme how;
  std::int64_t rows;

  checked_weight(std::string_view op, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                 std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group) {
    if (!codes.defined() || codes.layout() != layout::strided || codes.dim() != 2) {
      refuse<shape_error>(op, "found codes " + description_of(codes) + ", wanted a strided matrix");
    }
    rows = codes.sizes()[0];
    const shape sizes{rows, columns};
    how = checked_scheme(op, bits, axis, group, sizes);
    check_codes(op, "codes", codes, how, sizes);
    check_parameters(op, scales, given(offsets), how, sizes, codes.device());
  }
};

// A matrix with so many columns.
void check_input(std::string_view op, const tensor& input, std::int64_t columns, device where) {
  if (!input.defined() || input.layout() != layout::strided || input.dim() != 2) {
    refuse<shape_error>(op, "found input " + description_of(input) + ", wanted a strided matrix");
  }
  check_part(op, "input", input, {input.sizes()[0], columns}, where);
}

}  // namespace

scheme check_quantize(const tensor& self, const tensor& scales, const optional_tensor& offsets, std::int64_t bits,
                      std::int64_t axis, std::int64_t group) {
  constexpr std::string_view op = native::_quantize.name();
  author::check_one_device(native::_quantize, self, scales, offsets);
  check_values(op, self);
  const scheme s = checked_scheme(op, bits, axis, group, self.sizes());
  check_parameters(op, scales, given(offsets), s, self.sizes(), self.device());
  return s;
}

scheme check_dequantize(const tensor& codes, const tensor& scales, const optional_tensor& offsets, const shape& sizes,
                        std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type) {
  constexpr std::string_view op = native::_dequantize.name();
  author::check_one_device(native::_dequantize, codes, scales, offsets);
  check_floating(op, "values", type);
  const scheme s = checked_scheme(op, bits, axis, group, sizes);
  check_codes(op, "codes", codes, s, sizes);
  check_parameters(op, scales, given(offsets), s, sizes, codes.device());
  return s;
}

scheme check_linear(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                    const optional_tensor& bias, std::int64_t columns, std::int64_t bits, std::int64_t axis,
                    std::int64_t group) {
  constexpr std::string_view op = native::_quantized_linear.name();
  author::check_one_device(native::_quantized_linear, input, codes, scales, offsets, bias);
  const checked_weight w(op, codes, scales, offsets, columns, bits, axis, group);
  check_input(op, input, columns, codes.device());
  check_floating(op, "input", input.dtype());
  if (is_given(bias)) {
    check_part(op, "bias", *bias, {w.rows}, codes.device());
    check_floating(op, "bias", bias->dtype());
  }
  return w.how;
}

scheme check_mm(const tensor& input, const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group) {
  constexpr std::string_view op = native::_quantized_mm.name();
  author::check_one_device(native::_quantized_mm, input, codes, scales, offsets);
  const checked_weight w(op, codes, scales, offsets, columns, bits, axis, group);
  check_input(op, input, w.rows, codes.device());
  check_floating(op, "input", input.dtype());
  return w.how;
}

scheme check_linear_codes(const tensor& input, const tensor& input_scales, const optional_tensor& input_offsets,
                          const tensor& codes, const tensor& scales, const optional_tensor& offsets,
                          std::int64_t columns, std::int64_t bits, std::int64_t axis, std::int64_t group, dtype type) {
  constexpr std::string_view op = native::_quantized_linear_codes.name();
  author::check_one_device(native::_quantized_linear_codes, input, input_scales, input_offsets, codes, scales, offsets);
  check_floating(op, "values", type);
  const checked_weight w(op, codes, scales, offsets, columns, bits, axis, group);
  const device where = codes.device();
  check_input(op, input, columns, where);
  const bool of_rows = input_scales.defined() && input_scales.layout() == layout::strided && input_scales.dim() != 0;
  const scheme s = of_rows ? scheme{.scales = granularity::per_channel} : scheme{};
  check_codes(op, "input", input, s, input.sizes());
  check_part(op, "input_scales", input_scales, scale_sizes(s, input.sizes()), where);
  check_floating(op, "input_scales", input_scales.dtype());
  if (is_given(input_offsets)) {
    check_part(op, "input_offsets", *input_offsets, scale_sizes(s, input.sizes()), where);
    if (input_offsets->dtype() != dtype::int32) {
      refuse<dtype_error>(
          op, "found input_offsets of " + std::string(name_of(input_offsets->dtype())) + ", wanted int32 zero points");
    }
  }
  return w.how;
}

}  // namespace topbit::quantized

// Quantized tensors of parts that somebody else made, such as those of files: with all checks.
module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :registration;
import :rounding;

namespace topbit::quantized {

namespace {

tensor checked(std::string_view op, const scheme& s, const shape& sizes, dtype type, const tensor& codes,
               const tensor& scales, const tensor& offsets, bool transposed) {
  const no_grad guard;
  if (!is_floating(type)) {
    refuse<dtype_error>(op, "found values of " + std::string(name_of(type)) + ", wanted a floating-point type");
  }
  check_sizes(op, sizes);
  check_scheme(op, s, sizes);
  if (transposed && sizes.size() != 2) {
    refuse<shape_error>(op, "found the transpose of sizes " + to_string(sizes) + ", wanted a matrix");
  }
  check_codes(op, "codes", codes, s, sizes);
  check_parameters(op, scales, offsets, s, sizes, codes.device());
  check_finite(op, "scales", scales);
  if (offsets.defined() && is_floating(offsets.dtype())) {
    check_finite(op, "offsets", offsets);
  } else if (offsets.defined()) {
    const code_range range = range_of(s.bits, codes.dtype() == dtype::int8);
    check_zero_points(op, offsets, range.lowest, range.highest);
  }
  const auto own = [](const tensor& part) { return part.defined() ? detach(contiguous(part)) : part; };
  return trusted(s, sizes, type, own(codes), own(scales), own(offsets), transposed);
}

}  // namespace

tensor from_parts(const scheme& s, const shape& sizes, dtype type, const tensor& codes, const tensor& scales,
                  const tensor& offsets, bool transposed) {
  return checked("quantized::from_parts", s, sizes, type, codes, scales, offsets, transposed);
}

tensor read_parts(const shape& sizes, dtype type, std::span<const author::layout_payload::part> parts,
                  std::string_view attributes) {
  constexpr std::string_view op = "a quantized tensor", mark = " transposed";
  const bool transposed = attributes.ends_with(mark);
  if (transposed) attributes.remove_suffix(mark.size());
  std::array<tensor, 3> found;
  constexpr std::array<std::string_view, 3> names{"codes", "scales", "offsets"};
  for (const auto& [name, value] : parts) {
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) {
      refuse<bad_argument>(op, "found a part '" + std::string(name) + "', wanted codes, scales and offsets");
    }
    found[static_cast<std::size_t>(known - names.begin())] = value;
  }
  if (transposed && sizes.size() != 2) {
    refuse<shape_error>(op, "found the transpose of sizes " + to_string(sizes) + ", wanted a matrix");
  }
  const shape stored = transposed ? shape{sizes[1], sizes[0]} : sizes;
  return checked(op, parse_scheme(attributes), stored, type, found[0], found[1], found[2], transposed);
}

}  // namespace topbit::quantized

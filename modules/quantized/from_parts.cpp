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

void check_part(std::string_view op, std::string_view what, const tensor& part, const shape& wanted, device where) {
  if (!part.defined()) refuse<shape_error>(op, "found no " + std::string(what) + ", wanted a tensor");
  if (part.layout() != layout::strided) author::refuse_layout(op, what, part.layout(), layout::strided, op);
  if (part.device() != where) {
    refuse<device_error>(op, "found " + std::string(what) + " on " + to_string(part.device()) + " and codes on " +
                                 to_string(where) + ", wanted one device");
  }
  if (part.sizes() == wanted) return;
  refuse<shape_error>(op,
                      "found " + std::string(what) + " " + to_string(part.sizes()) + ", wanted " + to_string(wanted));
}

template <class Is>
void check_type(std::string_view op, std::string_view what, const tensor& part, Is is, std::string_view wanted) {
  if (is(part.dtype())) return;
  refuse<dtype_error>(op, "found " + std::string(what) + " of " + std::string(name_of(part.dtype())) + ", wanted " +
                              std::string(wanted));
}

tensor checked(std::string_view op, const scheme& s, const shape& sizes, dtype type, const tensor& codes,
               const tensor& scales, const tensor& offsets, bool transposed) {
  const no_grad guard;
  const auto floating = [](dtype t) { return is_floating(t); };
  if (!is_floating(type)) {
    refuse<dtype_error>(op, "found values of " + std::string(name_of(type)) + ", wanted a floating-point type");
  }
  for (const std::int64_t size : sizes) {
    if (size < 0) refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted none below 0");
  }
  check_scheme(op, s, sizes);
  if (transposed && sizes.size() != 2) {
    refuse<shape_error>(op, "found the transpose of sizes " + to_string(sizes) + ", wanted a matrix");
  }
  if (!codes.defined()) refuse<shape_error>(op, "found no codes, wanted a tensor");
  check_part(op, "codes", codes, code_sizes(s, sizes), codes.device());
  check_type(
      op, "codes", codes, [&](dtype t) { return t == dtype::uint8 || (t == dtype::int8 && s.bits == 8); },
      s.bits == 8 ? "int8 or uint8" : "uint8");
  check_part(op, "scales", scales, scale_sizes(s, sizes), codes.device());
  check_type(op, "scales", scales, floating, "a floating-point type");
  check_finite(op, "scales", scales);
  if (offsets.defined()) {
    check_part(op, "offsets", offsets, scale_sizes(s, sizes), codes.device());
    check_type(
        op, "offsets", offsets, [](dtype t) { return t == dtype::int32 || is_floating(t); },
        "int32 zero points or floating-point numbers");
    if (is_floating(offsets.dtype())) {
      check_finite(op, "offsets", offsets);
    } else {
      const code_range range = range_of(s.bits, codes.dtype() == dtype::int8);
      check_zero_points(op, offsets, range.lowest, range.highest);
    }
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

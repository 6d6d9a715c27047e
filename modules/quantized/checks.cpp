module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;

namespace topbit::quantized {

namespace {

constexpr std::int64_t greatest_group = std::int64_t(1) << 30;
constexpr double least_scale = std::numeric_limits<float>::min(), greatest_scale = std::numeric_limits<float>::max();

void check_all(std::string_view op, const tensor& good, const std::string& text) {
  if (has_elements(good) && !item<bool>(all(good))) refuse<bad_argument>(op, text);
}

}  // namespace

std::string description_of(const tensor& t) {
  if (!t.defined()) return "an undefined tensor";
  std::string text = std::string(name_of(t.dtype())) + " " + to_string(t.sizes());
  if (t.layout() != layout::strided) text += " " + std::string(name_of(t.layout()));
  return text;
}

bool has_elements(const tensor& t) { return t.device().type != backend::Meta && t.numel() != 0; }

bool same_parameter(const tensor& a, const tensor& b) {
  if (a.defined() != b.defined()) return false;
  return !a.defined() || a.same_as(b) || (has_elements(a) && a.dtype() == b.dtype() && equal(a, b));
}

void check_values(std::string_view op, const tensor& x) {
  if (!x.defined()) refuse<shape_error>(op, "found an undefined tensor, wanted one with elements");
  if (x.layout() != layout::strided) {
    author::refuse_layout(op, "argument 'self'", x.layout(), layout::strided, op);
  }
  if (is_floating(x.dtype())) return;
  refuse<dtype_error>(op, "found " + std::string(name_of(x.dtype())) + ", wanted a floating-point type");
}

void check_no_gradient(std::string_view op, const tensor& t) {
  if (!requires_grad(t) || !grad_enabled()) return;
  refuse<error>(op,
                "found a quantized tensor that requires a gradient, which it cannot have; "
                "fake_quantize_per_channel(x) and its like train with rounding");
}

void check_bits(std::string_view op, int bits) {
  if (bits != 8 && bits != 4) refuse<bad_argument>(op, "found bits " + std::to_string(bits) + ", wanted 8 or 4");
}

void check_sizes(std::string_view op, const shape& sizes) {
  std::int64_t bytes = sizeof(double);
  for (const std::int64_t size : sizes) {
    if (size < 0) refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", wanted none below 0");
    if (size > 1 && __builtin_mul_overflow(bytes, size, &bytes)) {
      refuse<shape_error>(op, "found sizes " + to_string(sizes) + ", more elements than 64 bits can count");
    }
  }
}

void check_scheme(std::string_view op, const scheme& s, const shape& sizes) {
  const auto dims = static_cast<std::int64_t>(sizes.size());
  check_bits(op, s.bits);
  if (s.bits == 4 && dims == 0) {
    refuse<shape_error>(op, "found a zero-dimensional tensor for codes of 4 bits, wanted one dimension at least");
  }
  if (s.scales == granularity::per_channel && (s.axis < 0 || s.axis >= dims)) {
    refuse<shape_error>(op, "found axis " + std::to_string(s.axis) + " for a tensor " + to_string(sizes) +
                                ", wanted one of its dimensions");
  }
  if (s.scales != granularity::per_group) return;
  if (s.group < 2 || s.group > greatest_group || s.group % 2 != 0) {
    refuse<bad_argument>(op, "found group " + std::to_string(s.group) + ", wanted an even number from 2 to " +
                                 std::to_string(greatest_group));
  }
  if (dims == 0) refuse<shape_error>(op, "found a zero-dimensional tensor for groups, wanted one dimension at least");
}

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

namespace {

template <class Is>
void check_type(std::string_view op, std::string_view what, const tensor& part, Is is, std::string_view wanted) {
  if (is(part.dtype())) return;
  refuse<dtype_error>(op, "found " + std::string(what) + " of " + std::string(name_of(part.dtype())) + ", wanted " +
                              std::string(wanted));
}

constexpr auto floating = [](dtype t) { return is_floating(t); };

}  // namespace

void check_codes(std::string_view op, std::string_view what, const tensor& codes, const scheme& s, const shape& sizes) {
  if (!codes.defined()) refuse<shape_error>(op, "found no " + std::string(what) + ", wanted a tensor");
  check_part(op, what, codes, code_sizes(s, sizes), codes.device());
  check_type(
      op, what, codes, [&](dtype t) { return t == dtype::uint8 || (t == dtype::int8 && s.bits == 8); },
      s.bits == 8 ? "int8 or uint8" : "uint8");
}

void check_parameters(std::string_view op, const tensor& scales, const tensor& offsets, const scheme& s,
                      const shape& sizes, device where) {
  check_part(op, "scales", scales, scale_sizes(s, sizes), where);
  check_type(op, "scales", scales, floating, "a floating-point type");
  if (!offsets.defined()) return;
  check_part(op, "offsets", offsets, scale_sizes(s, sizes), where);
  check_type(
      op, "offsets", offsets, [](dtype t) { return t == dtype::int32 || is_floating(t); },
      "int32 zero points or floating-point numbers");
}

void check_scale(std::string_view op, double scale) {
  if (scale >= least_scale && scale <= greatest_scale) return;
  refuse<bad_argument>(op, "found scale " + to_string(scalar(scale)) + ", wanted a positive normal number of float32");
}

void check_zero_point(std::string_view op, std::int64_t zero_point, std::int64_t lowest, std::int64_t highest) {
  if (lowest > highest) {
    refuse<bad_argument>(op, "found codes from " + std::to_string(lowest) + " to " + std::to_string(highest) +
                                 ", wanted the lower one first");
  }
  if (zero_point >= lowest && zero_point <= highest) return;
  refuse<bad_argument>(op, "found zero point " + std::to_string(zero_point) + ", wanted " + std::to_string(lowest) +
                               " to " + std::to_string(highest));
}

void check_finite(std::string_view op, std::string_view what, const tensor& t) {
  check_all(op, isfinite(t), "found NaN or infinity among the " + std::string(what) + ", wanted finite numbers");
}

void check_scales(std::string_view op, const tensor& scales) {
  const tensor wide = to(scales, dtype::float64);
  check_all(op, ge(wide, least_scale) & le(wide, greatest_scale),
            "found a scale that is 0, negative, NaN or out of range, wanted positive normal numbers of float32");
}

void check_zero_points(std::string_view op, const tensor& zero_points, std::int64_t lowest, std::int64_t highest) {
  check_all(op, ge(zero_points, lowest) & le(zero_points, highest),
            "found a zero point out of range, wanted " + std::to_string(lowest) + " to " + std::to_string(highest));
}

void check_channels(std::string_view op, const tensor& x, const tensor& scales,
                    const std::optional<tensor>& zero_points, std::int64_t axis) {
  const shape wanted{x.sizes()[axis]};
  if (scales.sizes() != wanted || !is_floating(scales.dtype())) {
    refuse<shape_error>(
        op, "found scales " + description_of(scales) + ", wanted floating-point numbers " + to_string(wanted));
  }
  if (!is_given(zero_points)) return;
  if (zero_points->sizes() != wanted || !is_integer(zero_points->dtype())) {
    refuse<shape_error>(op,
                        "found zero points " + description_of(*zero_points) + ", wanted integers " + to_string(wanted));
  }
}

}  // namespace topbit::quantized

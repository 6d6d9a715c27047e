// Checks of arguments, with the texts of their errors. Internal.
module topbit.quantized:checks;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;

namespace topbit::quantized {

// "float32 [2, 3] quantized"
std::string description_of(const tensor& t);

template <class Error>
[[noreturn]] void refuse(std::string_view op, const std::string& what) {
  throw Error(std::string(op) + ": " + what, std::string(op));
}

// A floating-point tensor that is strided.
void check_values(std::string_view op, const tensor& x);
// Users may call require_grad() on a tensor of any layout of a floating-point type; no operator would give a gradient.
void check_no_gradient(std::string_view op, const tensor& t);
void check_bits(std::string_view op, int bits);
// Throws shape_error for a size below 0, and for more elements than 64 bits can count.
void check_sizes(std::string_view op, const shape& sizes);
// Bits, axis and group, for a tensor of these sizes.
void check_scheme(std::string_view op, const scheme& s, const shape& sizes);
// A strided tensor of these sizes on this device.
void check_part(std::string_view op, std::string_view what, const tensor& part, const shape& wanted, device where);
// Layouts, sizes, dtypes and devices of the parts of a tensor of these sizes, whose scheme was checked. No elements.
void check_codes(std::string_view op, std::string_view what, const tensor& codes, const scheme& s, const shape& sizes);
void check_parameters(std::string_view op, const tensor& scales, const tensor& offsets, const scheme& s,
                      const shape& sizes, device where);
// A normal, positive number of float32.
void check_scale(std::string_view op, double scale);
void check_zero_point(std::string_view op, std::int64_t zero_point, std::int64_t lowest, std::int64_t highest);
// Whether elements can be read.
bool has_elements(const tensor& t);
// Equal scales or offsets; without elements to read only the same ones.
bool same_parameter(const tensor& a, const tensor& b);
// All elements are finite, or normal positive numbers of float32, or in a range. Waits for the device; nothing on meta.
void check_finite(std::string_view op, std::string_view what, const tensor& t);
void check_scales(std::string_view op, const tensor& scales);
void check_zero_points(std::string_view op, const tensor& zero_points, std::int64_t lowest, std::int64_t highest);
// Scales and zero points of the channels of x; `axis` is wrapped.
void check_channels(std::string_view op, const tensor& x, const tensor& scales,
                    const std::optional<tensor>& zero_points, std::int64_t axis);

}  // namespace topbit::quantized

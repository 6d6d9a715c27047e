// What a quantized tensor is made of, for users.
export module topbit.quantized:access;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;

// The functions below throw layout_error for a tensor that is not quantized.
export namespace topbit {

inline bool is_quantized(const tensor& t) noexcept { return t.layout() == layout::quantized; }

quantized::scheme q_scheme(const tensor& t);
/// Not copied; sizes as quantized::payload has them.
tensor q_scales(const tensor& t);
/// int32, of the sizes of the scales, also where none are stored; undefined for a tensor with floating-point offsets.
tensor q_zero_points(const tensor& t);
/// The floating-point offsets, the values of code 0; undefined for a tensor with zero points.
tensor q_offsets(const tensor& t);
/// The dimension of a tensor with a scale for each channel. Throws bad_argument for another.
std::int64_t q_axis(const tensor& t);
/// The length of the groups of a tensor with a scale for each. Throws bad_argument for another.
std::int64_t q_group(const tensor& t);

namespace quantized {

/// The memory of the elements: of a quantized tensor, of codes, scales and offsets together.
std::int64_t bytes_of(const tensor& t);

}  // namespace quantized

}  // namespace topbit

// Arithmetic on parts by operators on strided tensors. The rounding is here once: for quantization, on devices without
// a kernel for it, and for fake quantization. Internal.
module topbit.quantized:rounding;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :payload;

namespace topbit::quantized {

// A scheme as the operators on parts take it.
struct scheme_numbers {
  std::int64_t bits, axis, group;
};
scheme_numbers numbers_of(const scheme& s) noexcept;
scheme scheme_of(std::int64_t bits, std::int64_t axis, std::int64_t group) noexcept;

// The dtype that values of this dtype are computed in.
constexpr dtype computed_in(dtype type) noexcept { return type == dtype::float64 ? type : dtype::float32; }

inline bool has_zero_points(const std::optional<tensor>& offsets) {
  return !offsets.has_value() || !offsets->defined() || !is_floating(offsets->dtype());
}
inline bool is_given(const std::optional<tensor>& t) { return t.has_value() && t->defined(); }

// A parameter that broadcasts to the sizes of the tensor.
tensor along(const tensor& parameter, const scheme& s, const shape& sizes);

// clamp(zero + round((x - offset) / scale), lowest, highest) as floating-point numbers, ties to even; NaN gives zero,
// clamped. All of one dtype and broadcast to x; `zero` and `offset` may be undefined for 0.
tensor round_to_codes(const tensor& x, const tensor& scale, const tensor& zero, const tensor& offset, double lowest,
                      double highest);

// Codes of 4 bits, uint8: one in a byte, [.., n], and two, [.., ceil(n / 2)].
tensor pack(const tensor& codes);
tensor unpack(const tensor& packed, std::int64_t columns);
// Codes, each an element.
tensor unpacked(const tensor& codes, std::int64_t bits, const shape& sizes);

// The values of parts, in this dtype, by operators on strided tensors.
tensor dequantized(const tensor& codes, const tensor& scales, const std::optional<tensor>& offsets, const shape& sizes,
                   const scheme& s, dtype type);
// The codes of x.
tensor quantized_codes(const tensor& x, const tensor& scales, const std::optional<tensor>& offsets, const scheme& s,
                       bool is_signed);

// Calls of the operators on parts, with a scheme.
tensor values_of(const payload& p, const shape& sizes, dtype type);
tensor codes_of(const tensor& x, const scheme& s, const tensor& scales, const tensor& offsets, bool is_signed);

}  // namespace topbit::quantized

// What a quantized tensor consists of: integer codes, and the numbers that turn them back into values.
//
// The tensor's dtype is that of the values, what dequantize() gives. There are no quantized dtypes: linear(x, w) and
// embedding(w, i) are the ordinary operators, whatever w is.
export module topbit.quantized:payload;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::quantized {

/// Which elements share a scale: all, those of one index of a dimension, or runs of `group` along the last dimension.
enum class granularity : std::uint8_t { per_tensor, per_channel, per_group };
/// "per_tensor", "per_channel", "per_group"
std::string_view name_of(granularity g) noexcept;

struct scheme {
  granularity scales = granularity::per_tensor;
  /// 8 or 4.
  int bits = 8;
  /// Of per_channel: the dimension, not negative.
  std::int64_t axis = 0;
  /// Of per_group: positive and even. The last group of a row is shorter if the row is no multiple of it.
  std::int64_t group = 0;
  /// linear() quantizes the rows of its other argument to int8 as well, and multiplies integers.
  bool dynamic_activations = false;

  friend constexpr bool operator==(const scheme&, const scheme&) = default;
};
/// "per_tensor bits=8", "per_channel axis=0 bits=8", "per_group group=32 bits=4 dynamic_activations"
std::string to_string(const scheme& s);
/// The inverse of to_string(). Throws bad_argument, listing the valid words, for invalid text.
scheme parse_scheme(std::string_view text);

/// The values are
///   scale * (code - zero_point)     zero points: integers, in the units of codes; the middle of the codes' range, 0,
///   128
///                                   or 8, where `offsets` is undefined
///   scale * code + offset           floating-point offsets: the value of code 0
/// computed in float32, or in float64 for a tensor of that dtype, and rounded to the tensor's dtype once.
struct payload final : author::layout_payload {
  static constexpr layout of_layout = layout::quantized;

  payload(const scheme& s, tensor codes_, tensor scales_, tensor offsets_, bool transposed_) noexcept
      : how(s),
        codes(std::move(codes_)),
        scales(std::move(scales_)),
        offsets(std::move(offsets_)),
        transposed(transposed_) {}

  std::vector<part> parts() const override;
  std::string attributes() const override;
  intrusive_ptr<tensor_extension> with_parts(std::span<const tensor> parts) const override;

  const scheme how;
  /// Row-major. 8 bits: int8, from -128, or uint8, from 0; the tensor's sizes.
  /// 4 bits: uint8, a byte for two codes of the last dimension, 0 to 15, the first in the low bits. The last size is
  /// that of the tensor by two, rounded up; the unused bits of an odd row may be anything.
  const tensor codes;
  /// Floating-point, row-major. per_tensor: []; per_channel: [size of the axis]; per_group: the sizes of the tensor,
  /// the last one divided by the group and rounded up.
  const tensor scales;
  /// Undefined, int32 zero points, or floating-point offsets; the sizes of scales.
  const tensor offsets;
  /// The tensor is the transpose of the matrix that the parts describe, and that `how` speaks of.
  const bool transposed;
};

/// The range of codes: -128 to 127 for int8, 0 to 255 for uint8, 0 to 15 for 4 bits.
struct code_range {
  int lowest = -128, highest = 127;
  /// The zero point where none is given.
  constexpr int middle() const noexcept { return (lowest + highest + 1) / 2; }
};
constexpr code_range range_of(int bits, bool is_signed) noexcept {
  if (bits == 4) return {0, 15};
  return is_signed ? code_range{-128, 127} : code_range{0, 255};
}
inline code_range range_of(const payload& p) noexcept { return range_of(p.how.bits, p.codes.dtype() == dtype::int8); }

/// The sizes of the matrix or array that the parts describe: those of t, or of its transpose if it is marked.
shape sizes_of_parts(const tensor& t);

/// The sizes of the parts of a tensor of these sizes.
shape code_sizes(const scheme& s, const shape& sizes);
shape scale_sizes(const scheme& s, const shape& sizes);

/// A tensor of these parts, which it shares. `sizes` are those of the parts, and `type` is the dtype of values. Checks
/// nothing: for kernels, whose parts fit.
tensor trusted(const scheme& s, const shape& sizes, dtype type, tensor codes, tensor scales, tensor offsets = {},
               bool transposed = false);

/// The same with all checks. Scales and offsets must be finite; they may be 0 or negative, as those of files are.
/// Throws shape_error, dtype_error, device_error, layout_error or bad_argument. Cost: reads scales and offsets.
tensor from_parts(const scheme& s, const shape& sizes, dtype type, const tensor& codes, const tensor& scales,
                  const tensor& offsets = {}, bool transposed = false);

}  // namespace topbit::quantized

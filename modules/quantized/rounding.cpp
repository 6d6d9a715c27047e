module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :rounding;

namespace topbit::quantized {

scheme_numbers numbers_of(const scheme& s) noexcept {
  return {s.bits, s.scales == granularity::per_channel ? s.axis : -1, s.scales == granularity::per_group ? s.group : 0};
}

scheme scheme_of(std::int64_t bits, std::int64_t axis, std::int64_t group) noexcept {
  scheme s{.bits = static_cast<int>(bits)};
  if (group > 0) {
    s.scales = granularity::per_group;
    s.group = group;
  } else if (axis >= 0) {
    s.scales = granularity::per_channel;
    s.axis = axis;
  }
  return s;
}

tensor along(const tensor& parameter, const scheme& s, const shape& sizes) {
  if (s.scales == granularity::per_tensor) return parameter;
  if (s.scales == granularity::per_channel) {
    shape ones(static_cast<std::int64_t>(sizes.size()), 1);
    ones[s.axis] = sizes[s.axis];
    return reshape(parameter, ones);
  }
  const std::int64_t columns = sizes[sizes.size() - 1];
  const tensor repeated = repeat_interleave(parameter, std::min(s.group, columns), -1);
  return repeated.size(-1) == columns ? repeated : narrow(repeated, -1, 0, columns);
}

tensor round_to_codes(const tensor& x, const tensor& scale, const tensor& zero, const tensor& offset, double lowest,
                      double highest) {
  // A scale of 0, which a file may have, gives the code of 0.
  const tensor inverse = where(eq(scale, 0), 0.0, reciprocal(scale));
  tensor q = nan_to_num(round((offset.defined() ? x - offset : x) * inverse), arg<"nan"> = 0.0);
  if (zero.defined()) q = q + zero;
  return clamp(q, lowest, highest);
}

tensor pack(const tensor& codes) {
  const std::int64_t columns = codes.size(-1);
  shape pairs = codes.sizes();
  pairs[pairs.size() - 1] = columns / 2 + columns % 2;
  pairs.push_back(2);
  tensor even = codes;
  if (columns % 2 != 0) {
    shape one = codes.sizes();
    one[one.size() - 1] = 1;
    even = cat({codes, zeros(one, arg<"dtype"> = codes.dtype(), arg<"device"> = codes.device())}, -1);
  }
  even = reshape(even, pairs);
  return select(even, -1, 0) + select(even, -1, 1) * 16;
}

tensor unpack(const tensor& packed, std::int64_t columns) {
  const tensor pairs = stack({bitwise_and(packed, 15), floor_divide(packed, 16)}, -1);
  shape sizes = packed.sizes();
  sizes[sizes.size() - 1] *= 2;
  return narrow(reshape(pairs, sizes), -1, 0, columns);
}

tensor unpacked(const tensor& codes, std::int64_t bits, const shape& sizes) {
  return bits == 4 ? unpack(codes, sizes[sizes.size() - 1]) : codes;
}

tensor dequantized(const tensor& codes, const tensor& scales, const std::optional<tensor>& offsets, const shape& sizes,
                   const scheme& s, dtype type) {
  const dtype computed = computed_in(type);
  const tensor scale = along(to(scales, computed), s, sizes);
  tensor values = to(unpacked(codes, s.bits, sizes), computed);
  if (!has_zero_points(offsets)) return to(values * scale + along(to(*offsets, computed), s, sizes), type);
  if (is_given(offsets)) {
    values = values - along(to(*offsets, computed), s, sizes);
  } else if (const int middle = range_of(s.bits, codes.dtype() == dtype::int8).middle(); middle != 0) {
    values = values - middle;
  }
  return to(values * scale, type);
}

tensor quantized_codes(const tensor& x, const tensor& scales, const std::optional<tensor>& offsets, const scheme& s,
                       bool is_signed) {
  const dtype computed = computed_in(x.dtype());
  const code_range range = range_of(s.bits, is_signed);
  tensor zero, offset;
  if (!has_zero_points(offsets))
    offset = along(to(*offsets, computed), s, x.sizes());
  else if (is_given(offsets))
    zero = along(to(*offsets, computed), s, x.sizes());
  else if (range.middle() != 0)
    zero = full({}, range.middle(), arg<"dtype"> = computed, arg<"device"> = x.device());
  const tensor codes = round_to_codes(to(x, computed), along(to(scales, computed), s, x.sizes()), zero, offset,
                                      range.lowest, range.highest);
  const tensor whole = contiguous(to(codes, s.bits == 8 && is_signed ? dtype::int8 : dtype::uint8));
  return s.bits == 4 ? contiguous(pack(whole)) : whole;
}

tensor values_of(const payload& p, const shape& sizes, dtype type) {
  const scheme_numbers n = numbers_of(p.how);
  return native::_dequantize(p.codes, p.scales, p.offsets, sizes, n.bits, n.axis, n.group, type);
}

tensor codes_of(const tensor& x, const scheme& s, const tensor& scales, const tensor& offsets, bool is_signed) {
  const scheme_numbers n = numbers_of(s);
  return native::_quantize(x, scales, offsets, n.bits, n.axis, n.group, is_signed);
}

}  // namespace topbit::quantized

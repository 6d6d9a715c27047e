module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;

namespace topbit::quantized {

namespace {

constexpr double least_scale = std::numeric_limits<float>::min();

// The least and greatest element of what shares a scale; of the sizes of scales.
struct range {
  tensor least, greatest;
};

range range_of_elements(const tensor& x, const scheme& s) {
  if (x.numel() == 0) {
    const tensor none = zeros(scale_sizes(s, x.sizes()), arg<"dtype"> = x.dtype(), arg<"device"> = x.device());
    return {none, none};
  }
  if (s.scales == granularity::per_tensor) return {amin(x), amax(x)};
  if (s.scales == granularity::per_channel) {
    shape others;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
      if (d != s.axis) others.push_back(d);
    }
    return others.empty() ? range{x, x} : range{amin(x, others), amax(x, others)};
  }
  const std::int64_t columns = x.size(-1), whole = columns / s.group * s.group;
  const auto over_groups = [&](const auto& extreme) {
    std::vector<tensor> parts;
    if (whole != 0) {
      shape sizes = x.sizes();
      sizes[sizes.size() - 1] = whole / s.group;
      sizes.push_back(s.group);
      parts.push_back(extreme(reshape(narrow(x, -1, 0, whole), sizes), false));
    }
    if (whole != columns) parts.push_back(extreme(narrow(x, -1, whole, columns - whole), true));
    return parts.size() == 1 ? parts[0] : cat(parts, -1);
  };
  return {over_groups([](const tensor& g, bool keep) { return amin(g, {-1}, keep); }),
          over_groups([](const tensor& g, bool keep) { return amax(g, {-1}, keep); })};
}

// The difference of the greatest and the least number of a type is infinite.
tensor step_between(const tensor& least, const tensor& greatest, const code_range& codes) {
  const double steps = codes.highest - codes.lowest;
  return greatest / steps - least / steps;
}

// A number where it is a normal one, else 1.
tensor usable(const tensor& scale) { return where(ge(scale, least_scale), scale, 1.0); }

}  // namespace

parameters choose_parameters(const tensor& least, const tensor& greatest, const code_range& codes, bool symmetric) {
  const no_grad guard;
  const dtype computed = computed_in(least.dtype());
  const tensor low = clamp(to(least, computed), std::nullopt, 0.0), high = clamp(to(greatest, computed), 0.0);
  const double steps = codes.highest - codes.lowest;
  if (symmetric) {
    const tensor scale = usable(maximum(-low, high) / (steps / 2));
    return {scale, full_like(scale, codes.middle(), arg<"dtype"> = dtype::int32)};
  }
  const tensor scale = usable(step_between(low, high, codes));
  const tensor zero = clamp(codes.lowest - round(low / scale), codes.lowest, codes.highest);
  return {scale, to(zero, dtype::int32)};
}

tensor quantize(const tensor& x, const scheme& s, bool symmetric) {
  constexpr std::string_view name = "quantized::quantize";
  const no_grad guard;
  check_values(name, x);
  check_scheme(name, s, x.sizes());
  const range seen = range_of_elements(x, s);
  check_finite(name, "elements", stack({seen.least, seen.greatest}));
  const code_range codes = range_of(s.bits, true);
  tensor scales, offsets;
  if (s.scales == granularity::per_group && !symmetric) {
    const dtype computed = computed_in(x.dtype());
    const tensor least = to(seen.least, computed);
    const tensor greatest = to(seen.greatest, computed);
    check_finite(name, "differences of a group's maximum and minimum", greatest - least);
    scales = usable(step_between(least, greatest, codes));
    offsets = least - scales * codes.lowest;
  } else {
    parameters chosen = choose_parameters(seen.least, seen.greatest, codes, symmetric);
    scales = std::move(chosen.scales);
    if (!symmetric) offsets = std::move(chosen.zero_points);
  }
  scales = contiguous(scales);
  if (offsets.defined()) offsets = contiguous(offsets);
  return trusted(s, x.sizes(), x.dtype(), codes_of(x, s, scales, offsets, true), scales, offsets);
}

tensor requantize(const tensor& x, const scheme& s, bool symmetric) { return quantize(dequantize(x), s, symmetric); }

}  // namespace topbit::quantized

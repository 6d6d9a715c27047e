module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :rounding;

namespace topbit {

using quantized::granularity, quantized::payload;

quantized::scheme q_scheme(const tensor& x) { return x.payload<payload>().how; }

tensor q_scales(const tensor& x) { return x.payload<payload>().scales; }

tensor q_zero_points(const tensor& x) {
  const payload& p = x.payload<payload>();
  if (!quantized::has_zero_points(p.offsets)) return {};
  if (p.offsets.defined()) return p.offsets;
  return full(p.scales.sizes(), quantized::range_of(p).middle(), arg<"dtype"> = dtype::int32,
              arg<"device"> = x.device());
}

tensor q_offsets(const tensor& x) {
  const payload& p = x.payload<payload>();
  return quantized::has_zero_points(p.offsets) ? tensor() : p.offsets;
}

std::int64_t q_axis(const tensor& x) {
  const payload& p = x.payload<payload>();
  if (p.how.scales != granularity::per_channel) {
    quantized::refuse<bad_argument>("q_axis", "found " + to_string(p.how) + ", wanted per_channel");
  }
  return p.transposed ? 1 - p.how.axis : p.how.axis;
}

std::int64_t q_group(const tensor& x) {
  const payload& p = x.payload<payload>();
  if (p.how.scales != granularity::per_group) {
    quantized::refuse<bad_argument>("q_group", "found " + to_string(p.how) + ", wanted per_group");
  }
  return p.how.group;
}

std::int64_t quantized::bytes_of(const tensor& x) {
  const auto bytes_in = [](const tensor& part) {
    return part.numel() * static_cast<std::int64_t>(size_of(part.dtype()));
  };
  if (!is_quantized(x)) return bytes_in(x);
  std::int64_t bytes = 0;
  for (const auto& [name, value] : x.payload<payload>().parts()) {
    if (value.defined()) bytes += bytes_in(value);
  }
  return bytes;
}

}  // namespace topbit

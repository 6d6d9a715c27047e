module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

tensor pin_memory(const tensor& host, device d) {
  if (!host.defined() || host.device().type != backend::CPU) {
    throw device_error("pin_memory: found " +
                       (host.defined() ? "a tensor on " + to_string(host.device()) : "an undefined tensor") +
                       ", wanted a host tensor");
  }
  author::check_device(d);
  const memory_hook* const pinned = author::pinned_memory_of(d.type);
  if (pinned == nullptr) {
    throw device_error("pin_memory: found " + to_string(d) + ", wanted a device whose backend has pinned memory");
  }
  tensor out = author::make_tensor(host.sizes(), host.dtype(), cpu, *pinned);
  aten::copy_(out, host);
  return out;
}

bool is_pinned(const tensor& x) noexcept {
  if (!x.defined()) return false;
  const auto& data = author::record_of(x).data;
  if (!data || data->hook == nullptr) return false;
  for (std::size_t n = 0; n <= author::backend_count; ++n) {
    const memory_hook* const pinned = author::pinned_memory_of(static_cast<device_type>(n));
    if (pinned != nullptr && *data->hook == *pinned) return true;
  }
  return false;
}

}  // namespace topbit

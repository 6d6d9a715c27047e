module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit {

namespace {

const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

void* allocate_pinned(device, std::size_t bytes) {
  void* p = nullptr;
  detail::check_cuda(cuda(), runtime().allocate_pinned(bytes, &p), "allocating " + std::to_string(bytes) + " bytes");
  return p;
}
void release_pinned(device, void* p) noexcept { runtime().release_pinned(p); }
void copy(device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

constexpr memory_hook pinned{allocate_pinned, release_pinned, copy, copy, nullptr, nullptr, nullptr};

}  // namespace

cuda_memory_statistics cuda_memory(device d) {
  detail::check_cuda_device(d);
  tb_cuda_statistics s;
  runtime().statistics(d.index, &s);
  return {s.in_use,   s.peak_in_use,   s.reserved, s.peak_reserved,  s.allocations,    s.reused,
          s.segments, s.out_of_memory, s.limit,    s.free_on_device, s.total_on_device};
}

void release_cached_cuda_memory(device d) {
  detail::check_cuda_device(d);
  detail::check_cuda(d, runtime().release_cached(d.index), "releasing memory");
}

void set_cuda_memory_limit(device d, std::uint64_t bytes) {
  detail::check_cuda_device(d);
  runtime().set_limit(d.index, bytes);
}

tensor pin_memory(const tensor& host) {
  if (!host.defined() || host.device().type != backend::CPU) {
    throw device_error("pin_memory: found " +
                       (host.defined() ? "a tensor on " + to_string(host.device()) : "an undefined tensor") +
                       ", wanted a host tensor");
  }
  if (!cuda_available()) throw device_error("pin_memory: " + cuda_unavailable_reason());
  tensor out = author::make_tensor(host.sizes(), host.dtype(), cpu, pinned);
  aten::copy_(out, host);
  return out;
}

bool is_pinned(const tensor& x) noexcept {
  if (!x.defined()) return false;
  const auto& data = author::record_of(x).data;
  return data && data->hook != nullptr && *data->hook == pinned;
}

}  // namespace topbit

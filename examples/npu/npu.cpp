// A backend as an external project would provide it: a name, memory and kernels. Linking this file suffices.
//
// Emulates a device whose memory the host cannot access: its addresses have a bit set that no host address has, so an
// access from the wrong device crashes. Its kernels clear the bit and call the CPU kernels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels.h"

import topbit;

namespace tb = topbit;

namespace {

void* allocate(tb::device, std::size_t bytes) {
  if (void* p = std::malloc(bytes)) return npu::flipped(p);
  throw tb::device_error("npu: found no memory for " + std::to_string(bytes) + " bytes");
}
void release(tb::device, void* p) noexcept { std::free(npu::flipped(p)); }
void copy_in(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(npu::flipped(to), from, bytes); }
void copy_out(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, npu::flipped(from), bytes); }

const auto name = tb::name_backend(tb::backend::PrivateUse1, "npu");
[[maybe_unused]] const bool registered = [] {
  tb::set_memory_hook(tb::backend::PrivateUse1, {allocate, release, copy_in, copy_out});
  tb::set_device_hook(tb::backend::PrivateUse1, {});  // one device
  tb::author::register_strided_backend(npu::kernels, tb::key::PrivateUse1);
  return true;
}();

}  // namespace

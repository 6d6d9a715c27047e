// The device: its memory, one kernel, and its name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <topbit/kernel_abi.h>

import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

void* allocate(tb::device d, std::size_t bytes) {
  if (void* p = std::malloc(bytes)) return p;
  throw tb::device_error(to_string(d) + ": found no memory for " + std::to_string(bytes) + " bytes");
}
void release(tb::device, void* p) noexcept { std::free(p); }
void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

// ReLU of float32 in any arrangement of at most two dimensions; everything else is left to the host.
tb_status elementwise(const tb_elementwise* call, const tb_call*) {
  const tb_plan& p = call->plan;
  const tb_operand &out = p.operand[0], &in = p.operand[1];
  if (call->op != TB_RELU || out.dtype != TB_F32 || in.dtype != TB_F32 || p.ndim > 2) return TB_UNSUPPORTED_DTYPE;
  const std::int64_t rows = p.ndim == 2 ? p.sizes[1] : 1;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < p.sizes[0]; ++i) {
      const float x = static_cast<const float*>(in.data)[r * in.strides[1] + i * in.strides[0]];
      static_cast<float*>(out.data)[r * out.strides[1] + i * out.strides[0]] = x < 0 ? 0 : x;
    }
  }
  return TB_OK;
}
std::int32_t runs(std::int32_t entry, std::int32_t code) {
  return entry == TB_ENTRY_ELEMENTWISE && code == TB_RELU ? 1 : 0;
}

const tb_kernels kernels = [] {
  tb_kernels k{};
  k.size = sizeof k;
  k.version = TB_ABI_VERSION;
  k.name = "mychip";
  k.elementwise = &elementwise;
  k.runs = &runs;
  return k;
}();

[[maybe_unused]] const tb::backend mychip =
    tb::author::register_backend("mychip", {.memory = {allocate, release, copy, copy}, .kernels = &kernels});

}  // namespace

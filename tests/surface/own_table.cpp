// What a project writes that has a kernel table of its own and wants topbit's operators on its device.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <topbit/kernel_abi.h>

import topbit;

namespace tb = topbit;

namespace {

tb_status elementwise(const tb_elementwise* call, const tb_call*) {
  const tb_operand& out = call->plan.operand[0];
  if (call->op != TB_FILL || out.dtype != TB_F64 || call->plan.ndim != 1) return TB_UNSUPPORTED_DTYPE;
  for (int64_t i = 0; i < call->plan.sizes[0]; ++i) {
    static_cast<double*>(out.data)[i * out.strides[0]] = call->number[0].f;
  }
  return TB_OK;
}

const tb_kernels table = [] {
  tb_kernels k{};
  k.size = sizeof(tb_kernels);
  k.version = TB_ABI_VERSION;
  k.name = "own";
  k.elementwise = elementwise;
  return k;
}();

void* allocate(tb::device, std::size_t bytes) { return std::malloc(bytes); }
void release(tb::device, void* p) noexcept { std::free(p); }
void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

constexpr tb::device own{tb::backend::PrivateUse1, 0};

}  // namespace

int main() {
  tb::set_memory_hook(own.type, {allocate, release, copy, copy});
  tb::author::register_strided_backend(table, tb::key::PrivateUse1);
  const tb::shape sizes{2, 3};
  const tb::tensor t = tb::full(sizes, 7.0, tb::arg<"dtype"> = tb::dtype::float64, tb::arg<"device"> = own);
  const tb::tensor host = tb::author::make_tensor(sizes, tb::dtype::float64, tb::cpu);
  tb::memory_of(own).copy_out(own, host.data(), t.data(), 6 * sizeof(double));
  const double total = tb::item(tb::sum(host));
  std::printf("%g\n", total);
  return total == 42 ? 0 : 1;
}

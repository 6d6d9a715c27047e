// A backend of your own: a memory hook for its device, and kernels for the operators you need.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

import topbit;
namespace tb = topbit;

// 1. Device memory. Here it is host memory; a real backend would call its runtime.
static void* allocate(tb::device, std::size_t bytes) { return std::malloc(bytes); }
static void release(tb::device, void* p) noexcept { std::free(p); }
static void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
static constexpr tb::memory_hook hook{allocate, release, copy, copy};

static constexpr tb::device npu{tb::backend::PrivateUse1};

// 2. Kernels. The compiler checks each against the operator's schema.
static tb::tensor npu_relu(const tb::tensor& self) {
  tb::tensor out = tb::author::make_tensor(self.sizes(), self.dtype(), self.device());
  const auto* in = static_cast<const float*>(self.data());
  auto* to = static_cast<float*>(out.data());
  for (std::int64_t i = 0; i < self.numel(); ++i) to[i] = in[i] > 0 ? in[i] : 0;
  std::puts("relu on the npu");
  return out;
}
const auto kernels = tb::implement("aten", tb::key::PrivateUse1).impl<&npu_relu>(tb::aten::relu);

int main() {
  tb::set_memory_hook(npu.type, hook);
  const tb::tensor host = tb::from_values<float>({-1, 2, -3}, {3});

  // 3. Nothing else names the backend: the tensor's dispatch key selects the kernel.
  const tb::tensor there = tb::author::make_tensor(host.sizes(), host.dtype(), npu);
  hook.copy_in(npu, there.data(), host.data(), 3 * sizeof(float));
  const tb::tensor result = tb::relu(there);  // prints: relu on the npu
  float values[3];
  hook.copy_out(npu, values, result.data(), sizeof values);
  std::printf("%g %g %g\n", values[0], values[1], values[2]);  // prints: 0 2 0

  // 4. The error for an operator without a kernel says which keys have one.
  try {
    tb::neg(there);
  } catch (const tb::no_kernel& e) {
    const std::string text = e.what();
    std::puts(text.substr(0, text.find(';'))
                  .c_str());  // prints: aten::neg: no kernel for PrivateUse1, which argument 1 'self' brought
  }
}

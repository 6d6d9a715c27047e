// Rules of the tables themselves: what is in them, which one is chosen, what a missing backend says.
#include <cstdlib>

#include "layout.h"
#include "support.h"

using namespace kernel_tests;

namespace {

// What every table has; the other entries may be null.
bool usable(const tb_kernels& table) {
  return table.size == sizeof(tb_kernels) && table.version == TB_ABI_VERSION && table.name != nullptr &&
         table.copy != nullptr && table.arange != nullptr && table.elementwise != nullptr;
}
bool complete(const tb_kernels& table) {
  return usable(table) && table.reduce != nullptr && table.rowwise != nullptr && table.matmul != nullptr &&
         table.convolve != nullptr && table.take != nullptr && table.random != nullptr && table.nonzero != nullptr &&
         table.pool != nullptr && table.update != nullptr && table.attention != nullptr &&
         table.channel_norm != nullptr;
}

}  // namespace

TEST_CASE("tables: the selected CPU table is supported by the processor, and the best by default", "[kernels]") {
  REQUIRE(tb_cpu_kernels() != nullptr);
  CHECK(complete(*tb_cpu_kernels()));
  const tb_kernels* best = nullptr;
  for (const char* isa : {"scalar", "sse2", "avx2", "avx512"}) {
    if (const tb_kernels* table = tb_cpu_kernels_for(isa); table != nullptr) best = table;
  }
  const char* named = std::getenv("TOPBIT_CPU_ISA");
  const bool free_choice = named == nullptr || *named == '\0';
  const tb_kernels* wanted = free_choice ? best : tb_cpu_kernels_for(named);
  CHECK(tb_cpu_kernels() == (wanted != nullptr ? wanted : best));
  const bool slow = free_choice && best == tb_cpu_kernels_for("scalar");
  CHECK((tb_cpu_error() == nullptr) == (wanted != nullptr && !slow));
}

TEMPLATE_TEST_CASE("tables: each of the CPU is complete and carries its own name", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  CHECK(complete(*here.kernels));
  CHECK(std::string(here.kernels->name) == std::string("cpu/") + TestType::isa);
}

TEST_CASE("tables: the scalar build is available on every processor, an unknown name is not", "[kernels]") {
  CHECK(tb_cpu_kernels_for("scalar") != nullptr);
  CHECK(tb_cpu_kernels_for("avx1024") == nullptr);
  CHECK(tb_cpu_kernels_for("") == nullptr);
}

TEST_CASE("tables: the CUDA table exists with and without a device", "[kernels]") {
  REQUIRE(tb_cuda_kernels() != nullptr);
  REQUIRE(tb_cuda_memory() != nullptr);
  CHECK(usable(*tb_cuda_kernels()));
  CHECK(tb_cuda_kernels()->matmul != nullptr);
  const tb_memory& memory = *tb_cuda_memory();
  CHECK((memory.size == sizeof(tb_memory) && memory.version == TB_ABI_VERSION));
  CHECK((memory.allocate != nullptr && memory.release != nullptr && memory.synchronize != nullptr));
  CHECK((memory.copy_in != nullptr && memory.copy_out != nullptr && memory.last_error != nullptr));
}

TEST_CASE("tables: without a CUDA device every call fails and says why", "[kernels]") {
  const tb_memory& memory = *tb_cuda_memory();
  if (memory.device_count() > 0) SKIP("there is a CUDA device");
  void* data = nullptr;
  const tb_status status = memory.allocate(0, 16, &data);
  CHECK((status == TB_NOT_BUILT || status == TB_NO_DEVICE));
  CHECK(data == nullptr);
  CHECK(std::string(memory.last_error()) != "");
  float x = 0;
  tb_elementwise call{};
  tb_plan& plan = call.plan;
  plan.ndim = 1;
  plan.operands = 1;
  plan.sizes[0] = 1;
  plan.operand[0].data = &x;
  plan.operand[0].dtype = TB_F32;
  call.op = TB_FILL;
  call.compute = TB_F32;
  call.number[0] = {1, 1};
  CHECK(tb_cuda_kernels()->elementwise(&call, nullptr) == status);
  CHECK(x == 0);
}

TEST_CASE("memory: a round trip to the device, on CUDA device 0", "[kernels]") {
  const backend here = need<cuda>();
  const std::vector<int> sent = {1, 2, 3, 4, 5};
  std::vector<int> received(5);
  void* device = nullptr;
  REQUIRE(here.memory->allocate(0, 20, &device) == TB_OK);
  CHECK(here.memory->copy_in(0, device, sent.data(), 20) == TB_OK);
  CHECK(here.memory->copy_out(0, received.data(), device, 20) == TB_OK);
  CHECK(received == sent);
  CHECK(here.memory->release(0, device) == TB_OK);
  CHECK(here.memory->allocate(0, UINT64_C(1) << 60, &device) == TB_OUT_OF_MEMORY);
}

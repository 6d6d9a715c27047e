// Sums of float16 and bfloat16 elements, which are converted in registers where they are dense.
#include "half.h"
#include "plans.h"

using namespace kernel_tests;

TEMPLATE_TEST_CASE("reduce: float16 and bfloat16 are added in float32", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  const auto error = [&](std::int32_t dtype, std::int64_t n) {
    const shape of = {"", {n}, {{0}, {1}}};
    stage memory(here);
    const auto sum = make_operand<float>(memory, of, 0);
    const auto in = make_operand<std::uint16_t>(memory, of, 1);
    float want = 0;  // a sum of multiples of 1/16 is exact
    for (std::int64_t i = 0; i < n; ++i) {
      const float v = float(i * 37 % 63 - 20) / 16;
      in.memory[i] = dtype == TB_F16 ? tb_kernel::to_half(v).bits : tb_kernel::to_bfloat16(v).bits;
      want += v;
    }
    tb_reduction call{.plan = make_plan(of, sum, in), .op = TB_SUM, .compute = TB_F32, .number = {}};
    call.plan.reduced = 1;
    call.plan.operand[1].dtype = dtype;
    CHECK(memory.run([&](const tb_kernels& k) { return k.reduce(&call, nullptr); }) == TB_OK);
    return sum.memory[0] - want;
  };
  for (const std::int64_t n : {1, 15, 1000, 4099, 270'001}) {
    CHECK(error(TB_F16, n) == 0);
    CHECK(error(TB_BF16, n) == 0);
  }
}

// Quotients and remainders of 64-bit integers: exact, next to multiples of the divisor and where doubles cease to hold
// every integer.
#include <limits>

#include "support.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

using integers = std::vector<std::int64_t>;

struct pairs {
  integers a, b;
  void add(__int128 dividend, std::int64_t divisor) {
    if (divisor == 0 || dividend != static_cast<std::int64_t>(dividend)) return;
    a.push_back(static_cast<std::int64_t>(dividend));
    b.push_back(divisor);
  }
};

// Neighbours of multiples of the divisor, both of every size; large and small ones share registers.
pairs arguments() {
  random_numbers random(1);
  const auto any_of_size = [&] {
    const auto size = static_cast<std::int64_t>(random.bits() >> 1 >> random.bits() % 63);
    return random.bits() % 2 == 0 ? size : -size;
  };
  pairs all;
  for (int i = 0; i < scaled(20000, 2000); ++i) {
    const std::int64_t divisor = any_of_size(), quotient = any_of_size();
    const __int128 product = __int128(divisor) * quotient;
    for (const int apart : {-1, 0, 1}) all.add(product + apart, divisor);
  }
  for (const int bits : {50, 51, 52, 53}) {
    const std::int64_t end = std::int64_t(1) << bits;
    for (const std::int64_t dividend : {end - 2, end - 1, end, end + 1, -end - 1, -end, -end + 1}) {
      for (const std::int64_t divisor : {std::int64_t(1), std::int64_t(-1), std::int64_t(3), end - 1, end, -end}) {
        // A register of such pairs alone.
        for (int lane = 0; lane < 8; ++lane) all.add(dividend, divisor);
      }
    }
  }
  constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t dividend : {low, low + 1, high, std::int64_t(0)}) {
    for (const std::int64_t divisor : {std::int64_t(-1), std::int64_t(1), std::int64_t(2), low, high}) {
      all.add(dividend, divisor);
    }
  }
  return all;
}

integers computed(const tb_kernels& kernels, tb_elementwise_op op, const pairs& in) {
  integers out(in.a.size());
  tb_elementwise call{};
  call.plan.ndim = 1;
  call.plan.operands = 3;
  call.plan.sizes[0] = std::int64_t(out.size());
  call.plan.operand[0].data = out.data();
  call.plan.operand[1].data = const_cast<std::int64_t*>(in.a.data());
  call.plan.operand[2].data = const_cast<std::int64_t*>(in.b.data());
  for (int i = 0; i < 3; ++i) {
    call.plan.operand[i].strides[0] = 1;
    call.plan.operand[i].dtype = TB_I64;
  }
  call.op = op;
  call.compute = TB_I64;
  REQUIRE(kernels.elementwise(&call, nullptr) == TB_OK);
  return out;
}

void check(const tb_kernels& kernels, tb_elementwise_op op, __int128 (*model)(__int128, __int128)) {
  const pairs in = arguments();
  const integers out = computed(kernels, op, in);
  for (std::size_t i = 0; i < out.size(); ++i) {
    // The quotient of the lowest integer and -1 wraps.
    const auto wanted = static_cast<std::int64_t>(model(in.a[i], in.b[i]));
    INFO("operation " << op << " of " << in.a[i] << " and " << in.b[i] << ": got " << out[i] << ", wanted " << wanted);
    if (out[i] != wanted) FAIL();
  }
}

__int128 floored(__int128 a, __int128 b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

TEMPLATE_TEST_CASE("whole division: quotients and remainders of integers are exact", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  check(*here.kernels, TB_DIV_TRUNC, [](__int128 a, __int128 b) { return a / b; });
  check(*here.kernels, TB_DIV_FLOOR, floored);
  check(*here.kernels, TB_FMOD, [](__int128 a, __int128 b) { return a % b; });
  check(*here.kernels, TB_REMAINDER, [](__int128 a, __int128 b) { return a - floored(a, b) * b; });
}

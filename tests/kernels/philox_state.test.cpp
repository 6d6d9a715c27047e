// Calls that find seed and place of their numbers in memory: the same bits as those that are told them.
#include "philox.h"
#include "random_functions.h"
#include "support.h"

using namespace kernel_tests;

namespace {

constexpr std::uint64_t seed = 0x123456789abcdef0;

struct drawn {
  tb_status status;
  std::vector<unsigned char> bytes;
  bool operator==(const drawn&) const = default;
};

// Numbers from place + offset on, which the kernel reads from memory with `found`, and the seed with them.
template <typename T>
drawn draw(backend here, std::int32_t op, std::int64_t count, std::uint64_t place, std::uint64_t offset, bool found,
           std::uint64_t subsequence = 0) {
  stage memory(here);
  const auto out = memory.make<T>(count);
  const auto of = memory.make<double>(count);
  const auto there = memory.make<std::int64_t>(2);
  std::fill(out.begin(), out.end(), T(0));
  for (std::int64_t i = 0; i < count; ++i) of[i] = double(i % 5) / 5 + 0.1;
  there[0] = static_cast<std::int64_t>(seed);
  there[1] = static_cast<std::int64_t>(place);
  tb_random call{};
  call.op = op;
  call.plan.ndim = 1;
  call.plan.operands = 2;
  call.plan.sizes[0] = count;
  call.plan.operand[0] = {.data = out.seen_by_kernel(), .strides = {1}, .dtype = dtype_of<T>, .on_host = 0};
  call.plan.operand[1] = {.data = of.seen_by_kernel(), .strides = {1}, .dtype = TB_F64, .on_host = 0};
  call.number[0] = {0.25, op == TB_RANDOM_MULTINOMIAL ? count : 1};
  call.number[1] = {0.75, op == TB_RANDOM_MULTINOMIAL ? 0 : 100};
  call.subsequence = subsequence;
  call.seed = found ? 7 : seed;
  call.first = found ? offset : place + offset;
  if (found) call.philox_state = reinterpret_cast<std::uint64_t*>(there.seen_by_kernel());
  const tb_status status = memory.run([&](const tb_kernels& k) { return k.random(&call, nullptr); });
  const auto* const first = reinterpret_cast<const unsigned char*>(out.begin());
  return {status, {first, first + static_cast<std::size_t>(count) * sizeof(T)}};
}

template <typename T>
void compare(backend here, std::int32_t op) {
  for (const std::int64_t count : {1, 2, 3, 600, 1001}) {
    for (const std::uint64_t place : {0xfffffffff0, 0xfffffffff1}) {
      for (const std::uint64_t offset : {0, 3}) {
        const drawn told = draw<T>(here, op, count, place, offset, false);
        CHECK(told.status == TB_OK);
        CHECK(draw<T>(here, op, count, place, offset, true) == told);
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("philox state: seed and offset in memory give the same numbers as immediate ones", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  for (const std::int32_t op : {TB_RANDOM_UNIFORM, TB_RANDOM_NORMAL, TB_RANDOM_EXPONENTIAL, TB_RANDOM_BERNOULLI,
                                TB_RANDOM_BERNOULLI_OF, TB_RANDOM_INTEGER}) {
    INFO(op);
    compare<float>(here, op);
    compare<double>(here, op);
  }
  compare<std::int64_t>(here, TB_RANDOM_PERMUTATION);
  compare<std::int64_t>(here, TB_RANDOM_MULTINOMIAL);
}

TEMPLATE_TEST_CASE("philox state: a subsequence is words 2 and 3 of the counter, in every table", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  constexpr std::uint64_t subsequence = 0x9e3779b97f4a7c15, first = 0xfffffffff1;
  for (const bool found : {false, true}) {
    const drawn got = draw<double>(here, TB_RANDOM_UNIFORM, 100, first, 0, found, subsequence);
    REQUIRE(got.status == TB_OK);
    std::vector<double> values(100);
    std::memcpy(values.data(), got.bytes.data(), got.bytes.size());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      const std::uint64_t pair = (first + i) / 2;
      const tb_kernel::philox_block block =
          tb_kernel::philox({{std::uint32_t(pair), std::uint32_t(pair >> 32), std::uint32_t(subsequence),
                              std::uint32_t(subsequence >> 32)}},
                            std::uint32_t(seed), std::uint32_t(seed >> 32));
      const std::size_t low = (first + i) % 2 == 0 ? 0 : 2;
      const std::uint64_t number = block.word[low] | std::uint64_t(block.word[low + 1]) << 32;
      CHECK(values[i] == 0.25 + tb_kernel::unit(number, 53) * 0.5);
    }
  }
}

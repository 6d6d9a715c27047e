// Rules of permutations and of draws by weight: the same to the bit in every table, and refused for bad weights.
#include "philox.h"
#include "random_functions.h"
#include "support.h"

using namespace kernel_tests;

namespace {

constexpr std::uint64_t seed = 0x123456789abcdef0, begin = 0xfffffffff1;

tb_random call_of(std::int32_t op, std::vector<std::int64_t> sizes) {
  tb_random call{};
  call.op = op;
  call.seed = seed;
  call.first = begin;
  call.plan.ndim = static_cast<std::int32_t>(sizes.size());
  call.plan.operands = 1;
  std::copy(sizes.begin(), sizes.end(), call.plan.sizes);
  return call;
}

template <typename T>
void set_operand(tb_random& call, int which, const array<T>& of, std::vector<std::int64_t> strides) {
  tb_operand& operand = call.plan.operand[which];
  operand.data = of.seen_by_kernel();
  operand.dtype = dtype_of<T>;
  std::copy(strides.begin(), strides.end(), operand.strides);
  call.plan.operands = std::max(call.plan.operands, which + 1);
}

template <typename T>
struct drawing {
  std::int64_t rows, length, samples;
  bool again;
  std::function<T(std::int64_t)> weight;

  tb_random call(std::int32_t op, const array<std::int64_t>& out, const array<T>& weights) const {
    tb_random c = call_of(op, {samples, rows});
    set_operand(c, 0, out, {rows, 1});  // rows of the result stand side by side
    set_operand(c, 1, weights, {1, length});
    c.number[0].i = length;
    c.number[1].i = again ? 1 : 0;
    return c;
  }
  std::vector<std::int64_t> draw(backend here, std::int32_t op, tb_status& status) const {
    stage memory(here);
    const auto out = memory.make<std::int64_t>(rows * samples);
    const auto weights = memory.make<T>(rows * length);
    for (std::int64_t i = 0; i < rows * length; ++i) weights[i] = weight(i);
    std::fill(out.begin(), out.end(), -1);
    const tb_random c = call(op, out, weights);
    status = memory.run([&](const tb_kernels& k) { return k.random(&c, nullptr); });
    return {out.begin(), out.end()};
  }
  std::vector<std::int64_t> drawn(backend here) const {
    tb_status status = TB_DEVICE_ERROR;
    const std::vector<std::int64_t> out = draw(here, TB_RANDOM_MULTINOMIAL, status);
    CHECK(status == TB_OK);
    return out;
  }
  tb_status checked(backend here) const {
    tb_status status = TB_DEVICE_ERROR;
    draw(here, TB_RANDOM_CHECK_WEIGHTS, status);
    return status;
  }
};

}  // namespace

TEMPLATE_TEST_CASE("permutation: each element in turn is swapped with one not before it", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  for (const std::int64_t count : {1, 2, 3, 10, 255, 1000, 70000}) {
    for (const std::int64_t step : {1, 3}) {
      stage memory(here);
      const auto out = memory.make<std::int64_t>((count - 1) * step + 1);
      tb_random call = call_of(TB_RANDOM_PERMUTATION, {count});
      set_operand(call, 0, out, {step});
      REQUIRE(memory.run([&](const tb_kernels& k) { return k.random(&call, nullptr); }) == TB_OK);
      std::vector<std::int64_t> want(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < want.size(); ++i) want[i] = std::int64_t(i);
      for (std::uint64_t i = 0; i < want.size(); ++i) {
        const std::uint64_t n = tb_kernel::numbers_of(seed, 0, (begin + i) / 2).number[(begin + i) % 2];
        std::swap(want[i], want[i + tb_kernel::integer_below(n, want.size() - i)]);
      }
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < count; ++i) wrong += out[i * step] != want[std::size_t(i)];
      CHECK(wrong == 0);
    }
  }
}

TEMPLATE_TEST_CASE("multinomial: every table draws the same", "[kernels]", sse2, avx2, avx512, cuda) {
  const backend here = need<TestType>(&tb_kernels::random), other = need<scalar>();
  const auto uneven = [](std::int64_t i) { return float(i * 37 % 11) / 3; };
  const auto rare = [](std::int64_t i) { return i % 50 == 7 ? 1e-12 * double(i + 1) : 0.0; };
  for (const auto& [rows, length, samples] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {3, 5, 3}, {2, 100, 40}, {1, 5000, 300}, {70, 33, 20}}) {
    for (const bool again : {false, true}) {
      const drawing<float> one{rows, length, samples, again, uneven};
      CHECK(one.drawn(here) == one.drawn(other));
      const drawing<double> few{rows, length, std::max<std::int64_t>(samples / 50, 1), again, rare};
      CHECK(few.drawn(here) == few.drawn(other));
    }
  }
}

TEMPLATE_TEST_CASE("multinomial: without replacement nothing is drawn twice, nor an element of weight 0", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  const drawing<double> all{4, 300, 150, false, [](std::int64_t i) { return i % 2 == 0 ? 1.0 + double(i % 7) : 0.0; }};
  const std::vector<std::int64_t> out = all.drawn(here);
  for (std::int64_t r = 0; r < 4; ++r) {
    std::vector<int> times(300, 0);
    for (std::int64_t i = 0; i < 150; ++i) ++times.at(std::size_t(out[std::size_t(i * 4 + r)]));
    for (std::size_t i = 0; i < 300; ++i) CHECK(times[i] == (i % 2 == 0 ? 1 : 0));
  }
}

TEMPLATE_TEST_CASE("multinomial: weights are finite, not negative, and enough of them above 0", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  const auto status = [&](bool again, std::function<double(std::int64_t)> weight) {
    return drawing<double>{3, 400, 5, again, std::move(weight)}.checked(here);
  };
  const auto but = [](std::int64_t place, double w) { return [=](std::int64_t i) { return i == place ? w : 1.0; }; };
  CHECK(status(false, but(0, 0)) == TB_OK);
  for (const std::int64_t place : {0, 399, 400, 1199}) {
    CHECK(status(true, but(place, -1)) == TB_BAD_VALUE);
    CHECK(status(true, but(place, NAN)) == TB_BAD_VALUE);
    CHECK(status(true, but(place, INFINITY)) == TB_BAD_VALUE);
  }
  const auto some = [](std::int64_t count) { return [=](std::int64_t i) { return i % 400 < count ? 1.0 : 0.0; }; };
  CHECK(status(false, some(5)) == TB_OK);
  CHECK(status(false, some(4)) == TB_BAD_VALUE);
  CHECK(status(true, some(1)) == TB_OK);
  CHECK(status(true, some(0)) == TB_BAD_VALUE);
}

TEMPLATE_TEST_CASE("bernoulli: probabilities lie within 0 and 1", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::random);
  for (const double p : {0.0, 1.0, -0.1, 1.1, double(NAN)}) {
    stage memory(here);
    const auto out = memory.make<float>(1000);
    const auto of = memory.make<float>(1000);
    std::fill(of.begin(), of.end(), 0.5f);
    of[777] = float(p);
    tb_random call = call_of(TB_RANDOM_CHECK_PROBABILITIES, {50, 20});
    set_operand(call, 0, out, {1, 50});
    set_operand(call, 1, of, {20, 1});
    const tb_status status = memory.run([&](const tb_kernels& k) { return k.random(&call, nullptr); });
    CHECK(status == (p >= 0 && p <= 1 ? TB_OK : TB_BAD_VALUE));
  }
}

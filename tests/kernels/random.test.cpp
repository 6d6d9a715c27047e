// Rules of random numbers: the published answers of Philox, and the same bits from every table.
#include "philox.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "half.h"
#include "random_functions.h"
#include "support.h"

using namespace kernel_tests;

namespace {

constexpr std::int64_t count = 1500;  // more than a block, not a multiple of one

// A call over [3, 500] of this type, transposed in memory, from an odd place of the stream.
struct over_matrix {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(count * 8, 0xA5);
  tb_random call{};
  over_matrix(std::int32_t op, std::int32_t dtype, tb_scalar n0, tb_scalar n1 = {}) {
    call.plan.ndim = 2;
    call.plan.operands = 1;
    call.plan.sizes[0] = 500;
    call.plan.sizes[1] = 3;
    call.plan.operand[0].data = bytes.data();
    call.plan.operand[0].dtype = dtype;
    call.plan.operand[0].strides[0] = 3;
    call.plan.operand[0].strides[1] = 1;
    call.seed = 0x123456789abcdef0;
    call.first = 0xfffffffff1;  // pairs cross the lower word of the counter
    call.op = op;
    call.number[0] = n0;
    call.number[1] = n1;
  }
};

std::uint64_t number_of(const tb_random& call, std::uint64_t i) {
  return tb_kernel::numbers_of(call.seed, 0, (call.first + i) / 2).number[(call.first + i) % 2];
}

template <typename T>
T element(const std::vector<unsigned char>& bytes, std::int64_t row, std::int64_t column) {
  T x;
  std::memcpy(&x, bytes.data() + static_cast<std::size_t>(column * 3 + row) * sizeof x, sizeof x);
  return x;
}

}  // namespace

TEST_CASE("philox: the published test vectors", "[kernels]") {
  const auto words = [](tb_kernel::philox_block b) { return std::vector<std::uint32_t>(b.word, b.word + 4); };
  using list = std::vector<std::uint32_t>;
  CHECK(words(tb_kernel::philox({{0, 0, 0, 0}}, 0, 0)) == list{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(words(tb_kernel::philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u)) ==
        list{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(words(tb_kernel::philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0)) ==
        list{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  // Two numbers to a block, low word first; the counter is the pair's index, the key the seed.
  CHECK(tb_kernel::numbers_of(0, 0, 0).number[0] == 0xe169c58d6627e8d5);
  CHECK(tb_kernel::numbers_of(0, 0, 0).number[1] == 0x9b00dbd8bc57ac4c);
}

TEST_CASE("random functions: logarithm and quantile are accurate to a few ulp", "[kernels]") {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // Ends, then anything.
    const std::uint64_t n = i < 64 ? i << 12 : i < 128 ? ~(i << 12) : tb_kernel::numbers_of(3, 0, i).number[0];
    const double p = tb_kernel::open_unit(n), log = tb_kernel::logarithm(p);
    REQUIRE((p > 0 && p < 1));
    REQUIRE(std::abs(log - std::log(p)) <= 1e-15 * std::abs(log));
    const double x = tb_kernel::normal_quantile(p);
    // The distribution function gives the probability back, and its slope says how exactly it can.
    REQUIRE(std::abs(std::erfc(-x / std::sqrt(2.0)) / 2 - p) <= 4e-15 * p * (1 + x * x));
    REQUIRE(tb_kernel::normal_quantile(1 - p) == -x);
  }
  CHECK(tb_kernel::normal_quantile(0.5) == 0);
}

TEMPLATE_TEST_CASE("random: element i in row-major order is computed from number first + i, whatever the strides",
                   "[kernels]", scalar, sse2, avx2, avx512) {
  const tb_kernels& table = *need<TestType>().kernels;
  over_matrix uniform(TB_RANDOM_UNIFORM, TB_F64, {-1, -1}, {3, 3}), normal(TB_RANDOM_NORMAL, TB_F64, {2, 2}, {0.5, 0});
  over_matrix exponential(TB_RANDOM_EXPONENTIAL, TB_F64, {4, 4}), integer(TB_RANDOM_INTEGER, TB_I64, {0, -7}, {0, 9});
  over_matrix all(TB_RANDOM_INTEGER, TB_I64, {0, INT64_MIN}, {0, INT64_MAX}),
      coin(TB_RANDOM_BERNOULLI, TB_BOOL, {0.25, 0});
  for (over_matrix* m : {&uniform, &normal, &exponential, &integer, &all, &coin}) {
    REQUIRE(table.random(&m->call, nullptr) == TB_OK);
  }
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t column = 0; column < 500; ++column) {
      const std::uint64_t n = number_of(uniform.call, static_cast<std::uint64_t>(row * 500 + column));
      const double u = static_cast<double>(n >> 11) / 0x1p53;
      REQUIRE(element<double>(uniform.bytes, row, column) == -1 + 4 * u);
      REQUIRE(element<double>(normal.bytes, row, column) == 2 + 0.5 * tb_kernel::standard_normal(n));
      REQUIRE(element<double>(exponential.bytes, row, column) == tb_kernel::standard_exponential(n) / 4);
      const auto below_17 = static_cast<std::int64_t>((static_cast<unsigned __int128>(n) * 17) >> 64);
      REQUIRE(element<std::int64_t>(integer.bytes, row, column) == -7 + below_17);
      REQUIRE(element<std::int64_t>(all.bytes, row, column) == static_cast<std::int64_t>(n ^ 0x8000000000000000));
      REQUIRE(element<byte>(coin.bytes, row, column) == (u < 0.25 ? 1 : 0));
    }
  }
}

TEMPLATE_TEST_CASE("random: normal numbers of every part of the distribution are those of its quantile", "[kernels]",
                   scalar, sse2, avx2, avx512) {
  const tb_kernels& table = *need<TestType>().kernels;
  // A number beyond the point where the outermost approximation begins, which one in 4e10 is.
  constexpr std::uint64_t farthest = 88815341327;
  over_matrix m(TB_RANDOM_NORMAL, TB_F64, {0, 0}, {1, 1});
  m.call.seed = 1;
  m.call.first = farthest - 700;
  REQUIRE(table.random(&m.call, nullptr) == TB_OK);
  double most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = element<double>(m.bytes, i / 500, i % 500);
    REQUIRE(x == tb_kernel::standard_normal(number_of(m.call, static_cast<std::uint64_t>(i))));
    most = std::max(most, x);
  }
  CHECK(most > 6.6);
}

TEMPLATE_TEST_CASE("random: every table gives bitwise the same for every dtype", "[kernels]", sse2, avx2, avx512) {
  const tb_kernels& table = *need<TestType>().kernels;
  const tb_kernels& other = *need<scalar>().kernels;
  for (std::int32_t op :
       {TB_RANDOM_UNIFORM, TB_RANDOM_NORMAL, TB_RANDOM_EXPONENTIAL, TB_RANDOM_INTEGER, TB_RANDOM_BERNOULLI}) {
    for (std::int32_t dtype = 0; dtype < TB_DTYPE_COUNT; ++dtype) {
      over_matrix a(op, dtype, {0.3, 1}, {0.7, 100}), b(op, dtype, {0.3, 1}, {0.7, 100});
      REQUIRE(table.random(&a.call, nullptr) == TB_OK);
      REQUIRE(other.random(&b.call, nullptr) == TB_OK);
      CHECK(a.bytes == b.bytes);
    }
  }
}

TEMPLATE_TEST_CASE("random: any number of threads gives bitwise the same, and finds the one invalid probability",
                   "[kernels]", scalar, sse2, avx2, avx512) {
  const tb_kernels& table = *need<TestType>().kernels;
  constexpr std::int64_t rows = 5, columns = 30011;
  std::vector<double> probability(rows * columns, 0.5);
  std::vector<float> result(rows * columns);
  for (const bool transposed : {false, true}) {
    tb_random call{};
    call.plan.ndim = 3;
    call.plan.operands = 2;
    const std::int64_t sizes[] = {columns, rows, 1};
    std::copy_n(sizes, 3, call.plan.sizes);
    for (tb_operand* operand : {&call.plan.operand[0], &call.plan.operand[1]}) {
      operand->strides[0] = transposed ? rows : 1;
      operand->strides[1] = transposed ? 1 : columns;
    }
    call.plan.operand[0].data = result.data();
    call.plan.operand[0].dtype = TB_F32;
    call.plan.operand[1].data = probability.data();
    call.plan.operand[1].dtype = TB_F64;
    call.seed = 7;
    call.first = 3;
    call.number[1].f = 1;
    for (std::int32_t op : {TB_RANDOM_UNIFORM, TB_RANDOM_NORMAL, TB_RANDOM_BERNOULLI_OF}) {
      call.op = op;
      std::vector<float> alone;
      for (std::int32_t threads : {1, 2, 3, 5}) {
        const with_threads now(threads);
        std::ranges::fill(result, -1.0F);
        REQUIRE(table.random(&call, nullptr) == TB_OK);
        if (alone.empty()) alone = result;
        REQUIRE(std::memcmp(result.data(), alone.data(), result.size() * sizeof(float)) == 0);
      }
    }
    call.op = TB_RANDOM_CHECK_PROBABILITIES;
    for (std::int32_t threads : {1, 2, 3, 5}) {
      const with_threads now(threads);
      CHECK(table.random(&call, nullptr) == TB_OK);
      for (const std::size_t i : {std::size_t{0}, probability.size() / 2, probability.size() - 1}) {
        probability[i] = 1.5;
        CHECK(table.random(&call, nullptr) == TB_BAD_VALUE);
        probability[i] = 0.5;
      }
    }
  }
}

TEMPLATE_TEST_CASE("random: uniform numbers never reach the upper bound, nor leave the dtype's own grid", "[kernels]",
                   scalar, sse2, avx2, avx512) {
  const tb_kernels& table = *need<TestType>().kernels;
  over_matrix narrow(TB_RANDOM_UNIFORM, TB_F32, {1, 1}, {1 + 0x1p-22, 1});  // rounds to 1 + 2^-22 every eighth time
  over_matrix unit(TB_RANDOM_UNIFORM, TB_BF16, {0, 0}, {1, 1}), point(TB_RANDOM_UNIFORM, TB_F64, {5, 5}, {5, 5});
  for (over_matrix* m : {&narrow, &unit, &point}) REQUIRE(table.random(&m->call, nullptr) == TB_OK);
  std::set<float> seen;
  for (std::int64_t i = 0; i < 500; ++i) {
    seen.insert(element<float>(narrow.bytes, 0, i));
    REQUIRE(element<double>(point.bytes, 0, i) == 5);
    const float x = tb_kernel::to_float(element<tb_kernel::bfloat16>(unit.bytes, 1, i));
    const std::uint64_t n = number_of(unit.call, static_cast<std::uint64_t>(500 + i));
    REQUIRE(x == static_cast<float>(n >> 56) / 256);
  }
  CHECK(seen == std::set<float>{1, 1 + 0x1p-23f});
}

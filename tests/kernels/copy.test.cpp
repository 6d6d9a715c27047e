// Rules of copy: every pair of dtypes, over every kind of stride.
#include "plans.h"

using namespace kernel_tests;

namespace {

template <typename To, typename From>
expected<To> converted(From x) {
  if constexpr (std::is_same_v<To, byte>) {
    return {byte(x != 0)};
  } else if constexpr (std::is_same_v<To, std::int64_t> && std::is_floating_point_v<From>) {
    const long double wide = x;
    return {wide >= -0x1p63L && wide < 0x1p63L ? static_cast<std::int64_t>(wide) : INT64_MIN};
  } else if constexpr (std::is_same_v<To, std::int64_t>) {
    return {static_cast<std::int64_t>(x)};
  } else {
    return {static_cast<long double>(To(x))};
  }
}

template <typename To, typename From>
std::string try_copy_of(backend here, const shape& of) {
  return try_unary<To, From>(
      here, of, [](const tb_kernels& k, const tb_plan* plan) { return k.copy(plan, nullptr); }, converted<To, From>);
}
template <typename To, typename From>
std::string try_copy(backend here) {
  return over_shapes([&](const shape& of) { return try_copy_of<To, From>(here, of); });
}

// Without conversion, of elements of 1, 4 and 8 bytes.
void require_copies(backend here, const shape& of) {
  REQUIRE(try_copy_of<byte, byte>(here, of) == "");
  REQUIRE(try_copy_of<float, float>(here, of) == "");
  REQUIRE(try_copy_of<double, double>(here, of) == "");
}

template <typename To, typename From>
std::string try_copy_of(backend here, const std::vector<From>& values) {
  const shape dense = {"dense", {static_cast<std::int64_t>(values.size())}, {{1}, {1}}};
  stage memory(here);
  const auto in = make_operand<From>(memory, dense, 1);
  const auto out = make_operand<To>(memory, dense, 0);
  std::copy(values.begin(), values.end(), in.memory.begin());
  const tb_plan plan = make_plan(dense, out, in);
  CHECK(memory.run([&](const tb_kernels& k) { return k.copy(&plan, nullptr); }) == TB_OK);
  differences<To> found;
  for (std::int64_t i = 0; i < out.memory.size(); ++i) {
    found.add(i, out.memory[i], converted<To, From>(values[std::size_t(i)]));
  }
  return found.text();
}

}  // namespace

TEMPLATE_TEST_CASE("copy: any dtype into BOOL is 'not zero', and NaN is not zero", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_copy<byte, byte>(here) == "");
  CHECK(try_copy<byte, std::int64_t>(here) == "");
  CHECK(try_copy<byte, float>(here) == "");
  CHECK(try_copy<byte, double>(here) == "");
}

TEMPLATE_TEST_CASE("copy: any dtype into I64 drops the fraction", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_copy<std::int64_t, byte>(here) == "");
  CHECK(try_copy<std::int64_t, std::int64_t>(here) == "");
  CHECK(try_copy<std::int64_t, float>(here) == "");
  CHECK(try_copy<std::int64_t, double>(here) == "");
}

TEMPLATE_TEST_CASE("copy: any dtype into F32 is rounded to nearest", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_copy<float, byte>(here) == "");
  CHECK(try_copy<float, std::int64_t>(here) == "");
  CHECK(try_copy<float, float>(here) == "");
  CHECK(try_copy<float, double>(here) == "");
}

TEMPLATE_TEST_CASE("copy: any dtype into F64 keeps its value, integers rounded to nearest", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_copy<double, byte>(here) == "");
  CHECK(try_copy<double, std::int64_t>(here) == "");
  CHECK(try_copy<double, float>(here) == "");
  CHECK(try_copy<double, double>(here) == "");
}

TEMPLATE_TEST_CASE("copy: values out of range of I64 become the lowest I64, in every lane", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const std::vector<double> values = {0x1p63, -0x1p63, 1e300,   -1e300, INFINITY, -INFINITY,
                                      NAN,    1e18,    -0x1p64, 0.99,   -0.99,    0x1.fffffffffffffp62,
                                      -0.0,   2.5,     -2.5};
  std::vector<float> singles(values.begin(), values.end());
  CHECK(try_copy_of<std::int64_t>(here, values) == "");
  CHECK(try_copy_of<std::int64_t>(here, singles) == "");
}

TEMPLATE_TEST_CASE("copy: an F64 beyond F32 becomes infinite, one too small becomes zero", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_copy_of<float>(here, std::vector<double>{1e39, -1e39, 1e-60, -1e-60, 1e-40, 3.4028235e38, NAN}) == "");
}

TEMPLATE_TEST_CASE("copy: an operand onto itself changes nothing", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  stage memory(here);
  const shape dense = {"dense", {65}, {{1}, {1}}};
  const auto values = make_operand<double>(memory, dense, 0);
  fill_with_samples(values.memory, 4);
  const std::vector<double> before(values.memory.begin(), values.memory.end());
  const tb_plan plan = make_plan(dense, values, values);
  CHECK(memory.run([&](const tb_kernels& k) { return k.copy(&plan, nullptr); }) == TB_OK);
  CHECK(std::memcmp(before.data(), values.memory.begin(), before.size() * sizeof(double)) == 0);
}

TEMPLATE_TEST_CASE("copy: rows that are reversed, or repeat one element, of every length", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (std::int64_t length = 1; length <= 140; ++length) {
    for (const std::int64_t step : {-1, 0, -2}) {
      for (const std::int64_t out_step : {1, -1, 2}) {
        const shape of = {"a row", {length, 3}, {{out_step, 300}, {step, 300}}};
        INFO(length << " elements, step " << step << " to " << out_step);
        require_copies(here, of);
      }
    }
  }
}

TEMPLATE_TEST_CASE("copy: dense rows of every length, at any alignment", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 1; length <= 270; ++length) lengths.push_back(length);
  for (const std::int64_t length : {511, 512, 513, 575, 640, 767, 769, 1023, 1025, 4099}) lengths.push_back(length);
  for (const std::int64_t length : lengths) {
    // The rows of the result begin 1 byte later each time, those of the source 3 bytes.
    const shape of = {"rows", {length, 67}, {{1, length + 1}, {1, length + 3}}};
    INFO(length << " bytes");
    REQUIRE(try_copy_of<byte, byte>(here, of) == "");
  }
}

TEMPLATE_TEST_CASE("copy: rows of a few elements beside many, whichever are dense", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const std::int64_t few : {1, 2, 3, 7, 8}) {
    for (const std::int64_t many : {2, 5, 9, 64, 65}) {
      const std::vector<shape> all = {
          {"result dense", {few, many, 3}, {{1, few, few * many}, {many + 1, 1, few * many + many + few}}},
          {"source dense", {few, many, 3}, {{many + 1, 1, few * many + many + few}, {1, few, few * many}}},
          {"both apart", {few, many, 3}, {{2, 2 * few, 2 * few * many}, {-3, 3 * few, 3 * few * many}}},
          {"one repeated", {few, many, 3}, {{1, few, few * many}, {0, 1, 0}}},
          {"a matrix", {few, many}, {{1, few}, {many, 1}}}};
      for (const shape& of : all) {
        INFO(of.name << ", " << few << " beside " << many);
        require_copies(here, of);
      }
    }
  }
}

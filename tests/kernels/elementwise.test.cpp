// Rules of arange, and of elementwise operations that every table has, over every kind of stride.
#include <numeric>

#include "half.h"
#include "oracle/functions.h"
#include "plans.h"

using namespace kernel_tests;

namespace {

constexpr tb_scalar one = {1, 1};

tb_status run_op(const tb_kernels& k, tb_elementwise_op op, std::int32_t compute, const tb_plan* plan,
                 tb_scalar number = {0, 0}) {
  tb_elementwise call{};
  call.plan = *plan;
  call.op = op;
  call.compute = compute;
  call.number[0] = number;
  return k.elementwise(&call, nullptr);
}

std::int64_t wrap(unsigned __int128 x) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(x)); }

template <typename T>
expected<T> add_model(T a, T b, double alpha) {
  if constexpr (std::is_same_v<T, byte>) {
    return {byte(a != 0 || b != 0)};
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto product = static_cast<__int128>(static_cast<std::int64_t>(alpha)) * b;
    return {wrap(static_cast<unsigned __int128>(a + product))};
  } else {
    const long double product = static_cast<long double>(T(alpha)) * b;
    return {a + product, ulps<T>(2, std::fabs(product) + std::fabs(static_cast<long double>(a)))};
  }
}

template <typename T>
std::string try_add(backend here, tb_elementwise_op op, double alpha) {
  const tb_scalar factor = {alpha, static_cast<std::int64_t>(alpha)};
  const double sign = op == TB_SUB ? -alpha : alpha;
  return over_shapes([&](const shape& of) {
    return try_binary<T, T>(
        here, of, [&](const tb_kernels& k, const tb_plan* plan) { return run_op(k, op, dtype_of<T>, plan, factor); },
        [&](T a, T b) { return add_model<T>(a, b, sign); });
  });
}

template <typename T>
std::string try_op(backend here, tb_elementwise_op op, const std::function<expected<T>(T, T)>& model) {
  return over_shapes([&](const shape& of) {
    return try_binary<T, T>(
        here, of, [&](const tb_kernels& k, const tb_plan* plan) { return run_op(k, op, dtype_of<T>, plan); }, model);
  });
}

template <typename T>
std::string try_unary_op(backend here, tb_elementwise_op op, const std::function<expected<T>(T)>& model) {
  return over_shapes([&](const shape& of) {
    return try_unary<T, T>(
        here, of, [&](const tb_kernels& k, const tb_plan* plan) { return run_op(k, op, dtype_of<T>, plan); }, model);
  });
}

template <typename T>
std::string try_compare(backend here, tb_elementwise_op op, bool (*model)(T, T)) {
  return over_shapes([&](const shape& of) {
    return try_binary<byte, T>(
        here, of, [&](const tb_kernels& k, const tb_plan* plan) { return run_op(k, op, dtype_of<T>, plan); },
        [&](T a, T b) { return expected<byte>{byte(model(a, b))}; });
  });
}

template <typename T>
std::string try_every_compare(backend here) {
  return try_compare<T>(here, TB_EQ, [](T a, T b) { return a == b; }) +
         try_compare<T>(here, TB_NE, [](T a, T b) { return a != b; }) +
         try_compare<T>(here, TB_LT, [](T a, T b) { return a < b; }) +
         try_compare<T>(here, TB_LE, [](T a, T b) { return a <= b; }) +
         try_compare<T>(here, TB_GT, [](T a, T b) { return a > b; }) +
         try_compare<T>(here, TB_GE, [](T a, T b) { return a >= b; });
}

// exp or log of chosen numbers against long double, within two units in the last place.
template <typename T>
std::string try_values(backend here, tb_elementwise_op op, const std::vector<T>& values,
                       long double (*model)(long double)) {
  const shape dense = {"dense", {static_cast<std::int64_t>(values.size())}, {{1}, {1}}};
  stage memory(here);
  const auto in = make_operand<T>(memory, dense, 1);
  const auto out = make_operand<T>(memory, dense, 0);
  std::copy(values.begin(), values.end(), in.memory.begin());
  const tb_plan plan = make_plan(dense, out, in);
  CHECK(memory.run([&](const tb_kernels& k) { return run_op(k, op, dtype_of<T>, &plan); }) == TB_OK);
  differences<T> found;
  for (std::int64_t i = 0; i < out.memory.size(); ++i) {
    const long double want = model(in.memory[i]);
    found.add(i, out.memory[i], {want, std::isinf(T(want)) ? 0 : ulps<T>(2, want)});
  }
  return found.text();
}

template <typename T>
std::vector<T> steps(double low, double high) {
  std::vector<T> values;
  for (int i = 0; i <= 20000; ++i) values.push_back(T(low + (high - low) * i / 20000));
  return values;
}

template <typename T>
std::string try_aliased(backend here) {
  stage memory(here);
  const shape dense = {"dense", {129}, {{1}, {1}, {1}}};
  const auto a = make_operand<T>(memory, dense, 1);
  const auto b = make_operand<T>(memory, dense, 2);
  fill_with_samples(a.memory, 1);
  fill_with_samples(b.memory, 2);
  std::vector<expected<T>> want;
  for (std::int64_t i = 0; i < 129; ++i) want.push_back(add_model<T>(a.memory[i], b.memory[i], 1));
  const tb_plan plan = make_plan(dense, a, a, b);
  CHECK(memory.run([&](const tb_kernels& k) { return run_op(k, TB_ADD, dtype_of<T>, &plan, one); }) == TB_OK);
  differences<T> found;
  for (std::int64_t i = 0; i < 129; ++i) found.add(i, a.memory[i], want[std::size_t(i)]);
  return found.text();
}

template <typename T>
tb_status status_of_unary(backend here, tb_elementwise_op op) {
  stage memory(here);
  const shape dense = {"dense", {9}, {{1}, {1}}};
  const auto in = make_operand<T>(memory, dense, 1);
  const auto out = make_operand<T>(memory, dense, 0);
  fill_with_samples(in.memory, 1);
  const tb_plan plan = make_plan(dense, out, in);
  return memory.run([&](const tb_kernels& k) { return run_op(k, op, dtype_of<T>, &plan); });
}

template <typename T, typename B>
tb_status status_of_binary(backend here, tb_elementwise_op op) {
  stage memory(here);
  const shape dense = {"dense", {9}, {{1}, {1}, {1}}};
  const auto a = make_operand<T>(memory, dense, 1);
  const auto b = make_operand<B>(memory, dense, 2);
  const auto out = make_operand<T>(memory, dense, 0);
  fill_with_samples(a.memory, 1);
  fill_with_samples(b.memory, 2);
  const tb_plan plan = make_plan(dense, out, a, b);
  return memory.run([&](const tb_kernels& k) { return run_op(k, op, dtype_of<T>, &plan, one); });
}

template <typename T>
std::string try_fill(backend here, tb_scalar value, T want_value) {
  return over_shapes([&](const shape& of) {
    stage memory(here);
    const auto out = make_operand<T>(memory, of, 0);
    fill_with_samples(out.memory, 1);
    std::vector<expected<T>> want;
    for (const T x : out.memory) want.push_back({x});
    each_position(of, {out.first}, [&](std::int64_t o, auto, auto) { want[std::size_t(o)] = {want_value}; });
    const tb_plan plan = make_plan(of, out);
    CHECK(memory.run([&](const tb_kernels& k) { return run_op(k, TB_FILL, dtype_of<T>, &plan, value); }) == TB_OK);
    differences<T> found;
    for (std::int64_t i = 0; i < out.memory.size(); ++i) found.add(i, out.memory[i], want[std::size_t(i)]);
    return found.text();
  });
}

template <typename T>
std::string try_arange(backend here, tb_scalar start, tb_scalar step) {
  std::string failures;
  for (const std::int64_t n : awkward_sizes) {
    for (const std::int64_t stride : {1, 3, -2}) {
      const shape of = {"arange", {n}, {{stride}}};
      stage memory(here);
      const auto out = make_operand<T>(memory, of, 0);
      const tb_plan plan = make_plan(of, out);
      CHECK(memory.run([&](const tb_kernels& k) { return k.arange(&plan, start, step, nullptr); }) == TB_OK);
      differences<T> found;
      for (std::int64_t i = 0; i < n; ++i) {
        const T got = out.memory[out.first + i * stride];
        if constexpr (std::is_same_v<T, std::int64_t>) {
          found.add(i, got, {wrap(static_cast<unsigned __int128>(start.i + static_cast<__int128>(i) * step.i))});
        } else {
          const long double want = start.f + static_cast<long double>(i) * step.f;
          found.add(i, got, {want, ulps<T>(2, std::fabs(want) + std::fabs(start.f))});
        }
      }
      failures += found.text();
    }
  }
  return failures;
}

// Bit patterns of every kind of number, in another order for each seed. A sum, product or quotient of two of them is
// NaN only where an operand is NaN, or infinities meet.
std::vector<std::uint16_t> patterns(std::int64_t count, std::uint32_t seed) {
  std::vector<std::uint16_t> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(std::uint16_t((seed += 0x9e3779b9) >> 16));
  return all;
}

bool is_nan(std::uint16_t bits, std::int32_t dtype) { return (bits & 0x7fff) > (dtype == TB_F16 ? 0x7c00 : 0x7f80); }

// Computes with elements of 16 bits that are `step` apart.
std::vector<std::uint16_t> computed(const tb_kernels& k, tb_elementwise_op op, std::int32_t dtype, std::int64_t step,
                                    const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  const auto count = static_cast<std::int64_t>(a.size());
  std::vector<std::uint16_t> spread[3];
  for (std::vector<std::uint16_t>& memory : spread) memory.resize(std::size_t(count * step), 0x1234);
  for (std::int64_t i = 0; i < count; ++i) {
    spread[1][std::size_t(i * step)] = a[std::size_t(i)];
    spread[2][std::size_t(i * step)] = b[std::size_t(i)];
  }
  tb_elementwise call{};
  call.plan.ndim = 1;
  call.plan.sizes[0] = count;
  call.plan.operands = op == TB_RELU || op == TB_GELU ? 2 : 3;
  for (int n = 0; n < 3; ++n) {
    call.plan.operand[n].data = spread[n].data();
    call.plan.operand[n].strides[0] = step;
    call.plan.operand[n].dtype = dtype;
  }
  call.op = op;
  call.compute = TB_F32;
  call.number[0].f = 0.75;
  CHECK(k.elementwise(&call, nullptr) == TB_OK);
  std::vector<std::uint16_t> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(spread[0][std::size_t(i * step)]);
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("float16 and bfloat16: dense operands of any length give the bits of strided ones", "[kernels]",
                   scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
    for (const tb_elementwise_op op : {TB_ADD, TB_SUB, TB_MUL, TB_DIV, TB_RELU, TB_GELU}) {
      for (std::int64_t length = 0; length <= 131; ++length) {
        const auto a = patterns(length, std::uint32_t(length)), b = patterns(length, std::uint32_t(1000 * length + op));
        const auto dense = computed(*here.kernels, op, dtype, 1, a, b);
        const auto strided = computed(*here.kernels, op, dtype, 2, a, b);
        for (std::size_t i = 0; i < dense.size(); ++i) {
          INFO("dtype " << dtype << ", op " << op << ", element " << i << " of " << length);
          REQUIRE((is_nan(dense[i], dtype) ? is_nan(strided[i], dtype) : dense[i] == strided[i]));
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("float16 and bfloat16: GELU of every element is within 0.51 ulp", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  std::vector<std::uint16_t> x(1 << 16);
  std::iota(x.begin(), x.end(), std::uint16_t(0));
  for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
    const auto number = [dtype](std::uint16_t bits) {
      return dtype == TB_F16 ? double(tb_kernel::to_float(tb_kernel::half{bits}))
                             : double(tb_kernel::to_float(tb_kernel::bfloat16{bits}));
    };
    const int digits = dtype == TB_F16 ? 11 : 8, least = dtype == TB_F16 ? -14 : -126;
    const auto got = computed(*here.kernels, TB_GELU, dtype, 1, x, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double want = oracle::gelu(number(x[i])), result = number(got[i]);
      INFO("dtype " << dtype << ", gelu(" << number(x[i]) << "): got " << result << ", wanted " << want);
      if (std::isnan(want) || std::isinf(want)) {
        REQUIRE((std::isnan(want) ? std::isnan(result) : result == want));
      } else {
        const int exponent = want == 0 ? least : std::max(std::ilogb(want), least);
        REQUIRE(std::ldexp(std::fabs(result - want), digits - 1 - exponent) <= 0.51);
      }
    }
  }
}

TEMPLATE_TEST_CASE("unary: CLAMP keeps NaN and the sign of zero, and a NaN bound is the result", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto clamped = [&](float low, float high, const std::vector<float>& values) {
    stage memory(here);
    const auto in = memory.make<float>(std::int64_t(values.size())), out = memory.make<float>(in.size());
    std::copy(values.begin(), values.end(), in.begin());
    tb_elementwise call{};
    call.plan.ndim = 1;
    call.plan.operands = 2;
    call.plan.sizes[0] = in.size();
    call.plan.operand[0] = {out.seen_by_kernel(), {1}, TB_F32, 0};
    call.plan.operand[1] = {in.seen_by_kernel(), {1}, TB_F32, 0};
    call.op = TB_CLAMP;
    call.compute = TB_F32;
    call.number[0].f = low;
    call.number[1].f = high;
    CHECK(memory.run([&](const tb_kernels& k) { return k.elementwise(&call, nullptr); }) == TB_OK);
    return std::vector<float>(out.begin(), out.end());
  };
  std::vector<float> values;
  for (int i = 0; i < 21; ++i) values.insert(values.end(), {-INFINITY, -1.5f, -0.0f, 0.0f, 0.25f, 2.0f, NAN});
  const std::vector<float> inside = clamped(0, 1, values), low_wins = clamped(3, 1, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float x = values[i];
    CHECK((std::isnan(x) ? std::isnan(inside[i]) : inside[i] == std::min(std::max(x, 0.0f), 1.0f)));
    CHECK((x != 0 || std::signbit(inside[i]) == std::signbit(x)));
    CHECK((std::isnan(x) ? std::isnan(low_wins[i]) : low_wins[i] == 1));
  }
  for (const float x : clamped(NAN, 1, values)) CHECK(std::isnan(x));
  for (const float x : clamped(0, NAN, values)) CHECK(std::isnan(x));
}

TEMPLATE_TEST_CASE("fill: every element of the plan has the value, and no other", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_fill<byte>(here, {1, 1}, 1) == "");
  CHECK(try_fill<std::int64_t>(here, {2.5, INT64_MIN}, INT64_MIN) == "");
  CHECK(try_fill<float>(here, {2.5, 2}, 2.5f) == "");
  CHECK(try_fill<double>(here, {-0.0, 0}, -0.0) == "");
}

TEMPLATE_TEST_CASE("fill: BOOL is 1 where either reading of the scalar is not zero", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_fill<byte>(here, {0.5, 0}, 1) == "");
  CHECK(try_fill<byte>(here, {0, 0}, 0) == "");
  CHECK(try_fill<byte>(here, {256, 256}, 1) == "");
}

TEMPLATE_TEST_CASE("arange: element i is start + i * step", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_arange<std::int64_t>(here, {5, 5}, {-3, -3}) == "");
  CHECK(try_arange<std::int64_t>(here, {0, INT64_MAX - 2}, {1, 1}) == "");
  CHECK(try_arange<float>(here, {0.1, 0}, {0.1, 0}) == "");
  CHECK(try_arange<double>(here, {-1, -1}, {0.25, 0}) == "");
}

TEMPLATE_TEST_CASE("unary: NEG changes the sign, of zero too, and wraps at the lowest integer", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_unary_op<float>(here, TB_NEG, [](float x) { return expected<float>{-static_cast<long double>(x)}; }) == "");
  CHECK(try_unary_op<double>(here, TB_NEG, [](double x) { return expected<double>{-static_cast<long double>(x)}; }) ==
        "");
  CHECK(try_unary_op<std::int64_t>(
            here, TB_NEG, [](std::int64_t x) { return expected<std::int64_t>{x == INT64_MIN ? x : -x}; }) == "");
}

TEMPLATE_TEST_CASE("unary: RELU keeps positive elements and NaN, and sets the rest to +0", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_unary_op<float>(here, TB_RELU, [](float x) { return expected<float>{x <= 0 ? 0.0f : x}; }) == "");
  CHECK(try_unary_op<double>(here, TB_RELU, [](double x) { return expected<double>{x <= 0 ? 0.0 : x}; }) == "");
  CHECK(try_unary_op<std::int64_t>(here, TB_RELU,
                                   [](std::int64_t x) { return expected<std::int64_t>{x > 0 ? x : 0}; }) == "");
}

TEMPLATE_TEST_CASE("unary: EXP and LOG support every stride and return NaN for NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto model = [](auto f) {
    return [f]<typename T>(T x) {
      const long double want = f(static_cast<long double>(x));
      return expected<T>{want, std::isinf(want) ? 0 : ulps<T>(2, want)};
    };
  };
  const auto exp = model([](long double x) { return std::exp(x); });
  const auto log = model([](long double x) { return std::log(x); });
  CHECK(try_unary_op<float>(here, TB_EXP, exp) == "");
  CHECK(try_unary_op<double>(here, TB_EXP, exp) == "");
  CHECK(try_unary_op<float>(here, TB_LOG, log) == "");
  CHECK(try_unary_op<double>(here, TB_LOG, log) == "");
}

TEMPLATE_TEST_CASE("unary: EXP is accurate to two ulp from underflow to overflow", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_values<float>(here, TB_EXP, steps<float>(-105, 90), [](long double x) { return std::exp(x); }) == "");
  CHECK(try_values<double>(here, TB_EXP, steps<double>(-750, 711), [](long double x) { return std::exp(x); }) == "");
  CHECK(try_values<float>(here, TB_EXP, steps<float>(-0.4, 0.4), [](long double x) { return std::exp(x); }) == "");
  CHECK(try_values<double>(here, TB_EXP, {-1e300, 1e300, 5e-324}, [](long double x) { return std::exp(x); }) == "");
}

TEMPLATE_TEST_CASE("unary: LOG is accurate to two ulp, denormal numbers included", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto log = [](long double x) { return std::log(x); };
  CHECK(try_values<float>(here, TB_LOG, steps<float>(0.25, 4), log) == "");
  CHECK(try_values<double>(here, TB_LOG, steps<double>(0.25, 4), log) == "");
  CHECK(try_values<float>(here, TB_LOG, {1e-45f, 1e-40f, 1.17549435e-38f, 3.4e38f, 1, 0, -0.0f, -1}, log) == "");
  CHECK(try_values<double>(here, TB_LOG, {5e-324, 1e-310, 2.3e-308, 1.7e308, 1, 0, -0.0, -1}, log) == "");
}

TEMPLATE_TEST_CASE("unary: an unsupported dtype is reported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(status_of_unary<std::int64_t>(here, TB_EXP) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_unary<std::int64_t>(here, TB_LOG) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_unary<byte>(here, TB_NEG) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_unary<byte>(here, TB_RELU) == TB_UNSUPPORTED_DTYPE);
}

TEMPLATE_TEST_CASE("binary: ADD is a + alpha * b, over all strides and repeated elements", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const double alpha : {1.0, -2.0, 0.0}) {
    CHECK(try_add<std::int64_t>(here, TB_ADD, alpha) == "");
    CHECK(try_add<float>(here, TB_ADD, alpha) == "");
    CHECK(try_add<double>(here, TB_ADD, alpha) == "");
  }
}

TEMPLATE_TEST_CASE("binary: SUB is a - alpha * b, over all strides and repeated elements", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const double alpha : {1.0, 3.0}) {
    CHECK(try_add<std::int64_t>(here, TB_SUB, alpha) == "");
    CHECK(try_add<float>(here, TB_SUB, alpha) == "");
    CHECK(try_add<double>(here, TB_SUB, alpha) == "");
  }
}

TEMPLATE_TEST_CASE("binary: on BOOL, ADD is or and MUL is and", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_add<byte>(here, TB_ADD, 1) == "");
  CHECK(try_op<byte>(here, TB_MUL, [](byte a, byte b) { return expected<byte>{byte(a != 0 && b != 0)}; }) == "");
}

TEMPLATE_TEST_CASE("binary: MUL multiplies, and integers wrap", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto real = []<typename T>(T a, T b) {
    const long double want = static_cast<long double>(a) * b;
    return expected<T>{want, want == 0 ? 0 : ulps<T>(1, want)};
  };
  CHECK(try_op<float>(here, TB_MUL, real) == "");
  CHECK(try_op<double>(here, TB_MUL, real) == "");
  CHECK(try_op<std::int64_t>(here, TB_MUL, [](std::int64_t a, std::int64_t b) {
          return expected<std::int64_t>{wrap(static_cast<unsigned __int128>(static_cast<__int128>(a) * b))};
        }) == "");
}

TEMPLATE_TEST_CASE("binary: DIV by zero is infinite, zero by zero NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto real = []<typename T>(T a, T b) {
    const long double want = static_cast<long double>(a) / b;
    return expected<T>{want, want == 0 || std::isinf(want) ? 0 : ulps<T>(1, want)};
  };
  CHECK(try_op<float>(here, TB_DIV, real) == "");
  CHECK(try_op<double>(here, TB_DIV, real) == "");
}

TEMPLATE_TEST_CASE("binary: THRESHOLD_BACKWARD stops the gradient up to the threshold", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const auto gate = []<typename T>(T a, T b) { return expected<T>{b <= 0 ? T(0) : a}; };
  CHECK(try_op<float>(here, TB_THRESHOLD_BACKWARD, gate) == "");
  CHECK(try_op<double>(here, TB_THRESHOLD_BACKWARD, gate) == "");
  CHECK(try_op<std::int64_t>(here, TB_THRESHOLD_BACKWARD, gate) == "");
}

TEMPLATE_TEST_CASE("binary: the result may be the first input itself", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_aliased<byte>(here) == "");
  CHECK(try_aliased<std::int64_t>(here) == "");
  CHECK(try_aliased<float>(here) == "");
  CHECK(try_aliased<double>(here) == "");
}

TEMPLATE_TEST_CASE("binary: an unsupported dtype is reported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(status_of_binary<std::int64_t, std::int64_t>(here, TB_DIV) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_binary<byte, byte>(here, TB_SUB) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_binary<byte, byte>(here, TB_DIV) == TB_UNSUPPORTED_DTYPE);
  CHECK(status_of_binary<byte, byte>(here, TB_THRESHOLD_BACKWARD) == TB_UNSUPPORTED_DTYPE);
}

TEMPLATE_TEST_CASE("compare: six relations, in which NaN is unequal to everything", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  CHECK(try_every_compare<byte>(here) == "");
  CHECK(try_every_compare<std::int64_t>(here) == "");
  CHECK(try_every_compare<float>(here) == "");
  CHECK(try_every_compare<double>(here) == "");
}

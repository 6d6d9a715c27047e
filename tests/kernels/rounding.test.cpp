// Rounding to whole numbers: exactly the C library's for numbers of every exponent, the sign of zero included.
#include <bit>
#include <cmath>

#include "support.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

template <typename T>
using bits_of = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;

// Of every exponent and sign: the least and the greatest mantissa, and random ones. About integers and half-integers,
// and where fractions end, all neighbours.
template <typename T>
std::vector<T> arguments() {
  using limits = std::numeric_limits<T>;
  constexpr int mantissa = limits::digits - 1, exponents = 2 * limits::max_exponent;
  random_numbers random(1);
  std::vector<T> all;
  for (int exponent = 0; exponent < 2 * exponents; ++exponent) {
    for (int i = 0; i < scaled(20, 2); ++i) {
      const auto any = bits_of<T>(random.bits() >> (64 - mantissa)), ones = bits_of<T>(bits_of<T>(1) << mantissa) - 1;
      const auto low = i == 0 ? bits_of<T>(0) : i == 1 ? ones : any;
      all.push_back(std::bit_cast<T>(bits_of<T>(bits_of<T>(exponent) << mantissa | low)));
    }
  }
  const T end = std::ldexp(T(1), mantissa);
  for (const T center : {T(0), T(0.5), T(1), T(1.5), T(2.5), T(3), T(1e6), end / 4, end / 2, end, 2 * end}) {
    T up = center, down = center;
    for (int i = 0; i < scaled(150, 20); ++i) {
      all.insert(all.end(), {up, down, -up, -down});
      up = std::nextafter(up, limits::infinity());
      down = std::nextafter(down, -limits::infinity());
    }
  }
  return all;
}

template <typename T>
std::vector<T> rounded(const tb_kernels& kernels, tb_elementwise_op op, const std::vector<T>& in, double decimals = 0) {
  std::vector<T> out(in.size());
  tb_elementwise call{};
  call.plan.ndim = 1;
  call.plan.operands = 2;
  call.plan.sizes[0] = std::int64_t(in.size());
  call.plan.operand[0].data = out.data();
  call.plan.operand[1].data = const_cast<T*>(in.data());
  for (int i = 0; i < 2; ++i) {
    call.plan.operand[i].strides[0] = 1;
    call.plan.operand[i].dtype = dtype_of<T>;
  }
  call.op = op;
  call.compute = dtype_of<T>;
  call.number[0].f = decimals;
  REQUIRE(kernels.elementwise(&call, nullptr) == TB_OK);
  return out;
}

template <typename T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}

template <typename T, typename F>
void check(const tb_kernels& kernels, tb_elementwise_op op, F f) {
  const auto in = arguments<T>(), out = rounded(kernels, op, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    INFO("operation " << op << " of " << in[i] << ": got " << out[i] << ", wanted " << f(in[i]));
    if (!same(out[i], T(f(in[i])))) FAIL();
  }
}

template <typename T>
void check_all(const tb_kernels& kernels) {
  check<T>(kernels, TB_CEIL, [](T x) { return std::ceil(x); });
  check<T>(kernels, TB_FLOOR, [](T x) { return std::floor(x); });
  check<T>(kernels, TB_TRUNC, [](T x) { return std::trunc(x); });
  check<T>(kernels, TB_ROUND, [](T x) { return std::nearbyint(x); });
  check<T>(kernels, TB_FRAC, [](T x) { return x - std::trunc(x); });
}

template <typename T>
void check_decimals(const tb_kernels& kernels) {
  const tb_kernels& scalar_table = *tb_cpu_kernels_for("scalar");
  const auto in = arguments<T>();
  for (const double decimals : {1, 3, 30, 400, -1, -3, -30, -400}) {
    const auto out = rounded(kernels, TB_ROUND, in, decimals), want = rounded(scalar_table, TB_ROUND, in, decimals);
    for (std::size_t i = 0; i < in.size(); ++i) {
      INFO(in[i] << " to " << decimals << " decimals: got " << out[i] << ", wanted " << want[i]);
      if (!same(out[i], want[i])) FAIL();
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("rounding: ceil, floor, round, trunc and frac are the C library's", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  check_all<float>(*here.kernels);
  check_all<double>(*here.kernels);
}

TEMPLATE_TEST_CASE("rounding: to decimals, every table agrees with the scalar build", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  check_decimals<float>(*here.kernels);
  check_decimals<double>(*here.kernels);
}

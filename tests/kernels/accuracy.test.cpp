// The stated accuracy of elementwise operations (kernels/common/accuracy.h), and their special values.
//
// Each operation is a line: its model in any wider type and the arguments where something happens. A run takes every
// exponent, random mantissas, and all neighbours of those arguments. The test [.every] takes every float there is.
#include "accuracy.h"

#include <array>
#include <bit>
#include <iomanip>
#include <iostream>

#include "oracle/functions.h"
#include "special_functions.h"
#include "support.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

// A model gets the arguments and the numbers of the operation, in double or in long double.
template <typename Wide>
using model = Wide (*)(Wide a, Wide b, const double* numbers);

struct operation {
  std::string name;
  tb_elementwise_op op;
  int inputs;
  model<double> of_float;
  model<long double> of_double;
  std::vector<double> around;  // thresholds, zeros, poles: the arguments whose neighbours are all tried
  double numbers[3] = {0, 0, 0};
  bool cancels =
      false;  // the unit is that of the greatest of the result, the greater argument, and the rest of the sum
};

template <typename F>
operation unary(std::string name, tb_elementwise_op op, std::vector<double> around, F, bool cancels = false) {
  return {std::move(name),
          op,
          1,
          [](double a, double, const double*) { return F{}(a); },
          [](long double a, long double, const double*) { return F{}(a); },
          std::move(around),
          {},
          cancels};
}
template <typename F>
operation unary(std::string name, tb_elementwise_op op, std::vector<double> around, std::array<double, 3> numbers, F) {
  return {std::move(name),
          op,
          1,
          [](double a, double, const double* k) { return F{}(a, k); },
          [](long double a, long double, const double* k) { return F{}(a, k); },
          std::move(around),
          {numbers[0], numbers[1], numbers[2]}};
}
template <typename F>
operation binary(std::string name, tb_elementwise_op op, std::vector<double> around, bool cancels, F) {
  return {std::move(name),
          op,
          2,
          [](double a, double b, const double*) { return F{}(a, b); },
          [](long double a, long double b, const double*) { return F{}(a, b); },
          std::move(around),
          {},
          cancels};
}

template <typename Wide>
Wide inverse_error_function(Wide x) {
  if (!(std::fabs(x) < 1)) return std::fabs(x) == 1 ? x * std::numeric_limits<Wide>::infinity() : Wide(NAN);
  const Wide size = std::fabs(x), half_root_pi = Wide(0.886226925452758013649083741670572591L);
  Wide y = Wide(tb_kernel::inverse_error_function(double(size)));
  if (std::isinf(y)) y = 5.8L;
  if (size == 0) return x;
  for (int i = 0; i < 3; ++i) {
    const Wide error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const Wide step = error * half_root_pi * std::exp(y * y);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

const std::vector<operation>& operations() {
  static const std::vector<operation> all = {
      unary("sqrt", TB_SQRT, {0, 1}, [](auto x) { return std::sqrt(x); }),
      unary("rsqrt", TB_RSQRT, {0, 1}, [](auto x) { return 1 / std::sqrt(x); }),
      unary("exp", TB_EXP, {0, 88.72, -87.33, -103.97, 709.78, -708.39, -745.13}, [](auto x) { return std::exp(x); }),
      unary("exp2", TB_EXP2, {0, 0.5, 128, -126, -149, -150, 1024, -1022, -1074, -1075},
            [](auto x) { return std::exp2(x); }),
      unary("expm1", TB_EXPM1, {0, 0.34657, 88.72, -17.3, 709.78, -37.4}, [](auto x) { return std::expm1(x); }),
      unary("log", TB_LOG, {0, 0.75, 1, 1.5}, [](auto x) { return std::log(x); }),
      unary("log2", TB_LOG2, {0, 0.75, 1, 1.5, 8}, [](auto x) { return std::log2(x); }),
      unary("log10", TB_LOG10, {0, 0.75, 1, 1.5, 1000}, [](auto x) { return std::log10(x); }),
      unary("log1p", TB_LOG1P, {0, -1, -0.25, 0.5, 2}, [](auto x) { return std::log1p(x); }),
      unary("sinh", TB_SINH, {0, 0.34657, 1, 89.41, 710.47}, [](auto x) { return std::sinh(x); }),
      unary("cosh", TB_COSH, {0, 0.34657, 1, 89.41, 710.47}, [](auto x) { return std::cosh(x); }),
      unary("tanh", TB_TANH, {0, 0.173287, 0.519861, 9.01, 10, 19.06, 20}, [](auto x) { return std::tanh(x); }),
      unary("asinh", TB_ASINH, {0, 0.5, 8192, 268435456}, [](auto x) { return std::asinh(x); }),
      unary("acosh", TB_ACOSH, {0, 1, 1.5, 8192, 268435456}, [](auto x) { return std::acosh(x); }),
      unary("atanh", TB_ATANH, {0, 0.2, 1}, [](auto x) { return std::atanh(x); }),
      unary("sigmoid", TB_SIGMOID, {0, 17, 20, 40, -87.33, -103.97, -708.39, -745.13},
            [](auto x) { return oracle::sigmoid(x); }),
      unary("silu", TB_SILU, {0, 17, 20, 40, -87.33, -108.5, -708.39, -751}, [](auto x) { return oracle::silu(x); }),
      unary("mish", TB_MISH, {0, 17, 20, 40, -87.33, -108.5, -708.39, -751},
            [](auto x) {
              const auto w = std::exp(std::min(x, decltype(x)(100)));
              return x * (w * (w + 2) / (w * (w + 2) + 2));
            }),
      unary("log_sigmoid", TB_LOG_SIGMOID, {0, -87.33, -103.97, -708.39, -745.13},
            [](auto x) { return std::min(x, decltype(x)(0)) - std::log1p(std::exp(-std::fabs(x))); }),
      unary("softplus", TB_SOFTPLUS, {0, 20, -87.33, -103.97, -708.39, -745.13}, {1, 20, 0},
            [](auto x, const double* k) {
              return x > k[1] ? x : std::max(x, decltype(x)(0)) + std::log1p(std::exp(-std::fabs(x)));
            }),
      unary("elu", TB_ELU, {0, -17.3, -37.4}, {1, 1, 1},
            [](auto x, const double*) { return x > 0 ? x : std::expm1(x); }),
      unary("logit", TB_LOGIT, {0, 0.25, 0.5, 0.75, 1}, {-1, 0, 0},
            [](auto x, const double*) {
              // Near a half the quotient alone would not do.
              return std::fabs(x - decltype(x)(0.5)) < decltype(x)(0.25) ? 2 * std::atanh(2 * x - 1)
                                                                         : std::log(x / (1 - x));
            }),
      binary("logaddexp", TB_LOGADDEXP, {0, 20}, true,
             [](auto a, auto b) {
               if (a == b) return a + std::log(decltype(a)(2));
               return std::isnan(a + b) && !(std::isinf(a) && std::isinf(b))
                          ? a + b
                          : std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
             }),
      binary("xlogy", TB_XLOGY, {0, 1}, false,
             [](auto a, auto b) { return a == 0 && !std::isnan(b) ? 0 : a * std::log(b); }),
      unary("sin", TB_SIN, {0, 1.57079633, 3.14159265, 6.2831853, 131072, 33554432, 3.5184372088832e13},
            [](auto x) { return std::sin(x); }),
      unary("cos", TB_COS, {0, 1.57079633, 4.71238898, 131072, 33554432}, [](auto x) { return std::cos(x); }),
      unary("tan", TB_TAN, {0, 1.57079633, 3.14159265, 131072, 33554432}, [](auto x) { return std::tan(x); }),
      unary("asin", TB_ASIN, {0, 0.5, 1}, [](auto x) { return std::asin(x); }),
      unary("acos", TB_ACOS, {0, 0.5, 1}, [](auto x) { return std::acos(x); }),
      unary("atan", TB_ATAN, {0, 1}, [](auto x) { return std::atan(x); }),
      binary("atan2", TB_ATAN2, {0, 1}, false, [](auto y, auto x) { return std::atan2(y, x); }),
      unary("erf", TB_ERF, {0, 3.93, 5.93}, [](auto x) { return std::erf(x); }),
      unary("erfc", TB_ERFC, {0, 10.05, 26.54, 27.2}, [](auto x) { return std::erfc(x); }),
      unary("erfinv", TB_ERFINV, {0, 0.5, 1}, [](auto x) { return inverse_error_function(x); }),
      unary("lgamma", TB_LGAMMA, {0, 1, 2, 8, -1, -2, -2.457, -2.748}, [](auto x) { return oracle::log_gamma(x); }),
      unary(
          "digamma", TB_DIGAMMA, {0, 1, 1.4616321, 8, -1, -2, -0.504083},
          [](auto x) { return decltype(x)(oracle::digamma(x)); }, true),
      binary("fmod", TB_FMOD, {0, 1, 3}, false, [](auto a, auto b) { return std::fmod(a, b); }),
      binary("remainder", TB_REMAINDER, {0, 1, 3}, false, [](auto a, auto b) { return oracle::remainder(a, b); }),
      unary("gelu", TB_GELU, {0, 5, 5.3125, 14, 38}, [](auto x) { return oracle::gelu(x); }),
      unary("gelu_tanh", TB_GELU_TANH, {0, 5, 10, 21}, [](auto x) { return oracle::gelu_tanh(x); }),
      binary("hypot", TB_HYPOT, {0, 1}, false, [](auto a, auto b) { return std::hypot(a, b); }),
      binary("pow", TB_POW, {0, 1, 2, 3, 0.5}, false, [](auto a, auto b) { return std::pow(a, b); }),
  };
  return all;
}

template <typename T>
using wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;
template <typename T>
using bits_of = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;

template <typename T>
double bound(tb_elementwise_op op) {
  for (const auto& line : tb_kernel::accuracies) {
    if (line.op == op) return std::is_same_v<T, float> ? line.f32 : line.f64;
  }
  FAIL("accuracy.h has no line for operation " << op);
  return 0;
}

// Errors in units in the last place; infinite where the kind of result is wrong: NaN, infinity, the sign of zero.
template <typename T, typename Wide = wider<T>>
double error_of(T got, Wide want, Wide beside) {
  using limits = std::numeric_limits<T>;
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (T(want) == got && (got != 0 || std::signbit(want) == std::signbit(got))) {
    if (std::isinf(got) || got == 0) return 0;
  } else if (want == 0 || std::isinf(want) || (got != 0 && std::signbit(want) != std::signbit(got))) {
    return wrong;
  }
  const Wide found = std::isinf(got) ? std::copysign(Wide(std::ldexp(Wide(1), limits::max_exponent)), want) : Wide(got);
  const Wide size = std::max(std::fabs(want), beside);
  const int exponent = std::max(size == 0 ? limits::min_exponent : std::ilogb(size), limits::min_exponent - 1);
  return double(std::ldexp(std::fabs(found - want), limits::digits - 1 - exponent));
}

template <typename Wide>
Wide beside(Wide sum, Wide part) {
  return std::isfinite(sum) && std::isfinite(part) ? std::max(std::fabs(part), std::fabs(sum - part)) : 0;
}

template <typename T>
struct worst {
  double ulps = 0;
  T a = 0, b = 0, got = 0;
  wider<T> want = 0;

  // Most results are the nearest number, and nothing needs to be measured.
  void add(T left, T right, T result, wider<T> wanted, bool cancels) {
    if (result == T(wanted) && result != 0) return;
    const double error = error_of<T>(result, wanted, cancels ? beside<wider<T>>(wanted, std::max(left, right)) : 0);
    if (error > ulps) *this = {error, left, right, result, wanted};
  }
  std::string text(int inputs) const {
    std::ostringstream out;
    out << std::setprecision(4) << ulps << " ulp at " << std::hexfloat << a;
    if (inputs == 2) out << ", " << b;
    out << ": got " << got << ", wanted " << want;
    return out.str();
  }
};

template <typename T>
void run(const tb_kernels& kernels, const operation& of, const std::vector<T>& a, const std::vector<T>& b,
         std::vector<T>& out) {
  tb_elementwise call{};
  call.plan.ndim = 1;
  call.plan.operands = of.inputs + 1;
  call.plan.sizes[0] = std::int64_t(a.size());
  const void* const data[] = {out.data(), a.data(), b.data()};
  for (int i = 0; i <= of.inputs; ++i) {
    call.plan.operand[i].data = const_cast<void*>(data[i]);
    call.plan.operand[i].strides[0] = i < 2 || b.size() > 1;
    call.plan.operand[i].dtype = dtype_of<T>;
  }
  call.op = of.op;
  call.compute = dtype_of<T>;
  for (int i = 0; i < 3; ++i) call.number[i].f = of.numbers[i];
  REQUIRE(kernels.elementwise(&call, nullptr) == TB_OK);
}

template <typename T>
wider<T> model_of(const operation& of, T a, T b) {
  if constexpr (std::is_same_v<T, float>) return of.of_float(a, b, of.numbers);
  if constexpr (std::is_same_v<T, double>) return of.of_double(a, b, of.numbers);
}

template <typename T>
worst<T> worst_of(const tb_kernels& kernels, const operation& of, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> out(a.size());
  run(kernels, of, a, b, out);
  worst<T> found;
  for (std::size_t i = 0; i < a.size(); ++i) found.add(a[i], b[i], out[i], model_of(of, a[i], b[i]), of.cancels);
  return found;
}

// Arguments of one operation: `many` mantissas for each exponent and sign, as many between -30 and 30 as all these
// together, and the neighbours of what the operation names.
template <typename T>
std::vector<T> arguments(const operation& of, std::uint64_t seed, int many) {
  using limits = std::numeric_limits<T>;
  constexpr int mantissa = limits::digits - 1, exponents = 2 * limits::max_exponent;
  random_numbers random(seed);
  std::vector<T> all = {T(0),
                        T(-0.0),
                        limits::infinity(),
                        -limits::infinity(),
                        limits::quiet_NaN(),
                        (limits::max)(),
                        limits::lowest(),
                        limits::denorm_min(),
                        -limits::denorm_min()};
  for (int exponent = 0; exponent < 2 * exponents; ++exponent) {
    for (int i = 0; i < many; ++i) {
      const auto low = bits_of<T>(random.bits() >> (64 - mantissa));
      all.push_back(std::bit_cast<T>(bits_of<T>(bits_of<T>(exponent) << mantissa | low)));
      all.push_back(T(random.between(-30, 30)));
    }
  }
  for (const double center : of.around) {
    T up = T(center), down = T(center);
    for (int i = 0; i < 500; ++i) {
      all.insert(all.end(), {up, down, -up, -down, T(center + random.between(-0.1, 0.1))});
      up = std::nextafter(up, limits::infinity());
      down = std::nextafter(down, -limits::infinity());
    }
  }
  return all;
}

// The second arguments are the first ones in another order, and now and then the same. The special values, with which
// the first ones begin, are added so that each meets each.
template <typename T>
std::vector<T> second_arguments(std::vector<T>& first, std::uint64_t seed) {
  random_numbers random(seed);
  std::vector<T> second = first;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i % 8 != 0) second[i] = first[std::size_t(random.bits() >> 11) % first.size()];
  }
  constexpr std::size_t special = 9;
  for (std::size_t i = 0; i < special * special; ++i) {
    first.push_back(first[i / special]);
    second.push_back(first[i % special]);
  }
  return second;
}

template <typename T>
void check_all(const tb_kernels& kernels, int many, bool print) {
  for (const operation& of : operations()) {
    auto a = arguments<T>(of, 1, many);
    const auto b = of.inputs == 2 ? second_arguments(a, 2) : a;
    const worst<T> found = worst_of(kernels, of, a, b);
    const double allowed = bound<T>(of.op);
    INFO(of.name << ": " << found.text(of.inputs) << "; accuracy.h says " << allowed);
    CHECK(found.ulps <= allowed);
    if (print)
      std::cout << kernels.name << " F" << 8 * sizeof(T) << ' ' << of.name << ": " << found.text(of.inputs)
                << std::endl;
  }
}

// Of some arguments: those whose bits differ when the row begins or ends elsewhere.
template <typename T>
int results_that_depend_on_place(const tb_kernels& kernels, const operation& of) {
  const auto all = arguments<T>(of, 3, 1);
  std::vector<T> a(all.end() - 150, all.end());
  const auto b = second_arguments(a, 4);
  std::vector<T> together(a.size());
  run(kernels, of, a, b, together);
  int differences = 0;
  for (std::size_t first = 0; first < a.size(); ++first) {
    for (const std::size_t last : {first + 1, (first + a.size()) / 2 + 1, a.size()}) {
      const auto part = [=](const std::vector<T>& of_all) {
        return std::vector<T>(of_all.begin() + std::ptrdiff_t(first), of_all.begin() + std::ptrdiff_t(last));
      };
      std::vector<T> out(last - first);
      run(kernels, of, part(a), part(b), out);
      differences += std::memcmp(out.data(), together.data() + first, out.size() * sizeof(T)) != 0;
    }
  }
  return differences;
}

// Zeros, infinities, NaN, the ends of the range, whole numbers odd and even up to where all are even, and
// half-integers.
template <typename T>
std::vector<T> special_arguments() {
  using limits = std::numeric_limits<T>;
  const T one_apart = std::ldexp(T(1), limits::digits);
  std::vector<T> all = {T(0),
                        limits::infinity(),
                        limits::quiet_NaN(),
                        (limits::max)(),
                        (limits::min)(),
                        limits::denorm_min(),
                        one_apart,
                        one_apart - 1,
                        one_apart / 2 - 1,
                        one_apart / 2 - T(0.5),
                        one_apart * 2,
                        T(1) + limits::epsilon(),
                        T(1) - limits::epsilon() / 2};
  for (const double x : {0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 17.0, 1e4, 1e10, 1e30}) all.push_back(T(x));
  for (std::size_t i = 0, count = all.size(); i < count; ++i) all.push_back(-all[i]);
  return all;
}

template <typename T>
void check_special_pairs(const tb_kernels& kernels) {
  const auto values = special_arguments<T>();
  std::vector<T> a, b;
  for (const T left : values) {
    for (const T right : values) a.push_back(left), b.push_back(right);
  }
  for (const operation& of : operations()) {
    if (of.op != TB_ATAN2 && of.op != TB_HYPOT && of.op != TB_POW) continue;
    const worst<T> found = worst_of(kernels, of, a, b);
    INFO(of.name << ": " << found.text(of.inputs));
    CHECK(found.ulps <= bound<T>(of.op));
  }
}

// Bases next to 1 with exponents that bring the power anywhere up to the ends of the range: there the logarithm needs
// the most bits.
template <typename T>
void check_powers_near_one(const tb_kernels& kernels) {
  constexpr double greatest = std::is_same_v<T, float> ? 100 : 740;
  random_numbers random(3);
  std::vector<T> a, b;
  for (int i = 0; i < 20000; ++i) {
    a.push_back(T(random.between(0.8, 1.25)));
    b.push_back(T(random.between(-greatest, greatest) / std::log(double(a.back()))));
  }
  for (const operation& of : operations()) {
    if (of.op != TB_POW) continue;
    const worst<T> found = worst_of(kernels, of, a, b);
    INFO(of.name << ": " << found.text(of.inputs));
    CHECK(found.ulps <= bound<T>(of.op));
  }
}

// A row with one exponent is a path of its own, and so is one element as the exponent of a row.
template <typename T>
void check_one_exponent(const tb_kernels& kernels) {
  for (const operation& of : operations()) {
    if (of.op != TB_POW) continue;
    auto a = arguments<T>(of, 5, 8);
    for (const T special : special_arguments<T>()) a.push_back(special);
    for (const double exponent : {0.5, 1.0, 2.0, 3.0, -0.5, -1.0, -2.0, 0.0, 1.5, 2.5, -7.0}) {
      std::vector<T> b(a.size(), T(exponent)), alone(a.size()), repeated(a.size()), mixed(a.size());
      const worst<T> found = worst_of(kernels, of, a, b);
      INFO(exponent << ": " << found.text(2));
      CHECK(found.ulps <= bound<T>(of.op));
      run(kernels, of, a, b, alone);
      run(kernels, of, a, {T(exponent)}, repeated);
      CHECK(std::memcmp(repeated.data(), alone.data(), a.size() * sizeof(T)) == 0);
      for (std::size_t i = 0; i < b.size(); i += 2) b[i] = T(1.7);
      run(kernels, of, a, b, mixed);
      std::size_t differences = 0;
      for (std::size_t i = 1; i < a.size(); i += 2) {
        const bool nan = std::isnan(alone[i]) && std::isnan(mixed[i]);
        differences += !nan && std::bit_cast<bits_of<T>>(alone[i]) != std::bit_cast<bits_of<T>>(mixed[i]);
      }
      CHECK(differences == 0);
    }
  }
}

constexpr const char* vector_tables[] = {"sse2", "avx2", "avx512"};

// One pass over the arguments for all tables, since the model costs more than they do.
void check_every_float(const operation& of) {
  constexpr std::size_t block = 1 << 16;
  std::vector<const tb_kernels*> tables;
  for (const char* isa : vector_tables) {
    if (const tb_kernels* table = tb_cpu_kernels_for(isa)) tables.push_back(table);
  }
  std::vector<worst<float>> found(tables.size());
  std::vector<float> in(block), out(block);
  std::vector<double> want(block);
  for (std::uint64_t first = 0; first <= UINT32_MAX; first += block) {
    for (std::size_t i = 0; i < block; ++i) in[i] = std::bit_cast<float>(std::uint32_t(first + i));
    for (std::size_t i = 0; i < block; ++i) want[i] = of.of_float(in[i], 0, of.numbers);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      run(*tables[t], of, in, in, out);
      for (std::size_t i = 0; i < block; ++i) found[t].add(in[i], in[i], out[i], want[i], false);
    }
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::cout << tables[t]->name << " F32 " << of.name << ": " << found[t].text(1) << std::endl;
    INFO(tables[t]->name << ' ' << of.name << ": " << found[t].text(1));
    CHECK(found[t].ulps <= bound<float>(of.op));
  }
}

}  // namespace

TEMPLATE_TEST_CASE(
    "accuracy: elementwise operations are within the error bounds of accuracy.h, special values included", "[kernels]",
    sse2, avx2, avx512) {
  const backend here = need<TestType>();
  check_all<float>(*here.kernels, scaled(64, 8), false);
  check_all<double>(*here.kernels, scaled(16, 4), false);
}

TEMPLATE_TEST_CASE("accuracy: an element's result does not depend on its position in a row", "[kernels]", sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  for (const operation& of : operations()) {
    CHECK(results_that_depend_on_place<float>(*here.kernels, of) == 0);
    CHECK(results_that_depend_on_place<double>(*here.kernels, of) == 0);
  }
}

TEST_CASE("accuracy: no float exceeds the error bounds of accuracy.h", "[.every]") {
  for (const operation& of : operations()) {
    if (of.inputs == 1) DYNAMIC_SECTION(of.name) check_every_float(of);
  }
}

TEMPLATE_TEST_CASE("accuracy: doubles and pairs within the error bounds of accuracy.h", "[.every]", sse2, avx2,
                   avx512) {
  check_all<float>(*need<TestType>().kernels, 1000, true);
  check_all<double>(*need<TestType>().kernels, 250, true);
}

TEMPLATE_TEST_CASE("accuracy: atan2, hypot and pow have C's values for every pair of special arguments", "[kernels]",
                   sse2, avx2, avx512) {
  const backend here = need<TestType>();
  check_special_pairs<float>(*here.kernels);
  check_special_pairs<double>(*here.kernels);
}

TEMPLATE_TEST_CASE("accuracy: powers of bases next to 1 are exact up to the ends of the range", "[kernels]", sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  check_powers_near_one<float>(*here.kernels);
  check_powers_near_one<double>(*here.kernels);
}

TEMPLATE_TEST_CASE("accuracy: powers of a row with one exponent are those of a row with many", "[kernels]", sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  check_one_exponent<float>(*here.kernels);
  check_one_exponent<double>(*here.kernels);
}

// The stated accuracy of pointwise operations (kernels/common/accuracy.h), and their special values.
//
// Each operation is a line: its model in any wider type and the arguments where something happens. A run takes every
// exponent, random mantissas, and all neighbours of those arguments. The test [.every] takes every float there is.
#include "accuracy.h"

#include <array>
#include <bit>
#include <iomanip>
#include <iostream>

#include "support.h"

using namespace kernel_tests;

namespace {

// A model gets the arguments and the numbers of the operation, in double or in long double.
template <typename Wide>
using model = Wide (*)(Wide a, Wide b, const double* numbers);

struct operation {
  std::string name;
  tb_pointwise_op op;
  int inputs;
  model<double> of_float;
  model<long double> of_double;
  std::vector<double> around;  // thresholds, zeros, poles: the arguments whose neighbours are all tried
  double numbers[3] = {0, 0, 0};
};

template <typename F>
operation unary(std::string name, tb_pointwise_op op, std::vector<double> around, F) {
  return {std::move(name),
          op,
          1,
          [](double a, double, const double*) { return F{}(a); },
          [](long double a, long double, const double*) { return F{}(a); },
          std::move(around)};
}
template <typename F>
operation unary(std::string name, tb_pointwise_op op, std::vector<double> around, std::array<double, 3> numbers, F) {
  return {std::move(name),
          op,
          1,
          [](double a, double, const double* k) { return F{}(a, k); },
          [](long double a, long double, const double* k) { return F{}(a, k); },
          std::move(around),
          {numbers[0], numbers[1], numbers[2]}};
}
template <typename F>
operation binary(std::string name, tb_pointwise_op op, std::vector<double> around, F) {
  return {std::move(name),
          op,
          2,
          [](double a, double b, const double*) { return F{}(a, b); },
          [](long double a, long double b, const double*) { return F{}(a, b); },
          std::move(around)};
}

const std::vector<operation>& operations() {
  static const std::vector<operation> all = {
      unary("exp", TB_EXP, {0, 88.72, -87.33, -103.97, 709.78, -708.39, -745.13}, [](auto x) { return std::exp(x); }),
      unary("log", TB_LOG, {0, 1, 0.5, 2}, [](auto x) { return std::log(x); }),
  };
  return all;
}

template <typename T>
using wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;
template <typename T>
using bits_of = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;

template <typename T>
double bound(tb_pointwise_op op) {
  for (const auto& line : tb_kernel::accuracies) {
    if (line.op == op) return std::is_same_v<T, float> ? line.f32 : line.f64;
  }
  FAIL("accuracy.h has no line for operation " << op);
  return 0;
}

// Errors in units in the last place; infinite where the kind of result is wrong: NaN, infinity, the sign of zero.
template <typename T, typename Wide = wider<T>>
double error_of(T got, Wide want) {
  using limits = std::numeric_limits<T>;
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  if (T(want) == got && (got != 0 || std::signbit(want) == std::signbit(got))) {
    if (std::isinf(got) || got == 0) return 0;
  } else if (want == 0 || std::isinf(want) || (got != 0 && std::signbit(want) != std::signbit(got))) {
    return wrong;
  }
  const Wide found = std::isinf(got) ? std::copysign(Wide(std::ldexp(Wide(1), limits::max_exponent)), want) : Wide(got);
  const int exponent = std::max(want == 0 ? 0 : std::ilogb(want), limits::min_exponent - 1);
  return double(std::ldexp(std::fabs(found - want), limits::digits - 1 - exponent));
}

template <typename T>
struct worst {
  double ulps = 0;
  T a = 0, b = 0, got = 0;
  wider<T> want = 0;

  // Most results are the nearest number, and nothing needs to be measured.
  void add(T left, T right, T result, wider<T> wanted) {
    if (result == T(wanted) && result != 0) return;
    const double error = error_of<T>(result, wanted);
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
  tb_pointwise call{};
  call.plan.ndim = 1;
  call.plan.operands = of.inputs + 1;
  call.plan.sizes[0] = std::int64_t(a.size());
  const void* const data[] = {out.data(), a.data(), b.data()};
  for (int i = 0; i <= of.inputs; ++i) {
    call.plan.operand[i].data = const_cast<void*>(data[i]);
    call.plan.operand[i].strides[0] = 1;
    call.plan.operand[i].dtype = dtype_of<T>;
  }
  call.op = of.op;
  call.compute = dtype_of<T>;
  for (int i = 0; i < 3; ++i) call.number[i].f = of.numbers[i];
  REQUIRE(kernels.pointwise(&call, nullptr) == TB_OK);
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
  for (std::size_t i = 0; i < a.size(); ++i) found.add(a[i], b[i], out[i], model_of(of, a[i], b[i]));
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

// The second arguments are the first ones in another order, and now and then the same.
template <typename T>
std::vector<T> second_arguments(const std::vector<T>& first, std::uint64_t seed) {
  random_numbers random(seed);
  std::vector<T> second = first;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i % 8 != 0) second[i] = first[std::size_t(random.bits() >> 11) % first.size()];
  }
  return second;
}

template <typename T>
void check_all(const tb_kernels& kernels, int many, bool print) {
  for (const operation& of : operations()) {
    const auto a = arguments<T>(of, 1, many);
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
      for (std::size_t i = 0; i < block; ++i) found[t].add(in[i], in[i], out[i], want[i]);
    }
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    std::cout << tables[t]->name << " F32 " << of.name << ": " << found[t].text(1) << std::endl;
    INFO(tables[t]->name << ' ' << of.name << ": " << found[t].text(1));
    CHECK(found[t].ulps <= bound<float>(of.op));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("accuracy: pointwise operations are as exact as accuracy.h says, special values included",
                   "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  check_all<float>(*here.kernels, 64, false);
  check_all<double>(*here.kernels, 8, false);
}

TEST_CASE("accuracy: no float is further off than accuracy.h says", "[.every]") {
  for (const operation& of : operations()) {
    if (of.inputs == 1) check_every_float(of);
  }
}

TEMPLATE_TEST_CASE("accuracy: many doubles, none further off than accuracy.h says", "[.every]", sse2, avx2, avx512) {
  check_all<double>(*need<TestType>().kernels, 500, true);
}

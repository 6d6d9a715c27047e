// Gradients of activations, and losses of elements: every table against models in long double, within the bound of
// accuracy.h.
#include "accuracy.h"

#include "plans.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

using wide = long double;

// The exact result, and the size whose ulp the error is measured in if that is greater than the result.
struct exact {
  wide value, beside = 0;
};

struct operation {
  const char* name;
  tb_elementwise_op op;
  int inputs;
  exact (*model)(wide a, wide b, wide c, const double* k);
  double low, high;                     // of the second operand, or the only one
  std::vector<double> thresholds = {};  // tried as they are
  double numbers[3] = {0, 0, 0};
};

wide logistic(wide x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
wide logistic_slope(wide x) {
  const wide e = std::exp(-std::fabs(x));
  return e / ((1 + e) * (1 + e));
}
exact times(wide g, wide slope) { return {g * slope, std::fabs(g)}; }

const std::vector<operation>& operations() {
  static const std::vector<operation> all = {
      {"tanh", TB_TANH_BACKWARD, 2, [](wide g, wide y, wide, const double*) { return times(g, 1 - y * y); }, -1, 1},
      {"sigmoid", TB_SIGMOID_BACKWARD, 2, [](wide g, wide y, wide, const double*) { return times(g, y * (1 - y)); }, 0,
       1},
      {"silu", TB_SILU_BACKWARD, 2,
       [](wide g, wide x, wide, const double*) { return times(g, logistic(x) + x * logistic_slope(x)); }, -120, 120},
      {"gelu", TB_GELU_BACKWARD, 2,
       [](wide g, wide x, wide, const double*) {
         const wide density = std::exp(-x * x / 2) * 0.398942280401432677939946L;
         return times(g, std::erfc(-x * 0.707106781186547524400844L) / 2 + x * density);
       },
       -15, 15},
      {"gelu_tanh", TB_GELU_TANH_BACKWARD, 2,
       [](wide g, wide x, wide, const double*) {
         const wide b = 1.595769121605730711759784L, c = 0.044715L, u = b * (x + c * x * x * x);
         return times(g, logistic(u) + x * logistic_slope(u) * b * (1 + 3 * c * x * x));
       },
       -15, 15},
      {"mish", TB_MISH_BACKWARD, 2,
       [](wide g, wide x, wide, const double*) {
         const wide t = std::tanh(std::log1p(std::exp(x)));
         return times(g, t + x * logistic(x) * (1 - t * t));
       },
       -90, 90},
      {"softplus",
       TB_SOFTPLUS_BACKWARD,
       2,
       [](wide g, wide x, wide, const double* k) { return times(g, x * k[0] > k[1] ? 1 : logistic(x * k[0])); },
       -60,
       60,
       {10, 9.99},
       {2, 20}},
      {"elu",
       TB_ELU_BACKWARD,
       2,
       [](wide g, wide x, wide, const double* k) {
         return times(g, x <= 0 ? k[0] * k[1] * k[2] * std::exp(x * k[2]) : k[1]);
       },
       -60,
       60,
       {0},
       {1.5, 2, 0.5}},
      {"elu of a result",
       TB_ELU_RESULT_BACKWARD,
       2,
       [](wide g, wide y, wide, const double* k) { return times(g, y <= 0 ? k[2] * (y + k[0] * k[1]) : k[1]); },
       -3,
       3,
       {0},
       {1.5, 2, 0.5}},
      {"leaky_relu",
       TB_LEAKY_RELU_BACKWARD,
       2,
       [](wide g, wide x, wide, const double* k) { return times(g, x > 0 ? 1 : k[0]); },
       -3,
       3,
       {0},
       {0.25}},
      {"hardswish",
       TB_HARDSWISH_BACKWARD,
       2,
       [](wide g, wide x, wide, const double*) {
         return times(g, x <= -3 ? 0 : x < 3 ? x / 3 + 0.5L : 1);
       },
       -4,
       4,
       {-3, 3}},
      {"hardsigmoid",
       TB_HARDSIGMOID_BACKWARD,
       2,
       [](wide g, wide x, wide, const double*) { return times(g, std::fabs(x) < 3 ? 1 / 6.0L : 0); },
       -4,
       4,
       {-3, 3}},
      {"clamp",
       TB_CLAMP_BACKWARD,
       2,
       [](wide g, wide x, wide, const double* k) { return times(g, x > k[0] && x < k[1]); },
       -2,
       3,
       {-0.5, 1.5},
       {-0.5, 1.5}},
      {"shrink",
       TB_SHRINK_BACKWARD,
       2,
       [](wide g, wide x, wide, const double* k) { return times(g, std::fabs(x) > k[0]); },
       -2,
       2,
       {-0.5, 0.5},
       {0.5}},
      {"prelu", TB_PRELU, 2, [](wide x, wide weight, wide, const double*) { return exact{x > 0 ? x : weight * x}; }, -2,
       2},
      {"gradient of prelu",
       TB_PRELU_BACKWARD,
       3,
       [](wide g, wide x, wide weight, const double*) { return exact{x > 0 ? g : g * weight}; },
       -2,
       2,
       {0}},
      {"gradient of prelu by its weight",
       TB_PRELU_WEIGHT_BACKWARD,
       2,
       [](wide g, wide x, wide, const double*) { return exact{x > 0 ? 0 : g * x}; },
       -2,
       2,
       {0}},
      {"gate of glu", TB_GLU_GATE_BACKWARD, 3,
       [](wide g, wide b, wide c, const double*) { return exact{g * b * logistic_slope(c), std::fabs(g * b)}; }, -20,
       20},
      {"squared_difference", TB_SQUARED_DIFFERENCE, 2,
       [](wide a, wide b, wide, const double*) { return exact{(a - b) * (a - b)}; }, -4, 4},
      {"gradient of squared_difference", TB_SQUARED_DIFFERENCE_BACKWARD, 3,
       [](wide g, wide a, wide b, const double*) { return exact{2 * g * (a - b)}; }, -4, 4},
      {"smooth_l1",
       TB_SMOOTH_L1,
       2,
       [](wide a, wide b, wide, const double* k) {
         const wide d = std::fabs(a - b);
         return exact{d < k[0] ? d * d / 2 / k[0] : d - k[0] / 2};
       },
       -4,
       4,
       {},
       {0.75}},
      {"gradient of smooth_l1",
       TB_SMOOTH_L1_BACKWARD,
       3,
       [](wide g, wide a, wide b, const double* k) {
         return exact{g * std::fmin(std::fmax((a - b) / k[0], -1.0L), 1.0L)};
       },
       -4,
       4,
       {},
       {0.75}},
      {"huber",
       TB_HUBER,
       2,
       [](wide a, wide b, wide, const double* k) {
         const wide d = std::fabs(a - b);
         return exact{d < k[0] ? d * d / 2 : (d - k[0] / 2) * k[0]};
       },
       -4,
       4,
       {},
       {0.75}},
      {"gradient of huber",
       TB_HUBER_BACKWARD,
       3,
       [](wide g, wide a, wide b, const double* k) {
         return exact{g * std::fmin(std::fmax(a - b, wide(-k[0])), wide(k[0]))};
       },
       -4,
       4,
       {},
       {0.75}},
      {"hardshrink",
       TB_HARDSHRINK,
       1,
       [](wide x, wide, wide, const double* k) { return exact{std::fabs(x) > k[0] ? x : 0}; },
       -2,
       2,
       {-0.5, 0.5},
       {0.5}},
      {"softshrink",
       TB_SOFTSHRINK,
       1,
       [](wide x, wide, wide, const double* k) {
         return exact{x > k[0] ? x - k[0] : x < -k[0] ? x + k[0] : 0};
       },
       -2,
       2,
       {-0.5, 0.5},
       {0.5}},
      {"threshold",
       TB_THRESHOLD,
       1,
       [](wide x, wide, wide, const double* k) { return exact{x <= k[0] ? k[1] : x}; },
       -2,
       2,
       {0.5},
       {0.5, -7}},
  };
  return all;
}

template <typename T>
tb_status run(const tb_kernels& kernels, const operation& of, const std::vector<array<T>>& operands, std::int64_t first,
              std::int64_t count) {
  tb_elementwise call{};
  call.plan.ndim = 1;
  call.plan.operands = of.inputs + 1;
  call.plan.sizes[0] = count;
  for (int i = 0; i <= of.inputs; ++i) {
    call.plan.operand[i].data = operands[std::size_t(i)].seen_by_kernel() + first;
    call.plan.operand[i].strides[0] = 1;
    call.plan.operand[i].dtype = dtype_of<T>;
  }
  call.op = of.op;
  call.compute = dtype_of<T>;
  for (int i = 0; i < 3; ++i) call.number[i].f = of.numbers[i];
  return kernels.elementwise(&call, nullptr);
}

// The result, and the operands: gradients and values of all sizes, and the thresholds.
template <typename T>
std::vector<array<T>> operands_of(stage& memory, const operation& of, std::int64_t count) {
  random_numbers random(7);
  std::vector<array<T>> all;
  for (int i = 0; i <= of.inputs; ++i) all.push_back(memory.make<T>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    const bool small = n % 3 == 0;
    for (int i = 1; i <= of.inputs; ++i) {
      const double x = i == 1 && of.inputs > 1 ? random.between(-2, 2) : random.between(of.low, of.high);
      all[std::size_t(i)][n] = T(small && (i > 1 || of.inputs == 1) ? std::fmax(of.low, x * 1e-3) : x);
    }
    const auto at = std::size_t(random.bits() >> 9) % 16;
    if (at < of.thresholds.size()) all[of.inputs == 1 ? 1 : 2][n] = T(of.thresholds[at]);
  }
  return all;
}

template <typename T>
double ulps_off(T got, const exact& want) {
  const wide size = std::fmax(std::fabs(want.value), want.beside);
  const int exponent = std::max(size == 0 ? std::numeric_limits<T>::min_exponent : std::ilogb(size),
                                std::numeric_limits<T>::min_exponent - 1);
  return double(std::ldexp(std::fabs(got - want.value), std::numeric_limits<T>::digits - 1 - exponent));
}

template <typename T>
void check_errors(backend here) {
  for (const operation& of : operations()) {
    const std::int64_t count = scaled(20000);
    stage memory(here);
    const auto x = operands_of<T>(memory, of, count);
    REQUIRE(memory.run([&](const tb_kernels& k) { return run(k, of, x, 0, count); }) == TB_OK);
    double worst = 0;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto given = [&](int n) { return n <= of.inputs ? wide(x[std::size_t(n)][i]) : 0; };
      const double numbers[] = {T(of.numbers[0]), T(of.numbers[1]), T(of.numbers[2])};
      const double off = ulps_off(x[0][i], of.model(given(1), given(2), given(3), numbers));
      if (!(off <= worst)) worst = off, at = i;
    }
    INFO(of.name << ": " << worst << " ulp of " << x[1][at] << ", " << x[std::size_t(of.inputs)][at]);
    CHECK(worst <= tb_kernel::gradient_ulps);
  }
}

template <typename T>
int results_that_depend_on_place(backend here) {
  int differences = 0;
  for (const operation& of : operations()) {
    constexpr std::int64_t count = 150;
    stage memory(here);
    const auto x = operands_of<T>(memory, of, count);
    REQUIRE(memory.run([&](const tb_kernels& k) { return run(k, of, x, 0, count); }) == TB_OK);
    const std::vector<T> whole(x[0].begin(), x[0].end());
    for (std::int64_t first = 0; first < count; ++first) {
      for (const std::int64_t last : {first + 1, (first + count) / 2 + 1, count}) {
        REQUIRE(memory.run([&](const tb_kernels& k) { return run(k, of, x, first, last - first); }) == TB_OK);
        differences +=
            std::memcmp(x[0].begin() + first, whole.data() + first, std::size_t(last - first) * sizeof(T)) != 0;
      }
    }
  }
  return differences;
}

}  // namespace

TEMPLATE_TEST_CASE("gradients and losses of elements are within their bound", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  check_errors<float>(here);
  check_errors<double>(here);
}

TEMPLATE_TEST_CASE("gradients: an element depends neither on its place nor on others", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  CHECK(results_that_depend_on_place<float>(here) == 0);
  CHECK(results_that_depend_on_place<double>(here) == 0);
}

// Functions of floating numbers of every magnitude against long double, each within its number of units in the last
// place: of float32 and float64 as they are, of float16 and bfloat16 rounded from float32.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/functions.h"
#include "support/exact_values.h"
#include "support/operator_forms.h"
#include "support/raises.h"
import topbit;

namespace tb = topbit;
using support::approximately;
using support::extended;
using support::forms;
using tb::dtype;
using tb::scalar;
using tb::tensor;

namespace {

using std::numbers::pi_v;

// Where a step on the way underflows, its loss is of this size.
extended least_of(dtype t) { return t == dtype::float64 ? 0x1p-969L : 0x1p-102L; }

// One rounding, which that of the oracle before it may move.
constexpr extended once = 0.501L;

struct function {
  forms names;
  extended units;
  approximately (*f)(extended x, dtype computed);
  extended low = -9, high = 9;
  bool any_dtype = true;
};

forms unary(const std::string& name) { return {"aten::" + name, "aten::" + name + "_", "aten::" + name + ".out"}; }

// Moved up to where the asymptotic series (Abramowitz and Stegun 6.3.18) has no error that counts.
approximately digamma(extended x, dtype) {
  if (x == 0) return std::copysign(extended(INFINITY), -x);
  extended moved = 0, scale = 1;
  if (x < 0) {
    if (x == std::floor(x)) return extended(NAN);
    const extended rest = x - std::trunc(x);
    moved = -pi_v<extended> / std::tan(pi_v<extended> * rest);
    x = 1 - x;
  }
  scale += std::abs(moved);
  for (; x < 30; x += 1) {
    moved -= 1 / x;
    scale += 1 / x;
  }
  const extended y = 1 / (x * x);
  const extended series = y * (1.0L / 12 - y * (1.0L / 120 - y * (1.0L / 252 - y * (1.0L / 240 - y * (1.0L / 132)))));
  return {moved + std::log(x) - 0.5L / x - series, scale};
}

// By bisection of erf, or of its complement, which tells numbers next to 1 apart.
approximately inverse_erf(extended x, dtype) {
  if (!(std::abs(x) < 1)) return std::abs(x) == 1 ? std::copysign(extended(INFINITY), x) : extended(NAN);
  if (x == 0) return x;
  const extended size = std::abs(x);
  extended low = size * 0.88L, high = size < 0.5L ? size : 7;
  for (int i = 0; i < 200 && low < high; ++i) {
    const extended middle = low + (high - low) / 2;
    if (size < 0.5L ? std::erf(middle) < size : std::erfc(middle) > 1 - size)
      low = middle;
    else
      high = middle;
  }
  return std::copysign(low, x);
}

extended softplus(extended x) { return x > 50 ? x : std::log1p(std::exp(x)); }

const std::vector<function>& functions() {
  using e = extended;
  static const std::vector<function> all{
      {unary("reciprocal"), once, [](e x, dtype) -> approximately { return 1 / x; }},
      {unary("sqrt"), once, [](e x, dtype) -> approximately { return std::sqrt(x); }},
      {unary("rsqrt"), 2, [](e x, dtype) -> approximately { return 1 / std::sqrt(x); }},
      {unary("exp"), 2, [](e x, dtype t) -> approximately { return {std::exp(x), least_of(t)}; }},
      {unary("exp2"), 2, [](e x, dtype) -> approximately { return std::exp2(x); }},
      {unary("expm1"), 2, [](e x, dtype) -> approximately { return std::expm1(x); }},
      {unary("log"), 2, [](e x, dtype) -> approximately { return std::log(x); }},
      {unary("log2"), 2, [](e x, dtype) -> approximately { return std::log2(x); }},
      {unary("log10"), 2, [](e x, dtype) -> approximately { return std::log10(x); }},
      {unary("log1p"), 2, [](e x, dtype) -> approximately { return std::log1p(x); }},
      {unary("sin"), 2, [](e x, dtype) -> approximately { return std::sin(x); }},
      {unary("cos"), 2, [](e x, dtype) -> approximately { return std::cos(x); }},
      {unary("tan"), 2, [](e x, dtype) -> approximately { return std::tan(x); }},
      {unary("asin"), 2, [](e x, dtype) -> approximately { return std::asin(x); }, -1.1L, 1.1L},
      {unary("acos"), 2, [](e x, dtype) -> approximately { return std::acos(x); }, -1.1L, 1.1L},
      {unary("atan"), 2, [](e x, dtype) -> approximately { return std::atan(x); }},
      {unary("sinh"), 3, [](e x, dtype) -> approximately { return std::sinh(x); }},
      {unary("cosh"), 3, [](e x, dtype) -> approximately { return std::cosh(x); }},
      {unary("tanh"), 3, [](e x, dtype) -> approximately { return std::tanh(x); }},
      {unary("asinh"), 3, [](e x, dtype) -> approximately { return std::asinh(x); }},
      {unary("acosh"), 3, [](e x, dtype) -> approximately { return std::acosh(x); }, 0.9L, 9},
      {unary("atanh"), 3, [](e x, dtype) -> approximately { return std::atanh(x); }, -1.1L, 1.1L},
      {unary("erf"), 2, [](e x, dtype) -> approximately { return std::erf(x); }},
      {unary("erfc"), 6, [](e x, dtype) -> approximately { return std::erfc(x); }},
      {unary("erfinv"), 4, inverse_erf, -1.1L, 1.1L},
      // Near its zeros, of which those below 0 are as many as whole numbers, only the absolute error is small.
      {unary("lgamma"), 8, [](e x, dtype) -> approximately { return {std::lgamma(x), x < 0 ? e(64) : e(1)}; }},
      {unary("digamma"), 16, digamma},
      {unary("sigmoid"), 4, [](e x, dtype t) -> approximately { return {oracle::sigmoid(x), least_of(t)}; }},
      {unary("silu"), 4, [](e x, dtype t) -> approximately { return {oracle::silu(x), least_of(t) * 256}; }, -9, 9,
       false},
      {unary("mish"), 4, [](e x, dtype t) -> approximately { return {x * std::tanh(softplus(x)), least_of(t) * 256}; },
       -9, 9, false},
      {unary("hardswish"), 4, [](e x, dtype) -> approximately { return {x * std::clamp(x + 3, e(0), e(6)) / 6, 3}; },
       -9, 9, false},
      {unary("hardsigmoid"), 4, [](e x, dtype) -> approximately { return {std::clamp(x + 3, e(0), e(6)) / 6, 1}; }, -9,
       9, false},
      {{"aten::log_sigmoid", "", "aten::log_sigmoid.out"},
       3,
       [](e x, dtype t) -> approximately { return {x < 0 ? x - softplus(x) : -softplus(-x), least_of(t)}; },
       -9,
       9,
       false},
      {unary("square"), once, [](e x, dtype) -> approximately { return x * x; }, -9, 9, false},
      {unary("ceil"), 0, [](e x, dtype) -> approximately { return std::ceil(x); }, -9, 9, false},
      {unary("floor"), 0, [](e x, dtype) -> approximately { return std::floor(x); }, -9, 9, false},
      {unary("round"), 0, [](e x, dtype) -> approximately { return std::nearbyint(x); }, -9, 9, false},
      {unary("trunc"), 0, [](e x, dtype) -> approximately { return std::trunc(x); }, -9, 9, false},
      {unary("frac"), 0, [](e x, dtype) -> approximately { return x - std::trunc(x); }, -9, 9, false},
      {unary("neg"), 0, [](e x, dtype) -> approximately { return -x; }, -9, 9, false},
      {unary("abs"), 0, [](e x, dtype) -> approximately { return std::abs(x); }, -9, 9, false},
      {unary("sgn"), 0, [](e x, dtype) -> approximately { return e(x > 0) - e(x < 0); }, -9, 9, false},
      {unary("sign"), 0, [](e x, dtype) -> approximately { return e(x > 0) - e(x < 0); }, -9, 9, false},
  };
  return all;
}

void check(const function& o, const support::arguments& given, dtype t, support::edge_numbers& source) {
  const dtype type = tb::is_floating(t) ? t : dtype::float32;
  support::check_forms(o.names, given, type, type, o.units, source,
                       [&](const extended* v) { return o.f(v[0], support::computed_in(type)); });
}

}  // namespace

TEST_CASE("functions: of one argument, of every magnitude", "[ops][property]") {
  support::edge_numbers source(41);
  for (const function& o : functions()) {
    for (dtype t : tb::all_dtypes) {
      if (!tb::is_floating(t) && !o.any_dtype) continue;
      for (int round = 0; round < 10; ++round) {
        check(o, {tb::value(source.operand(source.any_shape(), t, o.low, o.high))}, t, source);
      }
    }
  }
}

TEST_CASE("functions: activations with their parameters", "[ops][property]") {
  support::edge_numbers source(42);
  using e = extended;
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    const dtype in = support::computed_in(t);
    for (int round = 0; round < 20; ++round) {
      const tensor x = source.operand(source.any_shape(), t);
      // Numbers that float32 holds.
      const double a = double(source.whole(-24, 24)) / 8, b = double(source.whole(1, 24)) / 8, c = b / 2;
      const auto run = [&](const forms& names, std::vector<scalar> numbers, e units, auto wanted) {
        support::arguments given{tb::value(x)};
        for (const scalar& n : numbers) given.push_back(tb::value(n));
        support::check_forms(names, given, t, t, units, source, wanted);
      };
      run(unary("leaky_relu"), {a}, 0, [&](const e* v) { return v[0] > 0 ? v[0] : v[0] * e(a); });
      run(unary("elu"), {a, b, c}, 6, [&](const e* v) -> approximately {
        if (v[0] > 0) return v[0] * e(b);
        return {std::expm1(v[0] * e(c)) * e(a) * e(b), least_of(in)};
      });
      run({"aten::celu", "aten::celu_", ""}, {b}, 6, [&](const e* v) -> approximately {
        if (v[0] > 0) return v[0];
        return {std::expm1(v[0] / e(b)) * e(b), 4 * e(b)};
      });
      run({"aten::selu", "aten::selu_", ""}, {}, 6, [&](const e* v) -> approximately {
        constexpr e alpha = 1.6732632423543772848L, scale = 1.0507009873554804934L;
        return v[0] > 0 ? approximately(v[0] * scale) : approximately(std::expm1(v[0]) * alpha * scale, least_of(in));
      });
      run({"aten::softplus", "", "aten::softplus.out"}, {b, 10 * c}, 4, [&](const e* v) -> approximately {
        const e scaled = v[0] * e(b);
        // The exponent of e was rounded.
        const auto softened = [&](e y) { return std::max(std::log1p(std::exp(y)) * (1 + std::abs(y)), least_of(in)); };
        return scaled > e(10 * c) ? v[0] : approximately(std::log1p(std::exp(scaled)) / e(b), softened(scaled) / e(b));
      });
      run({"aten::relu", "aten::relu_", ""}, {}, 0, [](const e* v) { return v[0] <= 0 ? e(0) : v[0]; });
      const support::arguments exact{tb::value(x), tb::value(std::string_view("none"))},
          rough{tb::value(x), tb::value(std::string_view("tanh"))};
      // 1 + erf has lost what erf has next to -1.
      support::check_forms(unary("gelu"), exact, t, t, 6, source, [](const e* v) -> approximately {
        return {v[0] * (1 + std::erf(v[0] / std::sqrt(e(2)))) / 2, v[0]};
      });
      support::check_forms(unary("gelu"), rough, t, t, 8, source, [&](const e* v) -> approximately {
        const e cubed = oracle::stored(in, v[0] * v[0] * v[0]);
        const e inner = std::sqrt(2 / pi_v<e>) * (v[0] + 0.044715L * cubed);
        return {v[0] * (1 + std::tanh(inner)) / 2, v[0]};
      });
    }
  }
}

TEST_CASE("functions: logit with and without eps", "[ops][property]") {
  support::edge_numbers source(43);
  for (dtype t : tb::all_dtypes) {
    const dtype type = tb::is_floating(t) ? t : dtype::float32;
    for (const std::optional<double>& eps : {std::optional<double>(), std::optional(0.25), std::optional(0.0)}) {
      const tensor x = source.operand(source.any_shape(), t, -0.2L, 1.2L);
      support::check_forms(unary("logit"), {tb::value(x), tb::value(eps)}, type, type, 4, source,
                           [&](const extended* v) -> approximately {
                             const extended p =
                                 eps && !std::isnan(v[0]) ? std::clamp(v[0], extended(*eps), 1 - extended(*eps)) : v[0];
                             return {std::log(p / (1 - p)), 1};
                           });
    }
  }
}

TEST_CASE("functions: of two arguments, of any two dtypes", "[ops][property]") {
  support::edge_numbers source(44);
  struct binary {
    forms names;
    extended units;
    approximately (*f)(extended, extended);
  };
  using e = extended;
  const binary all[] = {
      {{"aten::div.Tensor", "aten::div_.Tensor", "aten::div.out"},
       once,
       [](e a, e b) -> approximately { return a / b; }},
      {unary("atan2"), 2, [](e a, e b) -> approximately { return std::atan2(a, b); }},
      {unary("hypot"), 2, [](e a, e b) -> approximately { return std::hypot(a, b); }},
      {{"aten::logaddexp", "", "aten::logaddexp.out"},
       3,
       [](e a, e b) -> approximately {
         if (a == b && std::isinf(a)) return a;
         const e high = std::isnan(a) || a > b ? a : b;
         const e apart = std::abs(a - b), more = std::log1p(std::exp(-apart));
         return {high + more, std::max(std::abs(high), more * (1 + apart))};
       }},
      {{"aten::xlogy.Tensor", "aten::xlogy_.Tensor", "aten::xlogy.OutTensor"}, 3, [](e a, e b) -> approximately {
         return std::isnan(b) ? b : a == 0 ? 0 : a * std::log(b);
       }}};
  for (const binary& o : all) {
    for (dtype first : tb::all_dtypes) {
      for (dtype second : tb::all_dtypes) {
        for (int round = 0; round < 2; ++round) {
          const tb::shape sizes = source.any_shape();
          const tensor a = source.operand(sizes, first), b = source.operand(source.narrowed(sizes), second);
          const dtype promoted = oracle::naive_promoted(a, b);
          const dtype type = tb::is_floating(promoted) ? promoted : dtype::float32;
          support::check_forms(o.names, {tb::value(a), tb::value(b)}, type, type, o.units, source,
                               [&](const e* v) { return o.f(v[0], v[1]); });
        }
      }
    }
  }
}

TEST_CASE("functions: lerp and heaviside refuse numbers of another dtype too", "[ops]") {
  const tensor narrow = tb::to(tb::tensor(std::vector<float>{1, 2, 3}), dtype::float16), number = tb::tensor(0.5);
  REQUIRE(number.dim() == 0);
  const auto text = [](auto call) { return toy::text_of<tb::dtype_error>(call); };
  CHECK(text([&] { tb::aten::lerp_Tensor(narrow, narrow, number); }).find("wanted one dtype") != std::string::npos);
  CHECK(text([&] { tb::aten::heaviside(narrow, number); }).find("wanted one dtype") != std::string::npos);
}

TEST_CASE("functions: lerp is exact at its ends and between them to two roundings", "[ops][property]") {
  support::edge_numbers source(45);
  using e = extended;
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    const dtype in = support::computed_in(t);
    const auto wanted = [in](e a, e b, e c) -> approximately {
      const e d = oracle::stored(in, b - a), r = oracle::stored(in, 1 - c);
      const e up = oracle::stored(in, c * d), down = oracle::stored(in, d * r);
      const bool from_start = std::abs(c) < 0.5L;
      return {from_start ? a + up : b - down, std::max({std::abs(a), std::abs(b), std::abs(from_start ? up : down)})};
    };
    for (int round = 0; round < 20; ++round) {
      const tb::shape sizes = source.any_shape();
      const tensor a = source.operand(sizes, t), b = source.operand(source.narrowed(sizes), t),
                   c = source.operand(source.narrowed(sizes), t, -1, 2);
      support::check_forms({"aten::lerp.Tensor", "aten::lerp_.Tensor", "aten::lerp.Tensor_out"},
                           {tb::value(a), tb::value(b), tb::value(c)}, t, t, 3, source,
                           [&](const e* v) { return wanted(v[0], v[1], v[2]); });
      const double weight = round == 0 ? 1 : round == 1 ? 0 : double(source.whole(-4, 8)) / 4;
      support::check_forms({"aten::lerp.Scalar", "aten::lerp_.Scalar", ""},
                           {tb::value(a), tb::value(b), tb::value(scalar(weight))}, t, t, round < 2 ? 1.01L : 3, source,
                           [&](const e* v) -> approximately {
                             if (round < 2 && std::isfinite(oracle::stored(in, v[1] - v[0]))) return v[round == 0];
                             return wanted(v[0], v[1], e(weight));
                           });
    }
  }
}

TEST_CASE("functions: round to decimals keeps integers", "[ops][property]") {
  support::edge_numbers source(46);
  const forms names{"aten::round.decimals", "aten::round_.decimals", "aten::round.decimals_out"};
  for (dtype t : tb::all_dtypes) {
    for (const std::int64_t decimals : {0, 1, 2, 5, 15, 38, 39, 308, 309, 4000, -1, -2, -5, -38, -39, -308, -309}) {
      const tensor x = source.operand(source.any_shape(), t, -999, 999);
      const support::arguments given{tb::value(x), tb::value(decimals)};
      if (t == dtype::boolean) {
        CHECK_THROWS_AS(support::call_form(names.functional, given), tb::dtype_error);
        continue;
      }
      const dtype in = support::computed_in(t);
      support::check_forms(names, given, t, t, 1, source, [&](const extended* v) -> approximately {
        if (!tb::is_floating(t) || !std::isfinite(v[0])) return v[0];
        // Both steps round in the type of the computation, which decides ties.
        const extended scale = oracle::stored(in, std::pow(extended(10), extended(std::abs(decimals))));
        if (decimals < 0) {
          const extended whole = std::nearbyint(oracle::stored(in, v[0] / scale));
          return whole == 0 ? whole : whole * scale;
        }
        const extended scaled = oracle::stored(in, v[0] * scale);
        return std::isinf(scaled) || std::isnan(scaled) ? v[0] : std::nearbyint(scaled) / scale;
      });
    }
  }
}

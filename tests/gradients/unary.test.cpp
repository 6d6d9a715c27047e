// Gradients of functions of one tensor.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/elementwise_functions.h"
#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_gradients;
using support::unary_function;
using support::unary_functions;
using support::values;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

std::vector<double> slopes(const std::function<tensor(const tensor&)>& f, const std::vector<double>& at) {
  const tensor x = tb::require_grad(support::tensor_of(at, {static_cast<std::int64_t>(at.size())}, tb::dtype::float64));
  return values(tb::grad(aten::sum(f(x)), x));
}
std::string unlike(const std::vector<double>& found, const std::vector<double>& wanted) {
  return support::difference(found, wanted, 1e-12);
}

constexpr double inf = std::numeric_limits<double>::infinity(), NaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("unary gradients: every function", "[gradients]") {
  for (const unary_function& f : unary_functions) {
    check_gradients({f.name, {{2, 3}}, [&](in x) { return out{f.call(x[0])}; }, f.low, f.high, f.not_near});
  }
}

TEST_CASE("unary gradients: every function in place", "[gradients]") {
  for (const unary_function& f : unary_functions) {
    check_gradients({f.name + "_",
                     {{2, 2}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f.call_in_place(y);
                       return out{y};
                     },
                     f.low,
                     f.high,
                     f.not_near});
  }
}

TEST_CASE("unary gradients: of a zero-dimensional and an empty tensor", "[gradients]") {
  for (const tb::shape& sizes : {tb::shape{}, tb::shape{0, 3}}) {
    check_gradients({"exp", {sizes}, [](in x) { return out{aten::exp(x[0])}; }});
    check_gradients({"log1p", {sizes}, [](in x) { return out{aten::log1p(x[0])}; }, 0.3, 2});
    check_gradients({"tanh", {sizes}, [](in x) { return out{aten::tanh(x[0])}; }});
    check_gradients({"floor", {sizes}, [](in x) { return out{aten::floor(x[0])}; }, 0.3, 0.7});
    check_gradients({"digamma", {sizes}, [](in x) { return out{aten::digamma(x[0])}; }, 0.4, 4});
  }
}

// PyTorch 2.15 gives these.
TEST_CASE("unary gradients: at corners and poles", "[gradients]") {
  CHECK(unlike(slopes([](const tensor& x) { return aten::abs(x); }, {-2, 0, -0.0, 3}), {-1, 0, 0, 1}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::sqrt(x); }, {0, 4}), {inf, 0.25}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::nan_to_num(x); }, {NaN, inf, -inf, 1}), {0, 0, 0, 1}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::logit(x); }, {-1, 0, 0.5, 1, 2}), {NaN, inf, 4, inf, NaN}) ==
        "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::logit(x, 0.1); }, {0.1, 0.05, 0.5, 0.95, 2, NaN}),
               {1 / 0.09, 0, 4, 0, 0, NaN}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::sign(x); }, {-1, 0, 1}), {0, 0, 0}) == "");
  // Trigamma, by its series and exact fractions, and pi^2 / 2 at a half.
  CHECK(support::difference(slopes([](const tensor& x) { return aten::digamma(x); }, {-0.5, 0.25, 0.5, 1, 3, 40}),
                            {8.934802200544679, 17.19732915450711, 4.934802200544679, 1.6449340668482264,
                             0.39493406684822646, 0.02531510384129103},
                            1e-14) == "");
  CHECK(slopes([](const tensor& x) { return aten::digamma(x); }, {0})[0] == inf);
}

// A pole of the reflection that digamma's gradient uses below 1/2 lies at every whole number.
TEST_CASE("unary gradients: the second derivative of digamma is finite at whole numbers", "[gradients]") {
  // -2 zeta(3), and with 2 and 2 / 8 more.
  const std::vector<double> wanted = {-2.4041138063, -0.4041138063, -0.1541138063};
  for (const auto& [type, tolerance] : {std::pair(tb::dtype::float32, 1e-5), std::pair(tb::dtype::float16, 0.02)}) {
    const tensor x = tb::require_grad(support::tensor_of({1, 2, 3}, {3}, type));
    const tensor once = tb::grad(aten::sum(aten::digamma(x)), x, {.create_graph = true});
    CHECK(support::difference(values(tb::grad(aten::sum(once), x)), wanted, tolerance) == "");
  }
}

// As in PyTorch: what is kept for backward must not be written to, the other of argument and result may be.
TEST_CASE("unary gradients: arguments that may be written before backward", "[gradients]") {
  const tensor leaf = tb::require_grad(support::tensor_of({0.5}, {1}, tb::dtype::float64));
  const auto passes = [&](const unary_function& f, bool write_result) {
    const tensor x = leaf * 1;
    tensor y = f.call(x), written = write_result ? y : x;
    {
      const tb::no_grad off;
      aten::mul_Scalar_(written, 2);
    }
    try {
      tb::grad(aten::sum(y), leaf);
      return true;
    } catch (const tb::error&) {
      return false;
    }
  };
  const std::vector<std::string> keep_result = {"sqrt",  "rsqrt", "reciprocal", "exp",    "exp2",
                                                "expm1", "tan",   "tanh",       "sigmoid"};
  const std::vector<std::string> keep_nothing = {"neg",  "rad2deg", "frac",  "sign",  "sgn",
                                                 "ceil", "floor",   "trunc", "round", "round to a decimal"};
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const unary_function& f : unary_functions) {
    INFO(f.name);
    CHECK(passes(f, true) == !among(keep_result, f.name));
    CHECK(passes(f, false) == (among(keep_result, f.name) || among(keep_nothing, f.name)));
  }
}

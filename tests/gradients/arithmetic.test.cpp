// Gradients of operators of several tensors, element by element.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
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
using support::binary_function;
using support::binary_functions;
using support::check_gradients;
using support::values;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

using two = std::function<tensor(const tensor&, const tensor&)>;

#define ONE(f) [](const tensor& a, const tensor& b) { return tb::f(a, b); }

// Arguments of one operator whose elements are never equal.
tensor apart(const tensor& t) { return aten::mul_Scalar(aten::add_Scalar(t, 0.01), 1.03); }

struct slopes_of_two {
  std::vector<double> first, second;
};
slopes_of_two slopes(const two& f, const std::vector<double>& a, const std::vector<double>& b) {
  const auto leaf = [](const std::vector<double>& v) {
    return tb::require_grad(support::tensor_of(v, {static_cast<std::int64_t>(v.size())}, tb::dtype::float64));
  };
  const out x{leaf(a), leaf(b)}, total{aten::sum(f(x[0], x[1]))};
  const out g = tb::grad(total, x);
  return {values(g[0]), values(g[1])};
}
std::string unlike(const slopes_of_two& found, const std::vector<double>& first, const std::vector<double>& second) {
  return support::difference(found.first, first, 1e-12) + support::difference(found.second, second, 1e-12);
}
tensor leaf_of(const std::vector<double>& v) {
  return tb::require_grad(support::tensor_of(v, {static_cast<std::int64_t>(v.size())}, tb::dtype::float64));
}
std::vector<double> slopes(const std::function<tensor(const tensor&)>& f, const std::vector<double>& at) {
  const tensor x = leaf_of(at);
  return values(tb::grad(aten::sum(f(x)), x));
}
std::string unlike(const std::vector<double>& found, const std::vector<double>& wanted) {
  return support::difference(found, wanted, 1e-12);
}

constexpr double inf = std::numeric_limits<double>::infinity(), NaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("arithmetic gradients: every operator, broadcast", "[gradients]") {
  const std::vector<std::pair<tb::shape, tb::shape>> shapes{{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}},
                                                            {{}, {3}},        {{}, {}},      {{0, 3}, {3}}};
  for (const binary_function& f : binary_functions) {
    for (const auto& [a, b] : shapes) {
      check_gradients(
          {f.name, {a, b}, [&](in x) { return out{f.call(x[0], apart(x[1]))}; }, f.low, f.high, {0}, true, f.narrow});
    }
  }
}

TEST_CASE("arithmetic gradients: every operator in place", "[gradients]") {
  for (const binary_function& f : binary_functions) {
    if (!f.call_in_place) continue;
    check_gradients({f.name + "_",
                     {{2, 3}, {3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f.call_in_place(y, apart(x[1]));
                       return out{y};
                     },
                     f.low,
                     f.high,
                     {0},
                     true,
                     f.narrow});
    // Nothing is wanted of the other one, so that the rule keeps less.
    check_gradients({f.name + "_ of a constant",
                     {{2, 3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f.call_in_place(y,
                                       tb::to(support::tensor_of({0.61, 0.83}, {2, 1}, tb::dtype::float64), y.dtype()));
                       return out{y};
                     },
                     0.45,
                     0.95,
                     {0.61, 0.83}});
  }
}

TEST_CASE("arithmetic gradients: in-place comparisons have none", "[gradients]") {
  using writing = std::function<void(tensor&, const tensor&)>;
  for (const writing& f : {writing(aten::eq_Tensor_), writing(aten::ne_Tensor_), writing(aten::lt_Tensor_),
                           writing(aten::le_Tensor_), writing(aten::gt_Tensor_), writing(aten::ge_Tensor_)}) {
    check_gradients({"comparison",
                     {{2, 3}, {3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f(y, apart(x[1]));
                       return out{y, y + x[0]};
                     },
                     -2,
                     2,
                     {0},
                     true,
                     false});
  }
}

TEST_CASE("arithmetic gradients: the gradient of a sum is passed on without copying", "[gradients]") {
  const tensor a = tb::require_grad(support::tensor_of({1, 2}, {2})),
               b = tb::require_grad(support::tensor_of({3, 4}, {2}));
  const tensor g = support::tensor_of({5, 6}, {2});
  const auto shares = [&](const tensor& y) {
    const tensor roots[] = {y}, leaves[] = {a, b};
    const std::vector<tensor> found = tb::grad(roots, leaves, {.gradients = {g}});
    return found[0].data() == g.data() && found[1].data() == g.data();
  };
  CHECK(shares(a + b));
  CHECK(shares(aten::add_Tensor(a, b, tb::arg<"alpha"> = 1.0)));
  CHECK_FALSE(shares(aten::add_Tensor(a, b, tb::arg<"alpha"> = 2)));
}

TEST_CASE("arithmetic gradients: one of the arguments is a constant", "[gradients]") {
  for (const binary_function& f : binary_functions) {
    const tensor c = support::tensor_of({0.61, 0.83}, {2, 1}, tb::dtype::float64);
    const auto beside = [&](const tensor& x) { return tb::to(c, x.dtype()); };
    const auto check = [&](const std::function<out(in)>& run) {
      check_gradients({f.name, {{2, 3}}, run, 0.45, 0.95, {0.61, 0.83}, true, f.narrow});
    };
    check([&](in x) { return out{f.call(x[0], beside(x[0]))}; });
    check([&](in x) { return out{f.call(beside(x[0]), x[0])}; });
  }
}

TEST_CASE("arithmetic gradients: a tensor with itself", "[gradients]") {
  for (const binary_function& f : binary_functions) {
    if (f.name.starts_with("div rounded") || f.name == "floor_divide" || f.name == "remainder" || f.name == "fmod")
      continue;
    check_gradients({f.name, {{2, 3}}, [&](in x) { return out{f.call(x[0], x[0])}; }, 0.4, 1.5});
    if (!f.call_in_place) continue;
    check_gradients({f.name + "_",
                     {{2, 3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f.call_in_place(y, y);
                       return out{y};
                     },
                     0.4,
                     1.5});
  }
}

TEST_CASE("arithmetic gradients: with scalars", "[gradients]") {
  const auto check = [](const std::string& name, const std::function<tensor(const tensor&)>& f, double low = 0.4) {
    check_gradients({name, {{2, 3}}, [&](in x) { return out{f(x[0])}; }, low, 1.9, {0, 0.7, 1.4, 2.1}});
  };
  const auto check_in_place = [](const std::string& name, const std::function<void(tensor&)>& f, double low = 0.4) {
    check_gradients({name,
                     {{2, 3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f(y);
                       return out{y};
                     },
                     low,
                     1.9,
                     {0, 0.7, 1.4, 2.1}});
  };
  using X = const tensor&;
  using Y = tensor&;
  check("x + 2", [](X x) { return x + 2; });
  check("3 - x", [](X x) { return 3 - x; });
  check("x * 2", [](X x) { return x * 2; });
  check("x / 3", [](X x) { return x / 3; });
  check("2 / x", [](X x) { return 2 / x; });
  check("div_mode", [](X x) { return aten::div_Scalar_mode(x, 0.7, tb::arg<"rounding_mode"> = "floor"); });
  check("floor_divide", [](X x) { return aten::floor_divide_Scalar(x, 0.7); });
  check("remainder", [](X x) { return aten::remainder_Scalar(x, 0.7); });
  check("fmod", [](X x) { return aten::fmod_Scalar(x, 0.7); });
  check("copysign", [](X x) { return aten::copysign_Scalar(x, -1); }, -2);
  check("xlogy", [](X x) { return aten::xlogy_Scalar_Other(x, 3); });
  check("xlogy of a number", [](X x) { return aten::xlogy_Scalar_Self(3, x); });
  for (const double e : {-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 2.5})
    check("pow", [=](X x) { return aten::pow_Tensor_Scalar(x, e); });
  check("pow, below 0", [](X x) { return aten::pow_Tensor_Scalar(x, 2); }, -2);
  check("pow, below 0", [](X x) { return aten::pow_Tensor_Scalar(x, 3); }, -2);
  for (const double b : {0.0, 0.5, 1.0, 2.0}) check("power of a number", [=](X x) { return aten::pow_Scalar(b, x); });
  check_in_place("x += 2", [](Y y) { y += 2; });
  check_in_place("x -= 2", [](Y y) { y -= 2; });
  check_in_place("x *= 3", [](Y y) { y *= 3; });
  check_in_place("x /= 3", [](Y y) { y /= 3; });
  check_in_place("pow_", [](Y y) { aten::pow_Scalar_(y, 3); });
  check_in_place("remainder_", [](Y y) { aten::remainder_Scalar_(y, 0.7); });
  check_in_place("fmod_", [](Y y) { aten::fmod_Scalar_(y, 0.7); });
  check_in_place("copysign_", [](Y y) { aten::copysign_Scalar_(y, -1); }, -2);
  check_in_place("xlogy_", [](Y y) { aten::xlogy_Scalar_Other_(y, 3); });
  check_in_place("div_mode_", [](Y y) { aten::div_Scalar_mode_(y, 0.7, tb::arg<"rounding_mode"> = "trunc"); });
  check_in_place("floor_divide_", [](Y y) { aten::floor_divide_Scalar_(y, 0.7); });
}

TEST_CASE("arithmetic gradients: clamp", "[gradients]") {
  const auto check = [](std::optional<tb::scalar> min, std::optional<tb::scalar> max) {
    check_gradients({"clamp", {{2, 3}}, [&](in x) { return out{aten::clamp(x[0], min, max)}; }, -2, 2, {-0.5, 1}});
    check_gradients({"clamp_",
                     {{2, 3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       aten::clamp_(y, min, max);
                       return out{y};
                     },
                     -2,
                     2,
                     {-0.5, 1}});
  };
  check(-0.5, 1);
  check(-0.5, std::nullopt);
  check(std::nullopt, 1);
  check(1, -0.5);
  check_gradients({"clamp_min", {{5}}, [](in x) { return out{aten::clamp_min(x[0], 1)}; }, -2, 2, {1}});
  check_gradients({"clamp_max", {{5}}, [](in x) { return out{aten::clamp_max(x[0], 1)}; }, -2, 2, {1}});
  check_gradients({"clamp between tensors", {{2, 3}, {3}, {2, 1}}, [](in x) {
                     return out{aten::clamp_Tensor(x[0], apart(x[1]), aten::add_Scalar(x[2], 2.0137))};
                   }});
  using writing = std::function<void(tensor&, const tensor&)>;
  for (const writing& f : {writing([](tensor& y, const tensor& b) { aten::clamp_Tensor_(y, b, std::nullopt); }),
                           writing([](tensor& y, const tensor& b) { aten::clamp_Tensor_(y, std::nullopt, b); }),
                           writing(aten::clamp_min_Tensor_), writing(aten::clamp_max_Tensor_)}) {
    check_gradients({"clamp_ by a tensor", {{2, 3}, {3}}, [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f(y, apart(x[1]));
                       return out{y};
                     }});
    check_gradients({"clamp_ of a constant by a tensor", {{3}}, [&](in x) {
                       tensor y = tb::to(support::tensor_of({-1, 0.1, 1}, {3}), x[0].dtype());
                       f(y, x[0]);
                       return out{y};
                     }});
  }
}

TEST_CASE("arithmetic gradients: of three tensors", "[gradients]") {
  const std::vector<std::vector<tb::shape>> shapes{{{2, 3}, {2, 3}, {2, 3}}, {{2, 3}, {3}, {2, 1}}, {{}, {}, {}}};
  for (const auto& s : shapes) {
    check_gradients({"lerp", s, [](in x) { return out{aten::lerp_Tensor(x[0], x[1], x[2])}; }});
    check_gradients({"addcmul", s, [](in x) { return out{aten::addcmul(x[0], x[1], x[2], tb::arg<"value"> = 0.7)}; }});
    check_gradients(
        {"addcdiv", s, [](in x) { return out{aten::addcdiv(x[0], x[1], x[2], tb::arg<"value"> = 0.7)}; }, 0.5, 2});
    check_gradients({"lerp_", s, [](in x) {
                       tensor y = aten::clone(x[0]);
                       aten::lerp_Tensor_(y, x[1], x[2]);
                       return out{y};
                     }});
    check_gradients({"addcmul_", s, [](in x) {
                       tensor y = aten::clone(x[0]);
                       aten::addcmul_(y, x[1], x[2], tb::arg<"value"> = 0.7);
                       return out{y};
                     }});
    check_gradients({"addcdiv_", s,
                     [](in x) {
                       tensor y = aten::clone(x[0]);
                       aten::addcdiv_(y, x[1], x[2], tb::arg<"value"> = 0.7);
                       return out{y};
                     },
                     0.5, 2});
  }
  check_gradients({"addcmul", {{3}, {3}, {3}}, [](in x) { return out{aten::addcmul(x[0], x[1], x[2])}; }});
  check_gradients({"addcdiv", {{3}, {3}, {3}}, [](in x) { return out{aten::addcdiv(x[0], x[1], x[2])}; }, 0.5, 2});
  check_gradients({"lerp by a number", {{3}, {3}}, [](in x) { return out{aten::lerp_Scalar(x[0], x[1], 0.3)}; }});
  check_gradients({"lerp_ by a number", {{3}, {3}}, [](in x) {
                     tensor y = aten::clone(x[0]);
                     aten::lerp_Scalar_(y, x[1], 0.3);
                     return out{y};
                   }});
}

TEST_CASE("arithmetic gradients: where", "[gradients]") {
  for (const auto& [a, b] : {std::pair<tb::shape, tb::shape>({2, 3}, {2, 3}), {{3}, {2, 1}}, {{}, {2, 3}}}) {
    check_gradients({"where", {a, b}, [](in x) {
                       const tensor which = support::tensor_of({1, 0, 0, 1, 1, 0}, {2, 3}, tb::dtype::boolean);
                       return out{aten::where_self(which, x[0], x[1])};
                     }});
  }
  check_gradients({"where and a number", {{3}}, [](in x) {
                     const tensor which = support::tensor_of({1, 0, 1}, {3}, tb::dtype::boolean);
                     return out{aten::where_ScalarSelf(which, 2, x[0]), aten::where_ScalarOther(which, x[0], 2)};
                   }});
}

// PyTorch 2.15 gives these.
TEST_CASE("arithmetic gradients: equal elements, zeros, infinities and NaN", "[gradients]") {
  CHECK(unlike(slopes(ONE(maximum), {1, 1, 2, NaN, 1, inf}, {1, 2, 1, 1, NaN, inf}), {0.5, 0, 1, 1, 1, 0.5},
               {0.5, 1, 0, 1, 1, 0.5}) == "");
  CHECK(unlike(slopes(ONE(minimum), {1, 1, 2, NaN, 1, -inf}, {1, 2, 1, 1, NaN, -inf}), {0.5, 1, 0, 1, 1, 0.5},
               {0.5, 0, 1, 1, 1, 0.5}) == "");
  CHECK(unlike(slopes(ONE(fmax), {1, 1, 2, NaN, 1, NaN}, {1, 2, 1, 1, NaN, NaN}), {0.5, 0, 1, 0, 1, 1},
               {0.5, 1, 0, 1, 0, 0}) == "");
  CHECK(unlike(slopes(ONE(fmin), {1, 1, 2, NaN, 1, NaN}, {1, 2, 1, 1, NaN, NaN}), {0.5, 1, 0, 0, 1, 1},
               {0.5, 0, 1, 1, 0, 0}) == "");
  CHECK(unlike(slopes(ONE(pow), {0, 0, 0, 0, 2, -2, 0}, {0, 1, 2, -1, 3, 3, 0.5}), {0, 1, 0, -inf, 12, 12, inf},
               {0, 0, 0, -inf, 8 * std::log(2), NaN, 0}) == "");
  CHECK(unlike(slopes(ONE(xlogy), {0, 0, 1, 1, 0, 0}, {0, 1, 2, 0, -1, NaN}), {0, 0, std::log(2), -inf, 0, NaN},
               {NaN, 0, 0.5, inf, -0.0, NaN}) == "");
  CHECK(unlike(slopes(ONE(copysign), {0, 1, -2, -3, 3}, {1, -1, -1, 0, -0.0}), {0, -1, 1, -1, -1}, {0, 0, 0, 0, 0}) ==
        "");
  CHECK(unlike(slopes(ONE(atan2), {0}, {0}), {0}, {0}) == "");
  CHECK(unlike(slopes(ONE(hypot), {0, 3}, {0, 4}), {NaN, 0.6}, {NaN, 0.8}) == "");
  CHECK(unlike(slopes(ONE(logaddexp), {0, -inf, 800}, {0, 0, -800}), {0.5, 0, 1}, {0.5, 1, 0}) == "");
  CHECK(unlike(slopes(ONE(fmod), {5, -5}, {3, 3}), {1, 1}, {-1, 1}) == "");
  CHECK(unlike(slopes(ONE(remainder), {5, -5}, {3, 3}), {1, 1}, {-1, 2}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::clamp(x, -1, 1); }, {-1, 1, 0, 2, NaN}), {0, 0, 1, 0, 0}) ==
        "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::clamp(x, 1, -1); }, {-2, -1, 0, 1, 2}), {0, 0, 0, 0, 0}) ==
        "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::pow_Tensor_Scalar(x, 0); }, {0, 1, NaN}), {0, 0, 0}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::pow_Tensor_Scalar(x, 1); }, {0}), {1}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::pow_Tensor_Scalar(x, 0.5); }, {0}), {inf}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::pow_Scalar(0, x); }, {0, 1, -1}), {0, 0, -inf}) == "");
  CHECK(unlike(slopes([](const tensor& x) { return aten::pow_Scalar(-2, x); }, {2}), {NaN}) == "");
}

// PyTorch has none: the value counts where self is 0.
TEST_CASE("arithmetic gradients: heaviside's value at 0", "[gradients]") {
  CHECK(unlike(slopes(ONE(heaviside), {-1, 0, 1}, {3, 4, 5}), {0, 0, 0}, {0, 1, 0}) == "");
}

TEST_CASE("arithmetic gradients: two floating types", "[gradients]") {
  const tensor a = tb::require_grad(support::tensor_of({1, 2}, {2}, tb::dtype::float32));
  const tensor b = leaf_of({3, 5});
  for (const auto& [f, wanted] :
       {std::pair<two, std::vector<double>>(ONE(mul), {3, 5, 1, 2}), {ONE(add), {1, 1, 1, 1}}}) {
    const out x{a, b}, total{aten::sum(f(a, b))};
    const out g = tb::grad(total, x);
    CHECK(g[0].dtype() == tb::dtype::float32);
    CHECK(g[1].dtype() == tb::dtype::float64);
    std::vector<double> found = values(g[0]);
    for (const double d : values(g[1])) found.push_back(d);
    CHECK(found == wanted);
  }
}

// As in PyTorch: what no wanted gradient reads may be written to before backward.
TEST_CASE("arithmetic gradients: only tensors that are read are saved", "[gradients]") {
  const tensor w = leaf_of({2}), constant = support::tensor_of({5}, {1}, tb::dtype::float64);
  const auto passes = [](const tensor& y, tensor written, const tensor& leaf) {
    {
      const tb::no_grad off;
      written += 1;
    }
    try {
      tb::grad(aten::sum(y), leaf, {.retain_graph = true});
      return true;
    } catch (const tb::error&) {
      return false;
    }
  };
  tensor x = w * 1;
  CHECK(passes(x * 3, x, w));
  CHECK(passes(x * constant, x, w));
  CHECK_FALSE(passes(x * w, x, w));
  CHECK(passes(x / 3, x, w));
  CHECK_FALSE(passes(3 / x, x, w));
  CHECK(passes(aten::addcmul(x, constant, constant), x, w));
  CHECK(passes(aten::lerp_Scalar(x, constant, 0.5), x, w));
  CHECK(passes(aten::remainder_Scalar(x, 3), x, w));
  CHECK_FALSE(passes(aten::pow_Tensor_Scalar(x, 2), x, w));
  for (const two& f : {two(ONE(mul)), two(ONE(div)), two(ONE(maximum)), two(ONE(atan2)), two(ONE(logaddexp))}) {
    const tensor y = f(w, w);
    CHECK(passes(y, y, w));
  }
  // Tensors made in inference mode cannot be kept at all.
  const auto unwatched = [] {
    const tb::inference_mode on;
    return support::tensor_of({5}, {1}, tb::dtype::float64);
  }();
  CHECK(values(tb::grad(aten::sum(aten::addcmul(w, unwatched, unwatched)), w)) == std::vector<double>{1});
  CHECK_THROWS_AS(w * unwatched, tb::error);
  // A copy of what is overwritten is kept only where it is read.
  tensor y = w * 1;
  const tensor other = leaf_of({4});
  y *= other;
  const out both{w, other}, total{aten::sum(y)};
  const out g = tb::grad(total, both);
  CHECK(values(g[0]) == std::vector<double>{4});
  CHECK(values(g[1]) == std::vector<double>{2});
}

// Forward mode of functions with a backward() of their own.
#include <any>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "duals.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using duals::by_reverse, duals::close, duals::random;

namespace {

struct cubed {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x) {
    c.save(x);
    return x * x * x;
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& g) { return g * c.saved(0) * c.saved(0) * 3.0; }
};

struct halved_gradient {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x; }
  static tb::tensor backward(tb::function_context&, const tb::tensor& g) { return g * 0.5; }
};
struct without_gradient {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x * 2.0; }
  static tb::tensor backward(tb::function_context&, const tb::tensor&) { return {}; }
};
struct stopped {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return tb::apply<cubed>(x); }
  static tb::tensor backward(tb::function_context&, const tb::tensor&) { return {}; }
};
// The derivative of a cube by forward mode, within forward().
struct derived_inside {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x) {
    return tb::jvp([](const tb::tensor& a) { return a * a * a; }, x, tb::ones_like(x)).second;
  }
  static tb::tensor backward(tb::function_context&, const tb::tensor& g) { return g; }
};
struct given_twice {
  static std::tuple<tb::tensor, tb::tensor> forward(tb::function_context&, const tb::tensor& x) {
    const tb::tensor y = x * 1.0;
    return {y, y};
  }
  static tb::tensor backward(tb::function_context&, const std::array<tb::tensor, 2>& g) {
    return g[0] * 2.0 + g[1] * 3.0;
  }
};
struct plan {
  virtual ~plan() = default;
  virtual double factor() const = 0;
};
struct threefold final : plan {
  double factor() const override { return 3; }
};
struct by_plan {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x, const plan& p,
                            const std::unique_ptr<int>& n) {
    c.data = p.factor() * *n;
    return x * std::any_cast<double>(c.data);
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& g) { return g * std::any_cast<double>(c.data); }
};
struct scaled_product {
  static std::tuple<tb::tensor, int> forward(tb::function_context& c, std::span<const tb::tensor> factors,
                                             const std::optional<tb::tensor>&, double scale) {
    c.save(factors[0], factors[1]);
    c.data = scale;
    return {factors[0] * factors[1] * scale, static_cast<int>(factors.size())};
  }
  static std::vector<tb::tensor> backward(tb::function_context& c, const std::array<tb::tensor, 1>& g) {
    const tb::tensor scaled = g[0] * std::any_cast<double>(c.data);
    return {scaled * c.saved(1), scaled * c.saved(0), tb::tensor()};
  }
};

}  // namespace

TEST_CASE("dual: a function with a backward() of its own has that transposed", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto f = [](const tb::tensor& a) { return tb::apply<cubed>(a); };
  const auto [value, along] = tb::jvp(f, x, v);
  CHECK(close(value, x * x * x));
  CHECK(close(along, x * x * v * 3.0));
  CHECK(close(by_reverse(f, x, v), along));
  // Not the derivative of forward().
  CHECK(close(tb::jvp([](const tb::tensor& a) { return tb::apply<halved_gradient>(a); }, x, v).second, v * 0.5));
  CHECK(close(tb::jvp([](const tb::tensor& a) { return tb::apply<halved_gradient>(a) + a; }, x, v).second, v * 1.5));
  CHECK(close(tb::jvp([](const tb::tensor& a) { return tb::apply<without_gradient>(a) + a; }, x, v).second, v));
  CHECK(close(tb::jvp([](const tb::tensor& a) { return tb::apply<stopped>(a) + a; }, x, v).second, v));
  CHECK(close(tb::apply<derived_inside>(x), x * x * 3.0));
  const auto [inside, of_inside] = tb::jvp([](const tb::tensor& a) { return tb::apply<derived_inside>(a); }, x, v);
  CHECK(close(inside, x * x * 3.0));
  CHECK(close(of_inside, v));
  {
    const tb::dual_level level;
    const auto [first, second] = tb::apply<given_twice>(level.dual(x, v));
    CHECK(close(level.parts(first).tangent, v * 2.0));
    CHECK(close(level.parts(second).tangent, v * 3.0));
    const threefold p;
    CHECK(close(level.parts(tb::apply<by_plan>(level.dual(x, v), p, std::make_unique<int>(2))).tangent, v * 6.0));
  }
  CHECK(close(tb::jvp([&](const tb::tensor& a) { return tb::vmap(f)(a); }, x, v).second, x * x * v * 3.0));
  tb::tensor kept;
  {
    const tb::dual_level level;
    kept = level.dual(x, v);
  }
  CHECK(close(f(kept), x * x * x));
}

TEST_CASE("dual: such a function in levels, in gradients, and of several arguments", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), w = random({3}, 3);
  const auto f = [](const tb::tensor& a) { return tb::apply<cubed>(a); };
  // Second derivatives: forward over forward, reverse over forward, forward over reverse.
  const auto first = [&](const tb::tensor& a) { return tb::jvp(f, a, v).second; };
  CHECK(close(tb::jvp(first, x, w).second, x * v * w * 6.0));
  CHECK(close(tb::grad_of([&](const tb::tensor& a) { return tb::sum(first(a)); })(x), x * v * 6.0));
  const auto gradient = tb::grad_of([&](const tb::tensor& a) { return tb::sum(f(a)); });
  CHECK(close(tb::jvp(gradient, x, v).second, x * v * 6.0));
  // Tensors in lists, an optional one that is left out, and numbers; one result without a gradient.
  const tb::tensor y = random({3}, 4), u = random({3}, 5);
  const auto several = [](const tb::tensor& a, const tb::tensor& b) {
    const auto [product, count] = tb::apply<scaled_product>(std::vector<tb::tensor>{a, b}, std::nullopt, 2.0);
    CHECK(count == 2);
    return product;
  };
  const tb::dual_level level;
  const auto [value, along] = level.parts(several(level.dual(x, v), level.dual(y, u)));
  CHECK(close(value, x * y * 2.0));
  CHECK(close(along, (v * y + x * u) * 2.0));
  CHECK(close(level.parts(several(x, level.dual(y, u))).tangent, x * u * 2.0));
  CHECK(!level.parts(several(x, y)).tangent.defined());
}

// Forward mode of functions with a backward() of their own, and of those with a jvp() too.
#include <any>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "duals.h"
#include "support/raises.h"
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

// With a jvp() that is five times the right one, so that it is seen which formula ran.
struct marked_cube {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x) {
    c.save(x);
    return x * x * x;
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& g) { return g * c.saved(0) * c.saved(0) * 3.0; }
  static tb::tensor jvp(tb::function_context& c, const tb::tensor& t) { return t * c.saved(0) * c.saved(0) * 15.0; }
};
// It reads the result that was saved; sizes are those of one example.
struct marked_exponential {
  static std::tuple<tb::tensor, tb::tensor> forward(tb::function_context& c, const tb::tensor& x, double scale) {
    const tb::tensor y = tb::exp(x), sign = tb::sign(x);
    c.save(y);
    c.mark_non_differentiable(sign);
    c.data = scale;
    return {y, sign};
  }
  static tb::tensor backward(tb::function_context& c, const std::array<tb::tensor, 2>& g) { return g[0] * c.saved(0); }
  static std::array<tb::tensor, 2> jvp(tb::function_context& c, const tb::tensor& t) {
    CHECK(t.sizes() == c.saved(0).sizes());
    return {t * c.saved(0) * std::any_cast<double>(c.data), t};
  }
};
// Its jvp() calls an operator on another dual tensor.
tb::tensor other_dual, of_other;
struct beside_another {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x) {
    const tb::tensor y = tb::exp(x);
    c.save(y);
    return y;
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& g) { return g * c.saved(0); }
  static tb::tensor jvp(tb::function_context& c, const tb::tensor& t) {
    of_other = tb::exp(other_dual);
    return t * c.saved(0);
  }
};
bool saw_undefined = false;
struct product_of_list {
  static std::vector<tb::tensor> forward(tb::function_context& c, std::span<const tb::tensor> x,
                                         const std::optional<tb::tensor>& more, bool materialized) {
    c.materialize_gradients(materialized);
    c.save(x[0], x[1]);
    return {x[0] * x[1], more ? x[0] + *more : x[0] * 1.0};
  }
  static std::vector<tb::tensor> backward(tb::function_context& c, std::span<const tb::tensor> g) {
    return {g[0] * c.saved(1) + g[1], g[0] * c.saved(0), g[1]};
  }
  static std::vector<tb::tensor> jvp(tb::function_context& c, std::span<const tb::tensor> t) {
    CHECK(t.size() == 3);
    saw_undefined = !t[1].defined();
    return {t[1].defined() ? t[0] * c.saved(1) + c.saved(0) * t[1] : t[0] * c.saved(1), t[0] + t[2]};
  }
};
template <int Kind>
struct wrong_tangent {
  static std::vector<tb::tensor> forward(tb::function_context&, const tb::tensor& x) { return {x * 2.0}; }
  static tb::tensor backward(tb::function_context&, std::span<const tb::tensor> g) { return g[0] * 2.0; }
  static std::vector<tb::tensor> jvp(tb::function_context& c, const tb::tensor& t) {
    if (Kind == 0) return {};
    if (Kind == 1) return {tb::sum(t)};
    if (Kind == 2) return {tb::to(t, tb::dtype::float32)};
    return {c.saved(0)};
  }
};
struct other_arguments {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x, const tb::tensor& y);
  static std::array<tb::tensor, 2> backward(tb::function_context&, const tb::tensor&);
  static tb::tensor jvp(tb::function_context&, const tb::tensor&);
};
struct other_results : other_arguments {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x);
  static tb::tensor backward(tb::function_context&, const tb::tensor&);
  static std::array<tb::tensor, 2> jvp(tb::function_context&, const tb::tensor&);
};
static_assert(tb::differentiable_function<marked_cube> && tb::differentiable_function<product_of_list>);
static_assert(!tb::differentiable_function<other_arguments> && !tb::differentiable_function<other_results>);

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

TEST_CASE("dual: a function with a jvp() of its own", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), w = random({3}, 3);
  const auto f = [](const tb::tensor& a) { return tb::apply<marked_cube>(a); };
  const auto [value, along] = tb::jvp(f, x, v);
  CHECK(close(value, x * x * x));
  CHECK(close(along, x * x * v * 15.0));
  // In levels, and derived again, also where the call itself is recorded.
  const auto first = [&](const tb::tensor& a) { return tb::jvp(f, a, v).second; };
  CHECK(close(tb::jvp(first, x, w).second, x * v * w * 30.0));
  CHECK(close(tb::grad_of([&](const tb::tensor& a) { return tb::sum(first(a)); })(x), x * v * 30.0));
  const auto gradient = tb::grad_of([&](const tb::tensor& a) { return tb::sum(f(a)); });
  CHECK(close(tb::jvp(gradient, x, v).second, x * v * 6.0));
  CHECK(close(tb::vmap(first)(tb::stack(std::vector<tb::tensor>{x, w}, 0)),
              tb::stack(std::vector<tb::tensor>{first(x), first(w)}, 0)));
  CHECK(close(tb::jvp(tb::vmap(f), x, v).second, x * x * v * 15.0));
  // Not for a level that none of the arguments has a tangent of.
  const tb::dual_level outer;
  const tb::tensor d = outer.dual(x, v);
  const auto constant = tb::jvp([&](const tb::tensor& a) { return a + f(d); }, x, w);
  CHECK(close(outer.parts(constant.second).primal, w));
  CHECK(close(outer.parts(f(d)).tangent, x * x * v * 15.0));
}

TEST_CASE("dual: a jvp() reads saved results, with the tangents of outer levels", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), w = random({3}, 3), xs = random({2, 3}, 4);
  const auto f = [](const tb::tensor& a) { return std::get<0>(tb::apply<marked_exponential>(a, 5.0)); };
  const auto first = [&](const tb::tensor& a) { return tb::jvp(f, a, v).second; };
  const tb::tensor wanted = tb::exp(x) * v * w * 25.0;
  CHECK(close(tb::jvp(first, x, w).second, wanted));
  // Both levels in one call, once it is recorded and once it is not.
  for (const bool recorded : {false, true}) {
    const tb::tensor leaf = tb::clone(x);
    if (recorded) tb::require_grad(leaf);
    const tb::dual_level outer;
    {
      const tb::dual_level inner;
      const auto [y, sign] = tb::apply<marked_exponential>(inner.dual(outer.dual(leaf, w), v), 5.0);
      const tb::tensor along = inner.parts(y).tangent;
      CHECK(close(tb::detach(outer.parts(along).primal), tb::exp(x) * v * 5.0));
      CHECK(close(tb::detach(outer.parts(along).tangent), wanted));
      CHECK_FALSE(inner.parts(sign).tangent.defined());
      CHECK_FALSE(outer.parts(sign).tangent.defined());
      if (recorded) CHECK(close(tb::grad(tb::sum(along), leaf), tb::exp(x) * v * 5.0));
    }
  }
  // Of each example, by what all share, and of the tensors with all examples.
  CHECK(close(tb::vmap(first)(xs), tb::exp(xs) * v * 5.0));
  CHECK(close(tb::vmap(f)(xs), tb::exp(xs)));
  const auto [y, dy] = tb::jvp(tb::vmap(f), xs, xs);
  CHECK(close(dy, tb::exp(xs) * xs * 5.0));
  const auto along_shared = [&](const tb::tensor& a) {
    return tb::jvp([&](const tb::tensor& b) { return tb::apply<product_of_list>(std::vector{a, b}, b, true)[0]; }, v,
                   w);
  };
  CHECK(close(tb::vmap(along_shared)(xs).second, xs * w));
}

TEST_CASE("dual: within a jvp() other operators read their own results", "[transform][dual]") {
  const tb::tensor x = tb::require_grad(random({3}, 1)), v = random({3}, 2), w = random({3}, 3), u = random({3}, 4);
  const tb::dual_level outer, middle, inner;
  other_dual = middle.dual(w, u);
  const tb::tensor y = tb::apply<beside_another>(inner.dual(outer.dual(x, v), v));
  CHECK(close(tb::detach(outer.parts(inner.parts(y).tangent).tangent), tb::detach(tb::exp(x) * v * v)));
  const tb::tensor along = middle.parts(of_other).tangent;
  CHECK(close(along, tb::exp(w) * u));
  CHECK_FALSE(outer.parts(along).tangent.defined());
  other_dual = of_other = {};
}

TEST_CASE("dual: a jvp() of several tensors", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), y = random({3}, 3), u = random({3}, 4);
  const tb::dual_level level;
  const tb::tensor d = level.dual(x, v), e = level.dual(y, u);
  const auto tangents = [&](const tb::tensor& a, const tb::tensor& b, const std::optional<tb::tensor>& more,
                            bool materialized) {
    const auto all = tb::apply<product_of_list>(std::vector{a, b}, more, materialized);
    return std::pair(level.parts(all[0]).tangent, level.parts(all[1]).tangent);
  };
  const auto both = tangents(d, e, e, true);
  CHECK(close(both.first, v * y + x * u));
  CHECK(close(both.second, v + u));
  // What has no tangent, has zeros or none.
  CHECK(close(tangents(d, y, x, true).first, v * y));
  CHECK_FALSE(saw_undefined);
  CHECK(close(tangents(d, y, e, false).first, v * y));
  CHECK(saw_undefined);
}

TEST_CASE("dual: a jvp() that gives something else is refused", "[transform][dual][errors]") {
  const tb::tensor x = random({3}, 1);
  const auto text_of = [&]<int Kind>(std::integral_constant<int, Kind>) {
    return toy::text_of<tb::error>(
        [&] { tb::jvp([](const tb::tensor& a) { return tb::apply<wrong_tangent<Kind>>(a)[0]; }, x, x); });
  };
  CHECK(text_of(std::integral_constant<int, 0>()).ends_with(": its jvp() gave 0 tangents, wanted 1"));
  CHECK(text_of(std::integral_constant<int, 1>())
            .ends_with(": its jvp() gave float64 [] on cpu for result 1, wanted float64 [3] on cpu"));
  CHECK(text_of(std::integral_constant<int, 2>())
            .ends_with(": its jvp() gave float32 [3] on cpu for result 1, wanted float64 [3] on cpu"));
  CHECK(text_of(std::integral_constant<int, 3>()).starts_with("function_context: found 0 saved tensors"));
}

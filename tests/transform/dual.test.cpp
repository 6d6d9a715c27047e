// Forward mode: dual tensors alone, and composed with gradients, vmap and each other.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "duals.h"
#include "support/raises.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
namespace aten = topbit::aten;

namespace {

using duals::by_reverse, duals::close, duals::random;

// By dual tensors; a zero tangent is materialised.
template <class F>
std::pair<tb::tensor, tb::tensor> along(const F& f, const tb::tensor& x, const tb::tensor& v) {
  const tb::dual_level level;
  const auto [y, dy] = level.parts(f(level.dual(x, v)));
  return {y, dy.defined() ? dy : tb::zeros_like(y)};
}

}  // namespace

TEST_CASE("dual: a tangent goes from an argument to a result", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto [y, dy] = along([](const tb::tensor& a) { return tb::sin(a) * a; }, x, v);
  CHECK(close(y, tb::sin(x) * x));
  CHECK(close(dy, (tb::cos(x) * x + tb::sin(x)) * v));
  CHECK(!tb::requires_grad(dy));
}

TEST_CASE("dual: formulas of every kind agree with reverse mode", "[transform][dual]") {
  const tb::tensor x = random({2, 3}, 1), v = random({2, 3}, 2), w = random({3, 2}, 3), row = random({3}, 4);
  const auto check = [&](const char* what, auto f) {
    INFO(what);
    const auto [y, dy] = along(f, x, v);
    CHECK(close(y, f(x)));
    CHECK(close(dy, by_reverse(f, x, v)));
  };
  check("sums and products", [&](const tb::tensor& a) { return (a + 2 * row) * a - a * row; });
  check("a quotient of a broadcast argument", [&](const tb::tensor& a) { return tb::sum(a, {0}) / (a * a + 1.0); });
  check("matmul", [&](const tb::tensor& a) { return tb::matmul(tb::matmul(a, w), a); });
  check("linear in its weight and its bias", [&](const tb::tensor& a) {
    return tb::linear(tb::t(w), a, tb::select(a, 1, 0)) + tb::linear(tb::t(w), tb::ones_like(a), tb::sum(a, {1}));
  });
  check("linear",
        [&](const tb::tensor& a) { return tb::linear(a, tb::t(w), tb::ones({2}, tb::arg<"dtype"> = a.dtype())); });
  check("views", [&](const tb::tensor& a) { return tb::t(a)[tb::slice(1)] * tb::reshape(a, {3, 2})[tb::slice(1)]; });
  check("lists", [&](const tb::tensor& a) { return tb::cat({a, a * a, tb::tensor(w).defined() ? tb::t(w) : a}, 0); });
  check("a power", [&](const tb::tensor& a) { return tb::pow(a * a + 1.0, tb::sigmoid(a)); });
  check("softmax", [&](const tb::tensor& a) { return tb::softmax(a, 1) + tb::log_softmax(a, 0); });
  check("several results",
        [&](const tb::tensor& a) { return std::get<0>(tb::max(a, 1)) + std::get<0>(tb::sort(tb::sum(a, {1}))); });
  check("reductions",
        [&](const tb::tensor& a) { return tb::var(a) * tb::logsumexp(a, {0}) + tb::mean(a) + tb::prod(a); });
  check("layer_norm", [&](const tb::tensor& a) { return tb::layer_norm(a, {3}, row); });
  check("where", [&](const tb::tensor& a) { return tb::where(tb::gt(a, 0), a * a, tb::exp(a)); });
  check("indices", [&](const tb::tensor& a) { return tb::index_select(a, 1, tb::tensor({2, 0, 2})) * 3.0; });
}

TEST_CASE("dual: a tangent has the sizes and the dtype of its result", "[transform][dual]") {
  const tb::tensor x = tb::to(random({1}, 1), tb::dtype::float32), v = tb::to(random({1}, 2), tb::dtype::float32);
  const tb::tensor other = random({3}, 3) - 5.0;
  const tb::dual_level level;
  const tb::tensor d = level.dual(x, v), wide = tb::to(tb::expand(v, {3}), tb::dtype::float64);
  CHECK(close(level.parts(tb::maximum(d, other)).tangent, wide));
  CHECK(close(level.parts(d + other).tangent, wide));
  CHECK(close(level.parts(other - d).tangent, -wide));
  CHECK(close(level.parts(d * other).tangent, wide * other));
  const tb::tensor narrow = tb::to(other, tb::dtype::float32), of_narrow = tb::expand(v, {3});
  CHECK(tb::allclose(level.parts(tb::maximum(d, narrow)).tangent, of_narrow));
  CHECK(tb::allclose(level.parts(d + narrow).tangent, of_narrow));
  CHECK(level.parts(d + narrow).tangent.sizes() == tb::shape{3});
}

TEST_CASE("dual: a result that does not depend on a dual argument has no tangent", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const tb::dual_level level;
  const tb::tensor d = level.dual(x, v);
  CHECK(!level.parts(x).tangent.defined());
  CHECK(!level.parts(x * x).tangent.defined());
  CHECK(!level.parts(tb::detach(d)).tangent.defined());
  CHECK(!level.parts(tb::gt(d, 0)).tangent.defined());
  CHECK(!level.parts(tb::argmax(d)).tangent.defined());
  CHECK(!level.parts(tb::tensor()).primal.defined());
}

TEST_CASE("dual: no_grad does not stop tangents", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const tb::no_grad off;
  CHECK(close(along([](const tb::tensor& a) { return tb::exp(a); }, x, v).second, tb::exp(x) * v));
  CHECK(close(along([](const tb::tensor& a) { return tb::softmax(a, 0); }, x, v).second,
              by_reverse([](const tb::tensor& a) { return tb::softmax(a, 0); }, x, v)));
}

TEST_CASE("dual: after its level a dual tensor is the primal", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  tb::tensor kept;
  {
    const tb::dual_level level;
    kept = level.dual(x, v);
  }
  const tb::dual_level later;
  CHECK(close(kept, x));
  CHECK(!later.parts(kept * kept).tangent.defined());
}

TEST_CASE("dual: what does not match is refused", "[transform][dual]") {
  const tb::dual_level level;
  const tb::tensor x = tb::ones({3, 4});
  CHECK(toy::text_of<tb::shape_error>([&] { level.dual(x, tb::ones({3})); }) ==
        "dual: the tangent is [3], its primal [3, 4]");
  CHECK(toy::text_of<tb::dtype_error>([&] { level.dual(x, random({3, 4}, 1)); }) ==
        "dual: the tangent is float64, its primal float32");
  CHECK(toy::text_of<tb::dtype_error>([&] { level.dual(tb::tensor({1, 2}), tb::tensor({1, 2})); }) ==
        "dual: found a primal of int64, wanted a floating dtype");
  CHECK(toy::text_of<tb::dtype_error>([&] { level.dual(x, tb::tensor()); }) ==
        "dual: found a tangent of no tensor, wanted a floating dtype");
}

TEST_CASE("dual: writing a dual tensor gives what is written a tangent", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto of = [&](auto f) { return along(f, x, v); };
  const auto added = [](const tb::tensor& a) {
    tb::tensor y = tb::ones({3}, tb::arg<"dtype"> = a.dtype());
    tb::add_(y, a);
    tb::mul_(y, a);
    return y;
  };
  CHECK(close(of(added).first, (x + 1.0) * x));
  CHECK(close(of(added).second, (x * 2.0 + 1.0) * v));
  const auto copied = [](const tb::tensor& a) {
    tb::tensor y = tb::zeros({2, 3}, tb::arg<"dtype"> = a.dtype());
    tb::copy_(y, a * a);
    return y;
  };
  CHECK(close(of(copied).second, tb::expand(x * v * 2.0, {2, 3})));
  const auto overwritten = [](const tb::tensor& a) {
    tb::tensor y = a * a;
    tb::copy_(y, tb::ones_like(tb::detach(a)));
    return y + a;
  };
  CHECK(close(of(overwritten).second, v));
  const auto out = [](const tb::tensor& a) {
    tb::tensor y = tb::zeros({3}, tb::arg<"dtype"> = a.dtype());
    aten::exp_out(a, y);
    return y;
  };
  CHECK(close(of(out).second, tb::exp(x) * v));
  // The caller's tangent is not written.
  const tb::tensor before = tb::clone(v);
  along(
      [](const tb::tensor& a) {
        tb::tensor y = tb::alias(a);
        tb::mul_(y, 3.0);
        return y;
      },
      tb::clone(x), v);
  CHECK(close(v, before));
}

TEST_CASE("dual: a view's tangent is a view of the tangent", "[transform][dual]") {
  const tb::tensor x = random({2, 3}, 1), v = random({2, 3}, 2), w = random({3}, 3);
  const auto through_view = [&](const tb::tensor& a) {
    tb::tensor y = a * 1.0;
    tb::tensor first = tb::select(y, 0, 0);
    tb::mul_(first, w);
    return y;
  };
  const tb::tensor scale = tb::stack({w, tb::ones_like(w)}, 0);
  CHECK(close(along(through_view, x, v).second, v * scale));
  const auto through_base = [&](const tb::tensor& a) {
    tb::tensor y = a * 1.0;
    const tb::tensor first = tb::select(y, 0, 0);
    tb::mul_(y, 2.0);
    return tb::tensor(first);
  };
  CHECK(close(along(through_base, x, v).second, tb::select(v, 0, 0) * 2.0));
  const auto into_plain = [&](const tb::tensor& a) {
    tb::tensor y = tb::zeros({2, 2, 3}, tb::arg<"dtype"> = a.dtype());
    tb::tensor second = tb::select(y, 0, 1);
    tb::copy_(second, a);
    return y;
  };
  CHECK(close(along(into_plain, x, v).second, tb::stack({tb::zeros_like(v), v}, 0)));
}

TEST_CASE("dual: views in every memory order of their base", "[transform][dual]") {
  const tb::tensor x = tb::t(random({3, 3}, 1)), v = random({3, 3}, 2), wide = tb::slice(random({3, 6}, 3), 1, 0, 6, 2);
  const auto crossing = [](const tb::tensor& a) {
    const tb::tensor y = a * 1.0, diagonal = tb::diagonal(y);
    tb::tensor row = tb::select(y, 0, 1), column = tb::select(y, 1, 1);
    tb::mul_(row, column);
    tb::add_(column, row);
    return tb::cat({tb::reshape(y * y, {9}), diagonal * row}, 0);
  };
  CHECK(close(along(crossing, x, v).second, by_reverse(crossing, x, v)));
  CHECK(close(along(crossing, wide, v).second, by_reverse(crossing, wide, v)));
  // Memory between the elements, of which no other tensor's tangent is known.
  const auto around = [](const tb::tensor& a) {
    return aten::as_strided(a, std::array<std::int64_t, 2>{3, 3}, std::array<std::int64_t, 2>{3, 1});
  };
  const tb::tensor column = tb::select(random({4, 3}, 5), 1, 0), w = random({4}, 6);
  CHECK(close(along(around, column, w).second, by_reverse(around, column, w)));
  // An offset in the memory of the tensor, which is not that of the tangent.
  const tb::tensor behind = tb::slice(random({5}, 7), 0, 2, 5), u = random({3}, 8);
  const auto shifted = [](const tb::tensor& a) {
    return aten::as_strided(a, std::array<std::int64_t, 1>{2}, std::array<std::int64_t, 1>{1}, 3);
  };
  CHECK(close(along(shifted, behind, u).second, tb::slice(u, 0, 1, 3)));
  // A level within another one, and a view that knows the outer one alone.
  const auto late_inside = [&](const tb::tensor& a) {
    tb::tensor y = a * 1.0;
    const tb::tensor row = tb::select(y, 0, 0);
    return along(
               [&](const tb::tensor& b) {
                 tb::mul_(y, b);
                 return row * 1.0;
               },
               v, v)
        .second;
  };
  CHECK_THROWS_AS(along(late_inside, x, v), tb::error);
  // Made before the write, while the base was plain.
  const auto late = [](const tb::tensor& a) {
    tb::tensor y = tb::zeros_like(a);
    const tb::tensor row = tb::select(y, 0, 1);
    tb::copy_(y, a);
    return row * 1.0;
  };
  CHECK(toy::text_of<tb::error>([&] { along(late, x, v); }) ==
        "aten::copy_: writes a tensor with a tangent to memory that other views of it see, which would not know the "
        "tangent; make these views after the write, or write to a clone()");
}

TEST_CASE("dual: levels within each other are not confused", "[transform][dual]") {
  const tb::tensor x = tb::tensor(2.0, tb::dtype::float64), one = tb::ones_like(x);
  const auto derivative = [&](auto f) { return [f, &one](const tb::tensor& a) { return along(f, a, one).second; }; };
  const auto cube = [](const tb::tensor& a) { return a * a * a; };
  CHECK(close(derivative(cube)(x), x * x * 3.0));
  CHECK(close(derivative(derivative(cube))(x), x * 6.0));
  CHECK(close(derivative(derivative(derivative(cube)))(x), tb::full_like(x, 6.0)));
  CHECK(close(derivative(derivative([](const tb::tensor& a) { return tb::exp(a) / (a + 1.0); }))(x),
              tb::grad_of(tb::grad_of([](const tb::tensor& a) { return tb::exp(a) / (a + 1.0); }))(x)));
  // The inner derivative is 1 whatever x is.
  const auto outer = [&](const tb::tensor& a) {
    return a * along([&](const tb::tensor& b) { return a + b; }, one, one).second;
  };
  CHECK(close(derivative(outer)(x), one));
}

TEST_CASE("dual: forward over reverse, reverse over forward", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), w = random({3, 3}, 3);
  // Rules that read arguments, results, and several results.
  const auto f = [&](const tb::tensor& a) {
    return tb::sum(tb::exp(tb::tanh(tb::matmul(w, a))) * tb::softmax(a, 0)) + std::get<0>(tb::max(tb::sigmoid(a), 0));
  };
  const tb::tensor wanted = tb::matmul(tb::hessian(f)(x), v);
  CHECK(close(along(tb::grad_of(f), x, v).second, wanted));
  CHECK(close(tb::grad_of([&](const tb::tensor& a) { return along(f, a, v).second; })(x), wanted));
  const auto [value, gradient] = tb::value_and_grad_of(f)(x);
  const tb::dual_level level;
  const auto [dual_value, dual_gradient] = tb::value_and_grad_of(f)(level.dual(x, v));
  CHECK(close(level.parts(dual_value).tangent, tb::sum(gradient * v)));
  CHECK(close(level.parts(dual_gradient).tangent, wanted));
}

TEST_CASE("dual: backward() of a tangent", "[transform][dual]") {
  tb::tensor w = random({3}, 1);
  tb::require_grad(w);
  const tb::tensor x = random({3}, 2), v = random({3}, 3);
  const auto [y, dy] = along([&](const tb::tensor& a) { return tb::sin(a * w); }, x, v);
  tb::backward(tb::sum(dy));
  const tb::tensor of_w = (tb::cos(x * w) - tb::sin(x * w) * x * w) * v;
  CHECK(close(tb::leaf_grad(w), tb::detach(of_w)));
  CHECK(tb::requires_grad(y));
}

TEST_CASE("dual: within vmap, and around it", "[transform][dual]") {
  const tb::tensor xs = random({4, 3}, 1), vs = random({4, 3}, 2), x = random({3}, 3), w = random({3, 3}, 4);
  const auto f = [&](const tb::tensor& a) { return tb::tanh(tb::matmul(w, a)) * tb::sum(a); };
  const auto push = [&](const tb::tensor& a, const tb::tensor& v) { return along(f, a, v).second; };
  std::vector<tb::tensor> each, of_one;
  for (std::int64_t i = 0; i < 4; ++i) {
    each.push_back(by_reverse(f, tb::select(xs, 0, i), tb::select(vs, 0, i)));
    of_one.push_back(by_reverse(f, x, tb::select(vs, 0, i)));
  }
  CHECK(close(tb::vmap(push)(xs, vs), tb::stack(each, 0)));
  CHECK(close(tb::vmap([&](const tb::tensor& v) { return push(x, v); })(vs), tb::stack(of_one, 0)));
  CHECK(close(along([&](const tb::tensor& a) { return tb::vmap(f)(a); }, xs, vs).second, tb::stack(each, 0)));
  // jvp in vmap in jvp.
  const auto inner = [&](const tb::tensor& a) { return tb::vmap([&](const tb::tensor& b) { return push(b, b); })(a); };
  const auto differences = (inner(xs + vs * 1e-6) - inner(xs - vs * 1e-6)) / 2e-6;
  CHECK(tb::allclose(along(inner, xs, vs).second, differences, 1e-6, 1e-6));
  CHECK(tb::allclose(by_reverse(inner, xs, vs), differences, 1e-6, 1e-6));
}

TEST_CASE("jvp: an argument that is written is refused", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto f = [](const tb::tensor& a) {
    tb::tensor y = tb::alias(a);
    tb::mul_(y, 2.0);
    return y;
  };
  CHECK(toy::text_of<tb::error>([&] { tb::jvp(f, x, v); }) ==
        "jvp: the function wrote to tensor 0 of its arguments in place; let it write to a clone()");
}

TEST_CASE("dual: rules that read results, after an inner level has ended, and of forms that write",
          "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto wanted = tb::exp(x) * v;
  const auto inner = [](const tb::tensor& a) {
    return tb::sum(tb::jvp([](const tb::tensor& b) { return tb::exp(b); }, a, tb::ones_like(tb::detach(a))).first);
  };
  CHECK(close(tb::jvp(tb::grad_of(inner), x, v).second, wanted));
  const auto in_place = [](const tb::tensor& a) {
    tb::tensor y = a * 1.0;
    tb::exp_(y);
    return tb::sum(y);
  };
  CHECK(close(tb::jvp(tb::grad_of(in_place), x, v).second, wanted));
  const auto in_view = [](const tb::tensor& a) {
    tb::tensor y = a * 1.0;
    tb::tensor part = y[tb::slice(0)];
    tb::exp_(part);
    return tb::sum(y);
  };
  CHECK(close(tb::jvp(tb::grad_of(in_view), x, v).second, wanted));
}

TEST_CASE("dual: rules that are another formula where they are derived again", "[transform][dual]") {
  const tb::tensor z = tb::tensor({0.0, 2.0, 3.0}, tb::dtype::float64),
                   e = tb::tensor({1.0, 0.0, 0.0}, tb::dtype::float64);
  CHECK(close(tb::jvp(tb::grad_of([](const tb::tensor& a) { return tb::prod(a); }), z, e).second,
              tb::tensor({0.0, 3.0, 2.0}, tb::dtype::float64)));
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const auto scan = [](const tb::tensor& a) { return tb::sum(tb::logcumsumexp(a, 0)); };
  CHECK(close(tb::jvp(tb::grad_of(scan), x, v).second, tb::matmul(tb::hessian(scan)(x), v)));
  const tb::tensor p = tb::tensor(3.0, tb::dtype::float64), above = tb::exp(x);
  const auto power = [&](const tb::tensor& q) {
    return tb::grad_of([&](const tb::tensor& a) { return tb::sum(tb::pow(a, q)); })(above);
  };
  CHECK(close(tb::jvp(power, p, tb::ones_like(p)).second, (tb::log(above) * 3.0 + 1.0) * above * above));
}

TEST_CASE("dual: a result's tangent is not that of an argument", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), before = tb::clone(v);
  const tb::dual_level level;
  const tb::tensor d = level.dual(x, v);
  for (tb::tensor y :
       {tb::frac(d), d + tb::tensor({1, 2, 3}), tb::fmod(d, tb::ones({2, 3}, tb::arg<"dtype"> = x.dtype()))}) {
    tb::mul_(y, 3.0);
    CHECK(close(level.parts(y).tangent, tb::expand(v * 3.0, y.sizes())));
    CHECK(close(v, before));
    CHECK(close(level.parts(d).tangent, before));
  }
}

TEST_CASE("dual: tangents of other levels stay, and are those of aliases", "[transform][dual]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  const tb::dual_level outer;
  const tb::tensor d1 = outer.dual(tb::clone(x), v);
  const tb::dual_level inner;
  const tb::tensor d2 = inner.dual(x, v);
  tb::tensor y = d2 * 1.0, first = tb::select(y, 0, 0);
  tb::copy_(first, tb::select(d1, 0, 0));
  const tb::tensor mask = tb::tensor({0.0, 1.0, 1.0}, tb::dtype::float64);
  CHECK(close(inner.parts(y).tangent, v * mask));
  CHECK(close(outer.parts(y).tangent, v * (1.0 - mask)));
  tb::tensor alias = inner.dual(d1, v);
  tb::mul_(alias, 3.0);
  CHECK(close(outer.parts(d1).tangent, v * 3.0));
}

TEST_CASE("dual: a tangent of other strides", "[transform][dual]") {
  const tb::tensor x = random({2, 3}, 1), v = tb::t(random({3, 2}, 2));
  const std::vector<std::int64_t> six{6}, one{1};
  CHECK(close(tb::jvp([](const tb::tensor& a) { return tb::reshape(a, {6}); }, x, v).second, tb::reshape(v, {6})));
  CHECK(close(tb::jvp([&](const tb::tensor& a) { return aten::as_strided(a, six, one, std::nullopt); }, x, v).second,
              tb::reshape(v, {6})));
  CHECK(close(tb::jvp([&](const tb::tensor& a) { return aten::as_strided(a[tb::slice(1)], one, one, 4); }, x, v).second,
              tb::reshape(v, {6})[tb::slice(4, 5)]));
}

TEST_CASE("dual: random numbers are drawn once, and have no tangent", "[transform][dual]") {
  const tb::tensor x = random({8}, 1);
  tb::tensor plain = tb::clone(x);
  aten::bernoulli_float_(plain, 0.5, tb::generator(5));
  const tb::dual_level level;
  tb::tensor y = level.dual(x, x) * 1.0, part = y[tb::slice(0, 4)];
  aten::bernoulli_float_(y, 0.5, tb::generator(5));
  CHECK(close(level.parts(y).primal, plain));
  CHECK(close(level.parts(y).tangent, tb::zeros_like(x)));
  tb::tensor z = level.dual(x, x) * 1.0, of_z = z[tb::slice(0, 4)];
  aten::uniform_(of_z, 0.0, 1.0, std::nullopt);
  CHECK(close(level.parts(z).tangent[tb::slice(0, 4)], tb::zeros({4}, tb::arg<"dtype"> = x.dtype())));
  CHECK(close(level.parts(z).tangent[tb::slice(4)], x[tb::slice(4)]));
}

TEST_CASE("dual: a level that begins in a formula is seen there", "[transform][dual]") {
  // The rule's backward() is a derivative by forward mode.
  struct rule {
    tb::saved_tensor x;
    static rule save(const tb::tensor& a, const tb::tensor&) { return {tb::saved_tensor(a)}; }
    std::array<tb::tensor, 1> backward(const tb::tensor& g, std::array<bool, 1>) const {
      const tb::tensor at = x.get();
      return {g * tb::jvp([](const tb::tensor& b) { return tb::exp(b); }, at, tb::ones_like(tb::detach(at))).second};
    }
  };
  static constexpr tb::op<"dual_ops::exponential(Tensor x) -> Tensor", tb::tensor(const tb::tensor&)> exponential;
  auto block = tb::library("dual_ops");
  block.def(exponential);
  block.impl<[](const tb::tensor& x) { return tb::exp(tb::detach(x)); }>(exponential, tb::key::CPU);
  block.impl<&tb::author::autograd_kernel<exponential, rule>::run>(exponential, tb::key::Autograd);
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  CHECK(close(tb::jvp([](const tb::tensor& a) { return exponential(a); }, x, v).second, tb::exp(x) * v));
}

TEST_CASE("dual: inference mode is refused", "[transform][dual]") {
  const tb::tensor x = random({3}, 1);
  const tb::dual_level level;
  const tb::inference_mode on;
  CHECK(toy::text_of<tb::error>([&] { level.dual(x, x); }) ==
        "dual: found inference mode, or a primal made in it, wanted none; no_grad does not stop tangents");
}

TEST_CASE("dual: an operator without a gradient rule is refused", "[transform][dual]") {
  static constexpr tb::op<"dual_ops::twice(Tensor x) -> Tensor", tb::tensor(const tb::tensor&)> twice;
  auto block = tb::library("dual_ops");
  block.def(twice);
  block.impl<[](const tb::tensor& x) { return tb::detach(x) * 2.0; }>(twice, tb::key::CPU);
  const tb::tensor x = random({3}, 1);
  const tb::dual_level level;
  CHECK(toy::text_of<tb::error>([&] { twice(level.dual(x, x)); }) ==
        "dual_ops::twice: has no gradient rule, so no derivative along a tangent either; register a rule, or a "
        "fallthrough if it has none");
  CHECK(close(twice(x), x * 2.0));
}

// Derivatives of functions, alone and composed with each other and with vmap, against loops of backward().
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const tb::error& e) {
    return e.what();
  }
  return "no error";
}

bool close(const tb::tensor& a, const tb::tensor& b) {
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && tb::allclose(a, b, 1e-10, 1e-12);
}

tb::tensor random(std::vector<std::int64_t> sizes, std::uint64_t seed) {
  return tb::randn(sizes, tb::arg<"dtype"> = tb::dtype::float64, tb::arg<"generator"> = tb::generator(seed));
}

// A number that depends on its arguments in no simple way.
const auto loss = [](const tb::tensor& w, const tb::tensor& x) {
  return tb::sum(tb::tanh(tb::matmul(x, w)) * tb::exp(x * 0.1));
};

tb::tensor by_backward(const tb::tensor& w, const tb::tensor& x) {
  tb::tensor leaf = tb::clone(w);
  tb::require_grad(leaf);
  tb::backward(loss(leaf, x));
  return tb::leaf_grad(leaf);
}

template <class F>
tb::tensor stacked(std::int64_t count, F f) {
  std::vector<tb::tensor> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(f(i));
  return tb::stack(all, 0);
}

}  // namespace

TEST_CASE("grad_of: the gradient that backward() gives, and no graph", "[transform]") {
  const tb::tensor w = random({3, 3}, 1), x = random({3}, 2);
  const tb::tensor g = tb::grad_of(loss)(w, x);
  CHECK(close(g, by_backward(w, x)));
  CHECK(!tb::requires_grad(g));
  CHECK(!tb::requires_grad(w));
  const auto [value, dx] = tb::value_and_grad_of<1>(loss)(w, x);
  CHECK(close(value, loss(w, x)));
  CHECK(!tb::requires_grad(value));
  CHECK(dx.sizes() == x.sizes());
}

TEST_CASE("grad_of: structures of tensors", "[transform]") {
  const auto f = [](const std::pair<tb::tensor, tb::tensor>& p) {
    return tb::sum(p.first * p.first) + tb::sum(p.second);
  };
  const tb::tensor a = random({2}, 1), b = random({3}, 2);
  const auto [da, db] = tb::grad_of(f)(std::pair(a, b));
  CHECK(close(da, a * 2.0));
  CHECK(close(db, tb::ones_like(b)));
}

TEST_CASE("grad_of: of a gradient", "[transform]") {
  const auto cube = [](const tb::tensor& x) { return x * x * x; };
  const tb::tensor x = tb::tensor(2.0, tb::dtype::float64);
  CHECK(close(tb::grad_of(tb::grad_of(cube))(x), x * 6.0));
  CHECK(close(tb::grad_of(tb::grad_of(tb::grad_of(cube)))(x), tb::full_like(x, 6.0)));
  // The inner derivative is 1 whatever x is, so that the outer one is 1.
  const auto outer = [](const tb::tensor& a) {
    return a * tb::grad_of([&](const tb::tensor& b) { return a + b; })(tb::ones_like(a));
  };
  CHECK(close(tb::grad_of(outer)(x), tb::ones_like(x)));
}

TEST_CASE("grad_of: is recorded for what required a gradient outside, unless recording is off", "[transform]") {
  tb::tensor w = random({3, 3}, 1);
  tb::require_grad(w);
  const tb::tensor x = random({3}, 2);
  CHECK(tb::requires_grad(tb::grad_of<1>(loss)(w, x)));
  CHECK(tb::requires_grad(tb::grad_of(loss)(w, x)));
  CHECK(!tb::requires_grad(tb::grad_of(loss)(tb::detach(w), x)));
  const tb::tensor unrecorded = [&] {
    const tb::no_grad off;
    return tb::grad_of(loss)(w, x);
  }();
  CHECK(!tb::requires_grad(unrecorded));
  CHECK(close(unrecorded, by_backward(tb::detach(w), x)));
  tb::backward(tb::sum(tb::grad_of<1>(loss)(w, x)));
  const auto outer = [&](const tb::tensor& v) { return tb::sum(tb::grad_of<1>(loss)(v, x)); };
  CHECK(close(tb::leaf_grad(w), tb::grad_of(outer)(tb::detach(w))));
}

TEST_CASE("vmap of grad_of: the gradient of each example by shared weights", "[transform]") {
  const tb::tensor w = random({3, 3}, 1), xs = random({5, 3}, 2);
  const tb::tensor wanted = stacked(5, [&](std::int64_t i) { return by_backward(w, tb::select(xs, 0, i)); });
  CHECK(close(tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0}})(w, xs), wanted));
  CHECK(close(tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0}, .chunk = 2})(w, xs), wanted));
  const auto [values, gradients] = tb::vmap(tb::value_and_grad_of(loss), {.in = {tb::unmapped, 0}})(w, xs);
  CHECK(close(values, stacked(5, [&](std::int64_t i) { return loss(w, tb::select(xs, 0, i)); })));
  CHECK(close(gradients, wanted));
}

TEST_CASE("vmap of grad_of: of layers, as in a loop", "[transform]") {
  const auto check = [](const char* what, auto layer, const tb::tensor& w, const tb::tensor& xs) {
    INFO(what);
    const auto number = [&](const tb::tensor& v, const tb::tensor& x) { return tb::sum(tb::sin(layer(v, x))); };
    const tb::tensor wanted = stacked(xs.size(0), [&](std::int64_t i) {
      const tb::tensor leaf = tb::require_grad(tb::clone(w));
      tb::backward(number(leaf, tb::select(xs, 0, i)));
      return tb::leaf_grad(leaf);
    });
    CHECK(close(tb::vmap(tb::grad_of(number), {.in = {tb::unmapped, 0}})(w, xs), wanted));
    CHECK(close(tb::vmap(tb::grad_of(number), {.in = {tb::unmapped, 0}, .chunk = 3})(w, xs), wanted));
  };
  using tb::tensor;
  check(
      "linear", [](const tensor& w, const tensor& x) { return tb::linear(x, w); }, random({2, 3}, 1),
      random({4, 5, 3}, 2));
  check(
      "convolution", [](const tensor& w, const tensor& x) { return tb::conv2d(x, w); }, random({2, 3, 2, 2}, 3),
      random({4, 3, 5, 4}, 4));
  check(
      "layer norm", [](const tensor& w, const tensor& x) { return tb::layer_norm(x, {3}, w); }, random({3}, 5),
      random({4, 2, 3}, 6));
  check(
      "attention",
      [](const tensor& w, const tensor& x) {
        return tb::scaled_dot_product_attention(tb::matmul(x, w), x * 2.0, tb::matmul(x, w));
      },
      random({3, 3}, 7), random({4, 2, 5, 3}, 8));
  check(
      "embedding", [](const tensor& w, const tensor& x) { return tb::embedding(w, x); }, random({7, 3}, 9),
      tb::randint(0, 7, {4, 6}, tb::arg<"generator"> = tb::generator(10)));
}

TEST_CASE("vmap: grad() and backward() within it are those of each example", "[transform]") {
  const tb::tensor w = random({3, 3}, 1), xs = random({5, 3}, 2), v = random({3}, 3);
  const tb::tensor of_w = stacked(5, [&](std::int64_t i) { return by_backward(w, tb::select(xs, 0, i)); });
  const auto by_x = [&](const tb::tensor& x) { return loss(w, x); };
  const tb::tensor of_x = tb::vmap(tb::grad_of(by_x))(xs);
  CHECK(close(tb::vmap([&](const tb::tensor& x) {
                tb::require_grad(x);
                return tb::grad(by_x(x), x);
              })(xs),
              of_x));
  CHECK_FALSE(tb::requires_grad(xs));
  const auto by_own = [&](const tb::tensor& x) {
    const tb::tensor own = tb::require_grad(tb::per_example(w));
    tb::backward(loss(own, x));
    const tb::tensor g = tb::leaf_grad(own);
    tb::zero_grad(own);
    CHECK_FALSE(tb::leaf_grad(own).defined());
    return g;
  };
  CHECK(close(tb::vmap(by_own)(xs), of_w));
  CHECK(close(tb::vmap(by_own, {.chunk = 2})(xs), of_w));
  // Given gradients, twice, and of pairs.
  const auto again = [&](const tb::tensor& x) {
    tb::require_grad(x);
    const tb::tensor first = tb::grad({x * x * x}, {x}, {.create_graph = true, .gradients = {v}})[0];
    return tb::grad(tb::sum(first), x);
  };
  CHECK(close(tb::vmap(again)(xs), xs * v * 6.0));
  const auto of_pair = [&](const tb::tensor& x) {
    const auto inner = [&](const tb::tensor& y) {
      tb::require_grad(y);
      return tb::grad(tb::sum(x * y * y), y);
    };
    const tb::tensor g = tb::vmap(inner)(tb::stack(std::vector{x, v}, 0));
    CHECK_FALSE(tb::requires_grad(x));
    return g;
  };
  CHECK(close(tb::vmap(of_pair)(xs), stacked(5, [&](std::int64_t i) {
                return xs[i] * tb::stack(std::vector<tb::tensor>{xs[i], v}, 0) * 2.0;
              })));
  // What examples share has the gradients of all, as in a loop.
  const tb::tensor shared = tb::require_grad(tb::clone(w));
  tb::vmap([&](const tb::tensor& x) {
    tb::backward(loss(shared, x));
    return x;
  })(xs);
  CHECK(close(tb::leaf_grad(shared), tb::sum(of_w, {0})));
  // The caller's leaf is a leaf within, and batches of gradients give products with the Jacobian.
  const tb::tensor leaf = tb::require_grad(tb::clone(v));
  const tb::tensor y = tb::matmul(w, leaf);
  CHECK(close(tb::vmap([&](const tb::tensor& g) {
                return tb::grad({y}, {leaf}, {.retain_graph = true, .gradients = {g}})[0];
              })(xs),
              tb::matmul(xs, w)));
}

TEST_CASE("vmap: gradients within it that are refused", "[transform][errors]") {
  const tb::tensor w = tb::require_grad(random({3}, 1)), xs = random({4, 3}, 2);
  const auto text = [&](auto f) { return error_of([&] { tb::vmap(f)(xs); }); };
  CHECK(text([&](const tb::tensor& x) { return tb::grad(tb::sum(x * w), w); }) ==
        "grad: input 1 is the same for all examples (4 examples, level 1), so its gradient would be their sum; give it "
        "a copy for each, per_example(), or take the gradient outside");
  CHECK(text([&](const tb::tensor& x) {
          tb::backward(x * w);
          return x;
        }) == "backward: found a tensor of sizes [3], wanted one element, or a gradient of that shape");
  CHECK(text([&](const tb::tensor& x) {
          const tb::tensor own = tb::per_example(w);
          return tb::grad({own * x}, {own}, {.gradients = {tb::sum(x)}})[0];
        }) == "grad: gradient 0 is float64 [], its tensor float64 [3]");
  CHECK(
      text([&](const tb::tensor& x) { return tb::grad(tb::sum(x), x); }).starts_with("grad: the tensor does not req"));
  CHECK(text([&](const tb::tensor& x) {
          return tb::require_grad(x, false);
        }).starts_with("require_grad: found a batched"));
  CHECK(text([&](const tb::tensor& x) {
          return tb::require_grad(x * w);
        }).starts_with("require_grad: the tensor is a res"));
  CHECK(text([&](const tb::tensor& x) {
          tb::set_leaf_grad(x, x);
          return x;
        }).starts_with("set_leaf_grad: found a wrapper"));
  tb::tensor kept;
  tb::vmap([&](const tb::tensor& x) { return kept = x; })(xs);
  CHECK(error_of([&] { tb::require_grad(kept); }).find("by a vmap that has ended") != std::string::npos);
}

TEST_CASE("grad_of through vmap, around gradients of examples", "[transform]") {
  const tb::tensor w = random({3, 3}, 1), xs = random({5, 3}, 2);
  // The sum of the squared norms of all examples' gradients.
  const auto norms = [&](const tb::tensor& v) {
    const tb::tensor g = tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0}})(v, xs);
    return tb::sum(g * g);
  };
  const auto looped = [&](const tb::tensor& v) {
    tb::tensor total = tb::zeros({}, tb::arg<"dtype"> = tb::dtype::float64);
    for (std::int64_t i = 0; i < 5; ++i) {
      const tb::tensor g = tb::grad_of(loss)(v, tb::select(xs, 0, i));
      total = total + tb::sum(g * g);
    }
    return total;
  };
  CHECK(close(tb::grad_of(norms)(w), tb::grad_of(looped)(w)));
}

TEST_CASE("vmap of vmap of grad_of: every pair", "[transform]") {
  const tb::tensor ws = random({2, 3, 3}, 1), xs = random({4, 3}, 2);
  const auto of_all = [&](const tb::tensor& w) {
    return tb::vmap(tb::grad_of(loss), {.in = {tb::unmapped, 0}})(w, xs);
  };
  const tb::tensor wanted = stacked(2, [&](std::int64_t i) {
    return stacked(4, [&](std::int64_t j) { return by_backward(tb::select(ws, 0, i), tb::select(xs, 0, j)); });
  });
  CHECK(close(tb::vmap(of_all)(ws), wanted));
}

TEST_CASE("vjp: products with the Jacobian, any number of times", "[transform]") {
  const tb::tensor a = random({4, 3}, 1), x = random({3}, 2);
  const auto f = [&](const tb::tensor& v) { return std::pair(tb::matmul(a, v), tb::sum(v * v)); };
  const auto [y, pull] = tb::vjp(f, x);
  CHECK(close(y.first, tb::matmul(a, x)));
  const tb::tensor u = random({4}, 3), one = tb::ones_like(y.second);
  CHECK(close(pull(std::pair(u, one)), tb::matmul(u, a) + x * 2.0));
  CHECK(close(pull(std::pair(u * 2.0, one * 0.0)), tb::matmul(u, a) * 2.0));
  const auto sum_of = [](const tb::tensor& p, const tb::tensor& q) { return p * q; };
  const auto [z, pull_both] = tb::vjp(sum_of, x, x);
  const auto [dp, dq] = pull_both(tb::ones_like(x));
  CHECK(close(dp, x));
  CHECK(close(dq, x));
}

TEST_CASE("jacrev: all derivatives", "[transform]") {
  const tb::tensor a = random({4, 3}, 1), x = random({3}, 2);
  const auto f = [&](const tb::tensor& v) { return tb::sin(tb::matmul(a, v)); };
  const tb::tensor wanted = tb::unsqueeze(tb::cos(tb::matmul(a, x)), 1) * a;
  CHECK(close(tb::jacrev(f)(x), wanted));
  CHECK(close(tb::jacrev(f, {.chunk = 3})(x), wanted));
  const tb::tensor xs = random({5, 3}, 3);
  CHECK(close(tb::vmap(tb::jacrev(f))(xs),
              stacked(5, [&](std::int64_t i) { return tb::jacrev(f)(tb::select(xs, 0, i)); })));
}

TEST_CASE("jvp: products of the Jacobian and a tangent", "[transform]") {
  const tb::tensor a = random({4, 3}, 1), x = random({3}, 2), v = random({3}, 3);
  const auto f = [&](const tb::tensor& z) { return std::pair(tb::sin(tb::matmul(a, z)), tb::sum(z * z)); };
  const auto [y, dy] = tb::jvp(f, x, v);
  CHECK(close(y.first, f(x).first));
  CHECK(close(dy.first, tb::cos(tb::matmul(a, x)) * tb::matmul(a, v)));
  CHECK(close(dy.second, tb::sum(x * v) * 2.0));
  CHECK(!tb::requires_grad(dy.first));
  // What does not depend on the argument does not change.
  const auto constant = [&](const tb::tensor&) { return a; };
  CHECK(close(tb::jvp(constant, x, v).second, tb::zeros_like(a)));
  // A tangent for each example, at one point and at its own.
  const tb::tensor vs = random({5, 3}, 4), xs = random({5, 3}, 5);
  const auto along = [&](const tb::tensor& p, const tb::tensor& t) { return tb::jvp(f, p, t).second.first; };
  CHECK(close(tb::vmap(along, {.in = {tb::unmapped, 0}})(x, vs),
              stacked(5, [&](std::int64_t i) { return along(x, tb::select(vs, 0, i)); })));
  CHECK(close(tb::vmap(along)(xs, vs),
              stacked(5, [&](std::int64_t i) { return along(tb::select(xs, 0, i), tb::select(vs, 0, i)); })));
}

TEST_CASE("jvp: composes with gradients both ways", "[transform]") {
  const auto f = [](const tb::tensor& z) { return tb::sum(tb::exp(z) * z); };
  const tb::tensor x = random({3}, 1), v = random({3}, 2);
  // The second derivative is diagonal: (2 + x) exp(x).
  const tb::tensor wanted = (x + 2.0) * tb::exp(x) * v;
  CHECK(close(tb::jvp(tb::grad_of(f), x, v).second, wanted));
  CHECK(close(tb::grad_of([&](const tb::tensor& z) { return tb::jvp(f, z, v).second; })(x), wanted));
  // The inner derivative is 1 whatever a is.
  const auto outer = [](const tb::tensor& a) {
    const auto inner = [&](const tb::tensor& b) { return a + b; };
    return a * tb::jvp(inner, tb::ones_like(a), tb::ones_like(a)).second;
  };
  const tb::tensor p = tb::tensor(2.0, tb::dtype::float64), one = tb::ones_like(p);
  CHECK(close(tb::jvp(outer, p, one).second, one));
  CHECK(close(tb::grad_of(outer)(p), one));
}

TEST_CASE("jacfwd: as jacrev", "[transform]") {
  const tb::tensor a = random({4, 3}, 1), x = random({2, 3}, 2);
  const auto f = [&](const tb::tensor& z) { return tb::sin(tb::matmul(a, tb::transpose(z, 0, 1))); };
  CHECK(close(tb::jacfwd(f)(x), tb::jacrev(f)(x)));
  CHECK(close(tb::jacfwd(f, {.chunk = 4})(x), tb::jacrev(f)(x)));
  const auto g = [](const tb::tensor& z) { return tb::sum(z * z * z); };
  CHECK(close(tb::jacfwd(tb::jacrev(g))(tb::reshape(x, {6})), tb::hessian(g)(tb::reshape(x, {6}))));
}

TEST_CASE("hessian: of a function, and of each example", "[transform]") {
  const tb::tensor x = random({3}, 1), xs = random({4, 3}, 2);
  const auto f = [](const tb::tensor& v) { return tb::sum(v * v * v) + tb::prod(v); };
  const auto wanted = [](const tb::tensor& v) {
    const tb::tensor others = tb::prod(v) / tb::outer(v, v);
    return others * (1.0 - tb::eye(3, tb::arg<"dtype"> = tb::dtype::float64)) + tb::diag(v * 6.0);
  };
  CHECK(close(tb::hessian(f)(x), wanted(x)));
  CHECK(close(tb::vmap(tb::hessian(f))(xs), stacked(4, [&](std::int64_t i) { return wanted(tb::select(xs, 0, i)); })));
}

TEST_CASE("derivatives: an argument that is written in place is refused", "[transform][errors]") {
  const auto writes = [](const tb::tensor& v) {
    tb::tensor same = v;
    tb::mul_(same, 3.0);
    return tb::sum(same * same);
  };
  tb::tensor x = random({3}, 1);
  tb::require_grad(x);
  CHECK(error_of([&] { tb::grad_of(writes)(x * 1.0); }) ==
        "grad_of: the function wrote to tensor 0 of its arguments in place; let it write to a clone()");
  CHECK(error_of([&] { tb::grad_of(writes)(tb::detach(x)); }).find("writes in place to a leaf") != std::string::npos);
  const auto copies = [](const tb::tensor& v) {
    tb::tensor own = tb::clone(v);
    tb::mul_(own, 3.0);
    return tb::sum(own * own);
  };
  CHECK(close(tb::grad_of(copies)(tb::detach(x)), tb::detach(x) * 18.0));
}

TEST_CASE("derivatives: what is refused", "[transform][errors]") {
  const tb::tensor x = random({3}, 1);
  CHECK(
      error_of([&] { tb::grad_of([](const tb::tensor& v) { return v * v; })(x); }) ==
      "grad_of: found a result of float64 [3], wanted one floating number; vjp() takes a cotangent for other results, "
      "jacrev() gives all derivatives");
  CHECK(error_of([&] { tb::grad_of([](const tb::tensor& v) { return tb::sum(v); })(tb::tensor({1, 2})); }) ==
        "grad_of: argument 0: found int64, wanted a floating dtype");
  const auto [y, pull] = tb::vjp([](const tb::tensor& v) { return v * v; }, x);
  CHECK(error_of([&] { pull(tb::ones({4}, tb::arg<"dtype"> = tb::dtype::float64)); }) ==
        "vjp: cotangent 0 is float64 [4], its result float64 [3]");
  CHECK(error_of([&] { tb::jvp([](const tb::tensor& v) { return v; }, x, tb::ones({3, 4})); }) ==
        "jvp: tangent 0 is float32 [3, 4], its primal float64 [3]");
  CHECK(error_of([&] { pull(tb::ones({3})); }) == "vjp: cotangent 0 is float32 [3], its result float64 [3]");
}

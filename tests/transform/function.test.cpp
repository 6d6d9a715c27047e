// Functions with a backward() of their own within vmap.
#include <any>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <tuple>
#include <vector>

#include "duals.h"
#include "support/raises.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using duals::close, duals::random;

namespace {

// x * y, with a gradient for y that is three times the right one, so that it is seen which formula ran.
struct marked_product {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x, const tb::tensor& y) {
    c.save(x, y);
    return x * y;
  }
  static std::array<tb::tensor, 2> backward(tb::function_context& c, const tb::tensor& g) {
    return {g * c.saved(1), g * c.saved(0) * 3.0};
  }
};
tb::tensor product(const tb::tensor& x, const tb::tensor& y) { return tb::apply<marked_product>(x, y); }

// The result is saved, and what was computed between; sizes are those of one example.
struct exponential {
  static std::tuple<tb::tensor, tb::tensor> forward(tb::function_context& c, const tb::tensor& x) {
    const tb::tensor y = tb::exp(x), doubled = y * 2.0, sign = tb::sign(x);
    c.save(y, doubled);
    c.mark_non_differentiable(sign);
    c.data = x.sizes();
    return {y, sign};
  }
  static tb::tensor backward(tb::function_context& c, const std::array<tb::tensor, 2>& g) {
    CHECK(g[0].sizes() == std::any_cast<tb::shape>(c.data));
    return g[0] * c.saved(0) + (c.saved(1) - tb::detach(c.saved(0)) * 2.0);
  }
};
tb::tensor exponential_of(const tb::tensor& x) { return std::get<0>(tb::apply<exponential>(x)); }

}  // namespace

TEST_CASE("vmap: a function with a backward() of its own", "[transform][function]") {
  const tb::tensor xs = random({4, 3}, 1), w = random({3}, 2), ws = random({4, 3}, 3);
  const auto loss = [](const tb::tensor& x, const tb::tensor& y) { return tb::sum(product(x, y)); };
  // Per example, by what all examples share, and by each.
  CHECK(close(tb::vmap(tb::grad_of(loss), {.in = {0, tb::unmapped}})(xs, w), tb::expand(w, {4, 3})));
  CHECK(close(tb::vmap(tb::grad_of<1>(loss), {.in = {0, tb::unmapped}})(xs, w), xs * 3.0));
  CHECK(close(tb::vmap(tb::grad_of<1>(loss))(xs, ws), xs * 3.0));
  CHECK(close(tb::vmap(tb::grad_of<1>(loss), {.in = {1, 1}})(tb::t(xs), tb::t(ws)), xs * 3.0));
  // From outside: what examples share gets the sum.
  const auto mapped = tb::vmap(loss, {.in = {0, tb::unmapped}});
  const auto total = [&](const tb::tensor& a, const tb::tensor& b) { return tb::sum(mapped(a, b)); };
  CHECK(close(tb::grad_of<0>(total)(xs, w), tb::expand(w, {4, 3})));
  CHECK(close(tb::grad_of<1>(total)(xs, w), tb::sum(xs, {0}) * 3.0));
  // Of results, and of tensors saved between.
  CHECK(close(tb::vmap(exponential_of)(xs), tb::exp(xs)));
  CHECK(close(tb::grad_of([](const tb::tensor& a) { return tb::sum(tb::vmap(exponential_of)(a)); })(xs), tb::exp(xs)));
}

TEST_CASE("vmap: a gradient of such a function that broadcasting left larger", "[transform][function]") {
  struct scaled {
    static tb::tensor forward(tb::function_context& c, const tb::tensor& x, const tb::tensor& s, int& calls) {
      ++calls;
      c.save(x, s);
      return x * s;
    }
    static std::array<tb::tensor, 2> backward(tb::function_context& c, const tb::tensor& g) {
      return {g * c.saved(1), g * c.saved(0)};
    }
  };
  int calls = 0;
  const auto total = [&](const tb::tensor& x, const tb::tensor& s) { return tb::sum(tb::apply<scaled>(x, s, calls)); };
  for (const std::int64_t batch : {3, 4}) {
    const tb::tensor xs = random({batch, 3}, 1), s = random({batch}, 2), one = random({}, 3);
    CHECK(close(tb::vmap(tb::grad_of<1>(total))(xs, s), tb::sum(xs, {1})));
    const auto mapped = tb::vmap(total, {.in = {0, tb::unmapped}});
    CHECK(
        close(tb::grad_of<1>([&](const tb::tensor& a, const tb::tensor& b) { return tb::sum(mapped(a, b)); })(xs, one),
              tb::sum(xs)));
  }
  CHECK(calls == 4);
}

TEST_CASE("vmap: a gradient of such a function that does not depend on the example", "[transform][function]") {
  struct decayed {
    static tb::tensor forward(tb::function_context&, const tb::tensor& x, const tb::tensor&) { return x * 1.0; }
    static std::array<tb::tensor, 2> backward(tb::function_context&, const tb::tensor& g) {
      return {g, tb::full({3}, 0.5, tb::arg<"dtype"> = tb::dtype::float64)};
    }
  };
  tb::tensor w = random({3}, 2);
  tb::require_grad(w);
  const auto f = [&](const tb::tensor& x) { return tb::apply<decayed>(x, w); };
  tb::backward(tb::sum(tb::vmap(f)(random({4, 3}, 1))));
  CHECK(close(tb::leaf_grad(w), tb::full({3}, 2.0, tb::arg<"dtype"> = tb::dtype::float64)));
}

TEST_CASE("vmap: such a function derived twice, in levels and along tangents", "[transform][function]") {
  const tb::tensor x = random({3}, 1), v = random({3}, 2), xs = random({2, 4, 3}, 3), w = random({2, 3}, 4);
  const auto total = [](const tb::tensor& a) { return tb::sum(exponential_of(a)); };
  CHECK(close(tb::hessian(total)(x), tb::diag(tb::exp(x))));
  CHECK(close(tb::vmap(tb::hessian(total))(xs[0]),
              tb::stack(std::vector<tb::tensor>{tb::diag(tb::exp(xs[0][0])), tb::diag(tb::exp(xs[0][1])),
                                                tb::diag(tb::exp(xs[0][2])), tb::diag(tb::exp(xs[0][3]))})));
  // The outer examples share nothing, the inner ones w.
  const auto of_one = [](const tb::tensor& a, const tb::tensor& b) {
    return tb::sum(tb::vmap(product, {.in = {0, tb::unmapped}})(a, b));
  };
  CHECK(close(tb::vmap(tb::grad_of<1>(of_one))(xs, w), tb::sum(xs, {1}) * 3.0));
  CHECK(close(tb::vmap(tb::grad_of<0>(of_one))(xs, w), tb::expand(tb::unsqueeze(w, 1), {2, 4, 3})));
  // Tangents of the tensors with all examples.
  const auto [y, dy] = tb::jvp(tb::vmap(exponential_of), xs[0], xs[1]);
  CHECK(close(y, tb::exp(xs[0])));
  CHECK(close(dy, tb::exp(xs[0]) * xs[1]));
  const auto along = [&](const tb::tensor& a) { return tb::jvp(exponential_of, a, v).second; };
  CHECK(close(tb::vmap(along)(xs[0]), tb::exp(xs[0]) * v));
  CHECK(close(tb::jvp(tb::vmap(along), xs[0], xs[1]).second, tb::exp(xs[0]) * v * xs[1]));
}

TEST_CASE("vmap: a backward() that runs after the vmap runs in its levels", "[transform][function]") {
  struct noisy {
    static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x * 1.0; }
    static tb::tensor backward(tb::function_context&, const tb::tensor& g) {
      tb::tensor made = tb::zeros({3}, tb::arg<"dtype"> = tb::dtype::float64);
      tb::add_(made, g);
      return made * tb::rand({3}, tb::arg<"dtype"> = tb::dtype::float64);
    }
  };
  const auto gradient = [](tb::randomness random) {
    tb::tensor xs = tb::ones({4, 3}, tb::arg<"dtype"> = tb::dtype::float64);
    tb::require_grad(xs);
    const auto f = [](const tb::tensor& x) { return tb::apply<noisy>(x); };
    tb::backward(tb::sum(tb::vmap(f, {.random = random})(xs)));
    return tb::leaf_grad(xs);
  };
  const tb::tensor different = gradient(tb::randomness::different), same = gradient(tb::randomness::same);
  CHECK_FALSE(close(different[0], different[1]));
  CHECK(close(same[0], same[3]));
  CHECK(toy::text_of<tb::error>([&] {
          gradient(tb::randomness::error);
        }).starts_with("aten::rand: draws random numbers"));
  tb::tensor a = tb::tensor({1.0, 2.0});
  CHECK(tb::grad_enabled());
  CHECK(close(tb::vmap([](const tb::tensor& x) { return x * 2.0; })(a), a * 2.0));
}

TEST_CASE("vmap: backward() within the vmap is at its level", "[transform][function][errors]") {
  struct reader {
    static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x * 1.0; }
    static tb::tensor backward(tb::function_context&, const tb::tensor& g) { return g * tb::item<double>(tb::sum(g)); }
  };
  const auto gradient = tb::grad_of([](const tb::tensor& x) { return tb::sum(tb::apply<reader>(x)); });
  const std::string text = toy::text_of<tb::error>([&] { tb::vmap(gradient)(random({4, 3}, 1) * 2.0); });
  CHECK(text.find("batched (4 examples, level 1)") != std::string::npos);
}

TEST_CASE("vmap: such a function may not keep what is batched elsewhere", "[transform][function][errors]") {
  static tb::tensor elsewhere;
  struct keeper {
    static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x * elsewhere; }
    static tb::tensor backward(tb::function_context&, const tb::tensor& g) { return g; }
  };
  tb::tensor xs = random({4, 3}, 1);
  tb::require_grad(xs);
  const auto outer = [&](const tb::tensor& x) {
    elsewhere = x;
    return tb::vmap([](const tb::tensor& a) { return tb::apply<keeper>(a); })(xs);
  };
  const std::string text = toy::text_of<tb::error>([&] { tb::vmap(outer)(xs); });
  elsewhere = {};
  // None of the arguments is batched at all.
  const auto captured = [&](const tb::tensor& x) {
    elsewhere = x;
    return tb::apply<keeper>(xs[0]);
  };
  CHECK(toy::text_of<tb::error>([&] {
          tb::vmap(captured)(tb::detach(xs));
        }).starts_with("apply: forward() returned a tensor that is batched"));
  const auto lifted = [&](const tb::tensor& x) {
    elsewhere = x;
    return tb::apply<keeper>(tb::per_example(xs[0]));
  };
  CHECK(tb::vmap(lifted)(tb::detach(xs)).sizes() == tb::shape{4, 3});
  elsewhere = {};
  CHECK(text.find("batched by a vmap of which none of its arguments is") != std::string::npos);
}

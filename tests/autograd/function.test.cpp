#include <any>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

// Its gradient is not the derivative of what it computes, so that tests see who made it.
struct scaled {
  static tensor forward(tb::function_context& c, const tensor& x, double k) {
    c.data = k;
    return x * k;
  }
  static tensor backward(tb::function_context& c, const tensor& g) { return g * (std::any_cast<double>(c.data) + 100); }
};

struct exponential {
  static tensor forward(tb::function_context& c, const tensor& x) {
    const tensor y = aten::exp(x);
    c.save(y);
    return y;
  }
  static tensor backward(tb::function_context& c, const tensor& g) { return g * c.saved(0); }
};

std::vector<bool> asked;
struct product {
  static tensor forward(tb::function_context& c, const tensor& a, const tensor& b) {
    c.save(a, b);
    return a * b;
  }
  static std::array<tensor, 2> backward(tb::function_context& c, const tensor& g) {
    asked = {c.needs_input_grad(0), c.needs_input_grad(1)};
    return {c.needs_input_grad(0) ? g * c.saved(1) : tensor(), c.needs_input_grad(1) ? g * c.saved(0) : tensor()};
  }
};

// Several results, one of them without a gradient.
struct parts {
  static std::tuple<tensor, tensor, tensor> forward(tb::function_context& c, const tensor& x) {
    const tensor low = aten::floor(x);
    c.mark_non_differentiable(low);
    return {x * 2, low, x * 3};
  }
  static tensor backward(tb::function_context&, const std::array<tensor, 3>& g) { return g[0] * 2 + g[2] * 3; }
};
bool saw_undefined = false;
struct bare_parts {
  static std::tuple<tensor, tensor> forward(tb::function_context& c, const tensor& x) {
    c.materialize_gradients(false);
    return {x * 2, x * 3};
  }
  static tensor backward(tb::function_context&, const std::array<tensor, 2>& g) {
    saw_undefined = !g[1].defined();
    return g[0] * 2;
  }
};

// A list of tensors, an optional one, and a list of results.
struct sums {
  static std::vector<tensor> forward(tb::function_context&, std::span<const tensor> xs,
                                     const std::optional<tensor>& more) {
    std::vector<tensor> all;
    for (const tensor& x : xs) all.push_back(more ? x + *more : x + 0);
    return all;
  }
  static std::vector<tensor> backward(tb::function_context& c, std::span<const tensor> g) {
    std::vector<tensor> all(g.begin(), g.end());
    tensor total = g[0];
    for (const tensor& one : g.subspan(1)) total = total + one;
    all.push_back(c.needs_input_grad(g.size()) ? total : tensor());
    return all;
  }
};

struct identity {
  static tensor forward(tb::function_context&, const tensor& x) { return x; }
  static tensor backward(tb::function_context&, const tensor& g) { return g * 7; }
};
struct too_many {
  static std::vector<tensor> forward(tb::function_context&, std::span<const tensor> xs) { return {xs[0] * 1}; }
  static std::vector<tensor> backward(tb::function_context&, std::span<const tensor> g) { return {g[0], g[0]}; }
};
struct forgets_to_save {
  static tensor forward(tb::function_context&, const tensor& x) { return x * 1; }
  static tensor backward(tb::function_context& c, const tensor&) { return c.saved(0); }
};

struct no_forward {};
struct no_backward {
  static tensor forward(tb::function_context&, const tensor& x);
};
struct no_context {
  static tensor forward(const tensor& x);
  static tensor backward(tb::function_context&, const tensor&);
};
struct one_of_two {
  static tensor forward(tb::function_context&, const tensor& x, const tensor& y);
  static tensor backward(tb::function_context&, const tensor&);
};
static_assert(tb::differentiable_function<scaled> && tb::differentiable_function<parts> &&
              tb::differentiable_function<sums>);
static_assert(!tb::differentiable_function<no_forward> && !tb::differentiable_function<no_backward> &&
              !tb::differentiable_function<no_context> && !tb::differentiable_function<one_of_two>);
}  // namespace

TEST_CASE("function: its backward is the gradient", "[autograd][function]") {
  const tensor x = leaf({1, 2});
  const tensor y = tb::apply<scaled>(x, 3.0);
  CHECK(values(y) == list{3, 6});
  tb::backward(aten::sum(y));
  CHECK(values(tb::leaf_grad(x)) == list{103, 103});
}

TEST_CASE("function: records nothing if no gradient is needed", "[autograd][function]") {
  CHECK_FALSE(tb::requires_grad(tb::apply<scaled>(tensor_of({1}, {1}), 3.0)));
  const tensor x = leaf({1});
  const tb::no_grad guard;
  CHECK_FALSE(tb::requires_grad(tb::apply<scaled>(x, 3.0)));
}

TEST_CASE("function: a saved result makes no cycle, and has second gradients", "[autograd][function]") {
  const tensor x = leaf({0.5, 1});
  {
    const tensor y = tb::apply<exponential>(x);
    CHECK(tb::author::record_of(x).references == 1);
  }
  const auto f = [](std::span<const tensor> in) { return std::vector<tensor>{tb::apply<exponential>(in[0])}; };
  CHECK(tb::gradcheck(f, std::vector<tensor>{x}).text == "");
  CHECK(tb::gradgradcheck(f, std::vector<tensor>{x}).text == "");
}

TEST_CASE("function: is told which gradients are needed", "[autograd][function]") {
  const tensor a = leaf({2, 3}), b = tensor_of({5, 7}, {2});
  tb::backward(aten::sum(tb::apply<product>(a, b)));
  CHECK(asked == std::vector<bool>{true, false});
  CHECK(values(tb::leaf_grad(a)) == list{5, 7});
  tb::backward(aten::sum(tb::apply<product>(b, a)));
  CHECK(asked == std::vector<bool>{false, true});
}

TEST_CASE("function: a saved argument that was written in place is an error", "[autograd][function]") {
  const tensor a = leaf({2, 3});
  tensor b = tensor_of({5, 7}, {2});
  const tensor y = aten::sum(tb::apply<product>(a, b));
  aten::zero_(b);
  CHECK(text_of<tb::error>([&] { tb::backward(y); }).find("was written in place by aten::zero_: found version 1") !=
        std::string::npos);
}

TEST_CASE("function: several results, some without a gradient or unused", "[autograd][function]") {
  const tensor x = leaf({1.5, 2.5});
  const auto [twice, low, thrice] = tb::apply<parts>(x);
  CHECK(values(low) == list{1, 2});
  CHECK_FALSE(tb::requires_grad(low));
  REQUIRE(tb::requires_grad(twice));
  tb::backward(aten::sum(twice), {}, {.retain_graph = true});
  CHECK(values(tb::leaf_grad(x)) == list{2, 2});
  tb::backward(aten::sum(twice * thrice));
  CHECK(values(tb::leaf_grad(x)) == list{2 + 12 * 1.5, 2 + 12 * 2.5});

  const auto [a, b] = tb::apply<bare_parts>(x);
  tb::backward(aten::sum(a));
  CHECK(saw_undefined);
}

TEST_CASE("function: accepts lists and optional tensors", "[autograd][function]") {
  const std::vector<tensor> xs{leaf({1}), tensor_of({2}, {1}), leaf({3})};
  const std::optional<tensor> more = leaf({10});
  const std::vector<tensor> y = tb::apply<sums>(xs, more);
  REQUIRE(y.size() == 3);
  CHECK(values(y[2]) == list{13});
  tb::backward(y[0] * 2 + y[1] * 3 + y[2] * 5);
  CHECK(values(tb::leaf_grad(xs[0])) == list{2});
  CHECK(values(tb::leaf_grad(xs[2])) == list{5});
  CHECK(values(tb::leaf_grad(*more)) == list{10});
  CHECK(values(tb::apply<sums>(xs, std::nullopt)[1]) == list{2});
}

TEST_CASE("function: a returned argument does not become a result of itself", "[autograd][function]") {
  const tensor x = leaf({1});
  const tensor y = tb::apply<identity>(x);
  CHECK(tb::is_leaf(x));
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{7});
}

TEST_CASE("function: errors in backward are specific, and the next call works", "[autograd][function]") {
  const tensor x = leaf({1});
  const std::string many = text_of<tb::error>([&] { tb::backward(tb::apply<too_many>(std::vector<tensor>{x})[0]); });
  CHECK(many.ends_with("too_many: its gradient rule gave 2 gradients, wanted 1"));
  CHECK(text_of<tb::error>([&] { tb::backward(tb::apply<forgets_to_save>(x)); }) ==
        "function_context: found 0 saved tensors, wanted number 0; forward() calls save() with all of them");
  CHECK_FALSE(tb::leaf_grad(x).defined());
  tb::backward(tb::apply<scaled>(x, 0.0));
  CHECK(values(tb::leaf_grad(x)) == list{100});
}

TEST_CASE("function: a result that is an argument is copied and may be written", "[autograd][function]") {
  const tensor x = leaf({1, 2});
  tensor y = tb::apply<identity>(x);
  aten::mul_Scalar_(y, 2);
  CHECK(values(x) == list{1, 2});
  tb::backward(aten::sum(y));
  CHECK(values(tb::leaf_grad(x)) == list{14, 14});
}

TEST_CASE("function: within forward nothing is recorded, with or without a required gradient", "[autograd][function]") {
  struct looks {
    static tensor forward(tb::function_context&, const tensor& x) {
      CHECK_FALSE(tb::grad_enabled());
      return x * 1;
    }
    static tensor backward(tb::function_context&, const tensor& g) { return g; }
  };
  tb::apply<looks>(leaf({1}));
  tb::apply<looks>(tensor_of({1}, {1}));
}

// Random nests of vmap, grad_of, vjp and jvp, against loops and backward passes alone.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "duals.h"
#include "support/scale.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using tb::tensor;

namespace {

using function = std::function<tensor(const tensor&)>;

// Functions of a tensor of any sizes that keep them, with third and higher derivatives.
const function functions[] = {
    [](const tensor& x) { return x * x * x; },
    [](const tensor& x) { return tb::cos(x * 2.0); },
    [](const tensor& x) { return tb::sinh(x * 0.3) * tb::cosh(x * 0.3); },
    [](const tensor& x) { return tb::atan(x) + tb::asinh(x); },
    [](const tensor& x) { return tb::erf(x) + tb::erfc(x * 0.5) * x; },
    [](const tensor& x) { return tb::expm1(x * 0.2) * x; },
    [](const tensor& x) { return tb::log1p(x * x); },
    [](const tensor& x) { return tb::log(x * x + 1.0); },
    [](const tensor& x) { return tb::sqrt(x * x + 1.0); },
    [](const tensor& x) { return tb::rsqrt(x * x + 1.0); },
    [](const tensor& x) { return tb::reciprocal(x * x + 1.0); },
    [](const tensor& x) { return tb::pow(x, 3.0); },
    [](const tensor& x) { return tb::square(tb::sin(x)); },
    [](const tensor& x) { return tb::softplus(x); },
    [](const tensor& x) { return tb::silu(x); },
    [](const tensor& x) { return tb::gelu(x); },
    [](const tensor& x) { return tb::mish(x); },
    [](const tensor& x) { return tb::log_sigmoid(x); },
    [](const tensor& x) { return x / (x * x + 2.0); },
    [](const tensor& x) { return tb::hypot(x, x * 0.5 + 2.0); },
    [](const tensor& x) { return tb::atan2(x, x * x + 1.0); },
    [](const tensor& x) { return tb::logaddexp(x, x * x); },
    [](const tensor& x) { return tb::lerp(x, x * x, 0.3); },
    [](const tensor& x) { return tb::addcmul(x, x, x); },
    [](const tensor& x) { return tb::addcdiv(x, x, x * x + 1.0); },
    [](const tensor& x) { return tb::log_softmax(x, -1) * x; },
    [](const tensor& x) { return tb::logsumexp(x, {-1}, true) * x; },
    [](const tensor& x) { return tb::cumprod(x * 0.3 + 1.0, -1); },
    [](const tensor& x) { return tb::prod(x * 0.3 + 1.0, -1, true) * x; },
    [](const tensor& x) { return x * tb::mean(x, {-1}, true); },
    [](const tensor& x) { return tb::var(x) * x; },
    [](const tensor& x) { return tb::roll(x, {1}, {-1}) * x; },
    [](const tensor& x) { return tb::cat({tb::slice(x, -1, 1, 3), tb::slice(x, -1, 0, 1)}, -1) * x; },
    [](const tensor& x) { return tb::index_select(x, -1, tb::tensor({2, 0, 1})) * x; },
    [](const tensor& x) { return tb::masked_fill(x * x, x > 0.5, 0.25) * x; },
    [](const tensor& x) { return tb::sum(tb::triu(tb::expand(x, {3, 3})) * x, {0}) * x; },
    [](const tensor& x) { return tb::layer_norm(x, {3}) * x; },
    [](const tensor& x) { return tb::stack({x, x * x}, 0)[1] * x; },
    [](const tensor& x) { return tb::maximum(x * x, x * 0.5) * x; },
    [](const tensor& x) { return tb::sin(x) * x; },
    [](const tensor& x) { return tb::exp(x * 0.5); },
    [](const tensor& x) { return tb::tanh(x) + x * x; },
    [](const tensor& x) { return x * tb::sum(x * x); },
    [](const tensor& x) { return tb::softmax(x, -1) * x; },
    [](const tensor& x) { return tb::cumsum(x * x, -1); },
    [](const tensor& x) { return tb::sigmoid(x) * tb::sum(tb::cos(x)); },
    [](const tensor& x) { return tb::flip(x, {-1}) * x; },
    [](const tensor& x) { return tb::where(x > 0, x * x, x * x * x); },
    [](const tensor& x) { return tb::matmul(x, tb::sin(tb::transpose(tb::expand(x, {3, 3}), 0, 1))); },
    [](const tensor& x) {
      tensor y = tb::zeros_like(x);
      tb::copy_(y, x * x);
      tb::mul_(tb::slice(y, -1, 0, 2), 2.0);
      return y * x;
    },
};

enum class kind { vmap, grad, vjp, jvp };
constexpr const char* names[] = {"vmap", "grad", "vjp", "jvp"};

tensor constant_like(const tensor& x, std::uint64_t seed) {
  const tensor places = tb::arange(x.numel(), tb::arg<"dtype"> = tb::dtype::float64);
  return tb::reshape(tb::sin(places * 2.0 + static_cast<double>(seed)), x.sizes());
}

// By the module under test.
function transformed(kind k, function f, std::uint64_t seed) {
  switch (k) {
    case kind::vmap: return tb::vmap(f);
    case kind::grad: return tb::grad_of([f](const tensor& x) { return tb::sum(f(x)); });
    case kind::vjp: return [f, seed](const tensor& x) { return tb::vjp(f, x).second(constant_like(x, seed)); };
    case kind::jvp: return [f, seed](const tensor& x) { return tb::jvp(f, x, constant_like(x, seed)).second; };
  }
  return f;
}

tensor gradient(const tensor& y, const tensor& x, const tensor& along) {
  if (!tb::requires_grad(y)) return tb::zeros_like(x);
  const tensor g = tb::grad(y, x, {.create_graph = true, .allow_unused = true, .gradients = {along}});
  return g.defined() ? g : tb::zeros_like(x);
}

// The same by loops and by gradients.
function by_hand(kind k, function f, std::uint64_t seed) {
  const auto pulled = [f](const tensor& x, const tensor& along) {
    const tensor leaf = tb::requires_grad(x) ? x * 1.0 : tb::require_grad(tb::detach(x));
    return gradient(f(leaf), leaf, along);
  };
  switch (k) {
    case kind::vmap:
      return [f](const tensor& x) {
        std::vector<tensor> all;
        for (std::int64_t i = 0; i < x.size(0); ++i) all.push_back(f(tb::select(x, 0, i)));
        return tb::stack(all, 0);
      };
    case kind::grad: return [pulled](const tensor& x) { return pulled(x, tb::ones_like(x)); };
    case kind::vjp: return [pulled, seed](const tensor& x) { return pulled(x, constant_like(x, seed)); };
    case kind::jvp:
      return [pulled, seed](const tensor& x) {
        const tensor cotangent = tb::require_grad(tb::zeros_like(tb::detach(x)));
        return gradient(pulled(x, cotangent), cotangent, constant_like(x, seed));
      };
  }
  return f;
}

}  // namespace

TEST_CASE("transforms: random nests of them, against loops and gradients", "[transform][nests]") {
  std::mt19937 random(7);
  for (int round = 0; round < scaled(600, 30); ++round) {
    const std::size_t which = random() % std::size(functions);
    function found = functions[which], wanted = functions[which];
    std::vector<std::int64_t> sizes{3};
    std::string text = "function " + std::to_string(which);
    for (std::size_t depth = 1 + random() % 4; depth != 0; --depth) {
      const auto k = static_cast<kind>(random() % 4);
      const std::uint64_t seed = random() % 1000;
      found = transformed(k, found, seed);
      wanted = by_hand(k, wanted, seed);
      if (k == kind::vmap) sizes.insert(sizes.begin(), 2);
      text += std::string(" ") + names[static_cast<int>(k)];
    }
    INFO(text);
    const tensor x = duals::random(sizes, static_cast<std::uint64_t>(round));
    tensor of_transforms;
    try {
      of_transforms = found(x);
    } catch (const tb::error& e) {
      FAIL_CHECK(e.what());
      continue;
    }
    CHECK(tb::allclose(of_transforms, tb::detach(wanted(x)), 1e-7, 1e-9));
  }
}

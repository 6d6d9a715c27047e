#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::tensor;

TEST_CASE("mode: a no_grad scope records nothing and keeps nothing alive", "[autograd][mode]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}));
  CHECK(tb::grad_enabled());
  {
    const tb::no_grad guard;
    CHECK_FALSE(tb::grad_enabled());
    const tensor y = x * x;
    CHECK_FALSE(tb::requires_grad(y));
    CHECK(x.record().references == 1);
  }
  CHECK(tb::grad_enabled());
  CHECK(tb::requires_grad(x * x));
}

TEST_CASE("mode: no_grad scopes nest", "[autograd][mode]") {
  const tb::no_grad outer;
  {
    const tb::no_grad inner;
  }
  CHECK_FALSE(tb::grad_enabled());
}

TEST_CASE("mode: a no_grad scope is the thread's own", "[autograd][mode]") {
  const tb::no_grad guard;
  bool enabled = false;
  std::thread([&] { enabled = tb::grad_enabled(); }).join();
  CHECK(enabled);
}

TEST_CASE("mode: a no_grad scope still counts writes in place", "[autograd][mode]") {
  tensor x = support::tensor_of({1, 2}, {2});
  const tb::no_grad guard;
  tb::ops::zero_(x);
  CHECK(x.version() == 1);
}

TEST_CASE("mode: what a no_grad scope made is a constant of later calls", "[autograd][mode]") {
  const tensor x = tb::require_grad(support::tensor_of({3}, {1}));
  const tensor square = [&] {
    const tb::no_grad guard;
    return x * x;
  }();
  tb::backward(square * x);
  CHECK(support::values(tb::grad(x)) == std::vector<double>{9});
}

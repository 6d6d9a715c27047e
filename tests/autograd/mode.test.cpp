#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::tensor;

TEST_CASE("mode: a no_grad scope records nothing and saves nothing", "[autograd][mode]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}));
  CHECK(tb::grad_enabled());
  {
    const tb::no_grad guard;
    CHECK_FALSE(tb::grad_enabled());
    const tensor y = x * x;
    CHECK_FALSE(tb::requires_grad(y));
    CHECK(tb::author::record_of(x).references == 1);
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

TEST_CASE("mode: a no_grad scope is thread-local", "[autograd][mode]") {
  const tb::no_grad guard;
  bool enabled = false;
  std::thread([&] { enabled = tb::grad_enabled(); }).join();
  CHECK(enabled);
}

TEST_CASE("mode: a no_grad scope still counts in-place writes", "[autograd][mode]") {
  tensor x = support::tensor_of({1, 2}, {2});
  const tb::no_grad guard;
  tb::aten::zero_(x);
  CHECK(x.version() == 1);
}

TEST_CASE("mode: a tensor from a no_grad scope is a constant of later calls", "[autograd][mode]") {
  const tensor x = tb::require_grad(support::tensor_of({3}, {1}));
  const tensor square = [&] {
    const tb::no_grad guard;
    return x * x;
  }();
  tb::backward(square * x);
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{9});
}

TEST_CASE("mode: enable_grad records within a no_grad scope, and not in inference mode", "[autograd][mode]") {
  const tensor x = tb::require_grad(support::tensor_of({3}, {1}));
  const tb::no_grad guard;
  {
    const tb::enable_grad again;
    CHECK(tb::grad_enabled());
    CHECK(tb::requires_grad(x * x));
  }
  CHECK_FALSE(tb::grad_enabled());
  const tb::inference_mode mode;
  CHECK(toy::text_of<tb::error>([] { const tb::enable_grad no; }) ==
        "enable_grad: found inference mode, in which nothing can be recorded; leave it with inference_mode(false)");
}

TEST_CASE("mode: inference_mode nests, and its end restores the mode", "[autograd][mode]") {
  const auto made_here = [] { return tb::is_inference(support::tensor_of({1}, {1})); };
  CHECK_FALSE(made_here());
  {
    const tb::inference_mode on;
    CHECK(tb::is_inference_mode());
    CHECK_FALSE(tb::grad_enabled());
    CHECK(made_here());
    {
      const tb::inference_mode off(false);
      CHECK_FALSE(tb::is_inference_mode());
      CHECK(tb::grad_enabled());
      CHECK_FALSE(made_here());
    }
    CHECK(made_here());
  }
  CHECK_FALSE(tb::is_inference_mode());
  CHECK(tb::grad_enabled());
  CHECK_FALSE(made_here());
}

TEST_CASE("mode: in inference mode writes to tensors made before are still counted", "[autograd][mode]") {
  tensor x = support::tensor_of({1, 2}, {2});
  const tb::inference_mode mode;
  tb::aten::zero_(x);
  CHECK(x.version() == 1);
  tensor own = support::tensor_of({1, 2}, {2});
  tb::aten::zero_(own);
  CHECK(own.version() == 0);
}

TEST_CASE("mode: a scope below views counts no write", "[autograd][mode]") {
  tensor x = support::tensor_of({1, 2}, {2});
  {
    const tb::author::below_views guard;
    tb::aten::zero_(x);
    CHECK_FALSE(tb::is_view(tb::aten::select_int(x, 0, 0)));
  }
  CHECK(x.version() == 0);
  CHECK(tb::is_view(tb::aten::select_int(x, 0, 0)));
}

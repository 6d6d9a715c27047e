// Functions with a gradient of their own: which state forward() and backward() see.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <vector>

#include "support/tensor_values.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

dtype in_forward, in_backward, of_argument;

tensor square() { return tb::from_values<float>({1, 2, 3, 4}, {2, 2}); }

struct observed {
  static tensor forward(tb::function_context& c, const tensor& x) {
    c.save(x);
    of_argument = x.dtype();
    in_forward = aten::mm(square(), square()).dtype();
    return aten::neg(x);
  }
  static tensor backward(tb::function_context& c, const tensor& g) {
    in_backward = aten::mm(square(), square()).dtype();
    return aten::mul_Tensor(g, c.saved(0));
  }
};

struct summed {
  static tensor forward(tb::function_context&, std::span<const tensor> all) {
    of_argument = all[0].dtype();
    return all[0] + all[1];
  }
  static std::vector<tensor> backward(tb::function_context&, const tensor& g) { return {g, g}; }
};

}  // namespace

TEST_CASE("apply: backward() of a function runs in the scope of its forward()", "[autocast][apply]") {
  const tensor x = tb::require_grad(square());
  tensor y;
  {
    const tb::autocast scope(backend::CPU, {.lower = dtype::float16});
    y = tb::apply<observed>(x);
  }
  CHECK(in_forward == dtype::float16);
  tb::backward(aten::sum(y));
  CHECK(in_backward == dtype::float16);

  y = tb::apply<observed>(x);
  CHECK(in_forward == dtype::float32);
  const tb::autocast scope(backend::CPU);
  tb::backward(aten::sum(y));
  CHECK(in_backward == dtype::float32);
  CHECK(aten::mm(square(), square()).dtype() == dtype::bfloat16);

  const tb::autocast island(backend::CPU, {.enabled = false});
  y = tb::apply<observed>(x);
  tb::backward(aten::sum(y));
  CHECK(in_backward == dtype::float32);
}

TEST_CASE("apply: apply_in() casts arguments in a scope, and runs the function without autocast", "[autocast][apply]") {
  const tensor x = tb::require_grad(square());
  tensor y = tb::apply_in<observed>(dtype::float16, x);
  CHECK(of_argument == dtype::float32);
  {
    const tb::autocast scope(backend::CPU);
    y = tb::apply_in<observed>(dtype::float16, x);
  }
  CHECK(of_argument == dtype::float16);
  CHECK(y.dtype() == dtype::float16);
  CHECK(in_forward == dtype::float32);
  {
    const tb::autocast scope(backend::CPU);
    tb::backward(aten::sum(y));
  }
  CHECK(in_backward == dtype::float32);
  CHECK(tb::leaf_grad(x).dtype() == dtype::float32);
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("apply: apply_in() casts lists, and leaves float64 alone", "[autocast][apply]") {
  const tb::autocast scope(backend::CPU);
  const std::vector<tensor> all{tb::require_grad(square()), square()};
  CHECK(tb::apply_in<summed>(dtype::bfloat16, all).dtype() == dtype::bfloat16);
  CHECK(of_argument == dtype::bfloat16);
  (void)tb::apply_in<observed>(dtype::float32, tb::to(square(), dtype::float64));
  CHECK(of_argument == dtype::float64);
}

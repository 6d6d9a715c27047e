#include <array>
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>
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

// Right values, and a gradient that a test spoils.
double factor = 1;
struct squared {
  static tensor forward(tb::function_context& c, const tensor& x) {
    c.save(x);
    return x * x;
  }
  static tensor backward(tb::function_context& c, const tensor& g) { return g * c.saved(0) * (2 * factor); }
};
// Right gradients, of which the gradients are wrong: what is saved has no history.
struct squared_once {
  static tensor forward(tb::function_context& c, const tensor& x) {
    c.save(tb::detach(x));
    return x * x;
  }
  static tensor backward(tb::function_context& c, const tensor& g) { return g * c.saved(0) * 2; }
};
template <class Function>
std::vector<tensor> run(std::span<const tensor> in) {
  return {tb::apply<Function>(in[0])};
}
}  // namespace

TEST_CASE("check: accepts a correct gradient, in every memory layout", "[autograd][check]") {
  factor = 1;
  for (const auto how : {support::arrangement::dense, support::arrangement::transposed, support::arrangement::sliced}) {
    const tensor x = tb::require_grad(support::numbers(3).tensor({2, 3}, tb::dtype::float64, how));
    const list before = values(x);
    CHECK(tb::gradcheck(run<squared>, std::vector<tensor>{x}).ok);
    CHECK(tb::gradgradcheck(run<squared>, std::vector<tensor>{x}).ok);
    CHECK(values(x) == before);
    CHECK_FALSE(tb::leaf_grad(x).defined());
  }
}

TEST_CASE("check: names the element whose gradient is wrong", "[autograd][check]") {
  factor = 1.01;
  const tensor x = leaf({3, 4});
  const tb::check_result found = tb::gradcheck(run<squared>, std::vector<tensor>{x});
  factor = 1;
  CHECK_FALSE(found.ok);
  CHECK(found.text.starts_with(
      "input 1, element 0: the gradient of result 1, element 0, is 6.06, finite differences give 6"));
}

TEST_CASE("check: a gradient without a gradient is found", "[autograd][check]") {
  const tensor x = leaf({3, 4});
  CHECK(tb::gradcheck(run<squared_once>, std::vector<tensor>{x}).ok);
  const tb::check_result twice = tb::gradgradcheck(run<squared_once>, std::vector<tensor>{x});
  CHECK_FALSE(twice.ok);
  CHECK(twice.text.starts_with("gradient of the gradient"));
}

TEST_CASE("check: a lost gradient is found", "[autograd][check]") {
  const auto f = [](std::span<const tensor> in) { return std::vector<tensor>{in[0] * tb::detach(in[0])}; };
  CHECK_FALSE(tb::gradcheck(f, std::vector<tensor>{leaf({3, 4})}).ok);
}

TEST_CASE("check: unsuitable inputs are refused", "[autograd][check]") {
  const auto f = [](std::span<const tensor> in) { return std::vector<tensor>{in[0] * 2}; };
  const tensor narrow = tb::require_grad(tensor_of({1}, {1}, tb::dtype::float32));
  CHECK(text_of<tb::dtype_error>([&] { tb::gradcheck(f, std::vector<tensor>{narrow}); }) ==
        "gradcheck: input 1 is float32, wanted float64: finite differences of other dtypes are too inaccurate");
  const tensor shared = tb::require_grad(aten::expand(tensor_of({1}, {1}), std::vector<std::int64_t>{3}));
  CHECK(text_of<tb::error>([&] { tb::gradcheck(f, std::vector<tensor>{shared}); }) ==
        "gradcheck: input 1 is of strides [0], whose elements share memory; clone() it first");
  CHECK(text_of<tb::error>([&] { tb::gradcheck(f, std::vector<tensor>{tensor_of({1}, {1})}); }) ==
        "gradcheck: found no input that requires a gradient, wanted one or more");
}

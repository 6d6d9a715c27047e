// Checks of tangents.
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <vector>

#include "duals.h"
#include "support/raises.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using duals::random;
using tb::tensor;

namespace {

struct wrong_gradient {
  static tensor forward(tb::function_context&, const tensor& x) { return x * 2.0; }
  static tensor backward(tb::function_context&, const tensor& g) { return g * 3.0; }
};

// log(1 + exp(x)), whose derivative is 1 - exp(-y).
struct log_of_exp {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x) {
    const tb::tensor y = tb::log1p(tb::exp(x));
    c.save(y);
    return y;
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& gradient) {
    return gradient * -tb::expm1(-c.saved(0));
  }
  static tb::tensor jvp(tb::function_context& c, const tb::tensor& tangent) {
    return tangent * -tb::expm1(-c.saved(0));
  }
};
struct with_wrong_jvp : log_of_exp {
  static tb::tensor jvp(tb::function_context&, const tb::tensor& tangent) { return tangent; }
};

}  // namespace

TEST_CASE("check: tangents agree with differences and with gradients", "[transform][check]") {
  const tensor x = tb::require_grad(random({2, 3}, 1)), w = tb::require_grad(random({3}, 2)), c = random({3}, 3);
  const std::vector<tensor> inputs{x, w, c};
  const auto f = [](std::span<const tensor> in) {
    return std::vector<tensor>{tb::tanh(in[0] * in[1] + in[2]), tb::argmax(in[0]), tb::sum(in[1])};
  };
  CHECK(tb::jvpcheck(f, inputs).text == "");
  CHECK(tb::jvpcheck([](std::span<const tensor> in) { return std::vector<tensor>{tb::ones({2}) * in[2][0]}; }, inputs));
}

TEST_CASE("check: of a function with a jvp() of its own", "[transform][check]") {
  const std::vector<tensor> x{tb::require_grad(random({2, 3}, 5))};
  const auto calling = []<class F>(F) {
    return [](std::span<const tensor> in) { return std::vector<tensor>{tb::apply<F>(in[0])}; };
  };
  CHECK(tb::jvpcheck(calling(log_of_exp{}), x).text == "");
  CHECK(tb::jvpcheck(calling(with_wrong_jvp{}), x).text.starts_with("result 1, element 0: the tangent is "));
}

TEST_CASE("check: the text names the tangent that is wrong", "[transform][check]") {
  const std::vector<tensor> x{tb::require_grad(random({2}, 4))};
  const auto wrong = [](std::span<const tensor> in) { return std::vector<tensor>{tb::apply<wrong_gradient>(in[0])}; };
  const tb::check_result found = tb::jvpcheck(wrong, x);
  CHECK_FALSE(found);
  CHECK(found.text.starts_with("result 1, element 0: the tangent is "));
  CHECK(found.text.find(", finite differences give ") != std::string::npos);
  // Recording stops in no_grad, and tangents do not.
  const auto half_recorded = [](std::span<const tensor> in) {
    const tensor doubled = [&] {
      const tb::no_grad off;
      return in[0] * 2.0;
    }();
    return std::vector<tensor>{doubled + in[0]};
  };
  CHECK(tb::jvpcheck(half_recorded, x).text.starts_with("a product of the results' tangents is "));
  CHECK(toy::text_of<tb::dtype_error>([&] { tb::jvpcheck(wrong, std::vector{tb::require_grad(tb::ones({2}))}); }) ==
        "jvpcheck: input 1 is float32, wanted float64: finite differences of other dtypes are too inaccurate");
  CHECK(toy::text_of<tb::error>([&] { tb::jvpcheck(wrong, std::vector{tb::ones({2})}); }) ==
        "jvpcheck: found no input that requires a gradient, wanted one or more");
}

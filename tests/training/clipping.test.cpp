// Gradients made smaller: the numbers of torch.nn.utils.clip_grad_norm_, and what is refused.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using doubles = std::vector<double>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct problem {
  tensor a, b, without;
  explicit problem(tb::dtype type = tb::dtype::float64) {
    a = tb::require_grad(tensor_of({0, 0}, {2}, type));
    b = tb::require_grad(tensor_of({0, 0, 0, 0}, {2, 2}, type));
    without = tb::require_grad(tensor_of({0}, {1}, type));
    tb::set_leaf_grad(a, tensor_of({3, -4}, {2}, type));
    tb::set_leaf_grad(b, tensor_of({1, 2, -2, 4}, {2, 2}, type));
  }
  std::vector<tensor> all() const { return {a, without, b}; }
  doubles gradients() const {
    doubles out = values(tb::leaf_grad(a));
    for (const double x : values(tb::leaf_grad(b))) out.push_back(x);
    return out;
  }
};
const doubles unclipped{3, -4, 1, 2, -2, 4};

void check_clipped(double p, double most, double norm, const doubles& wanted) {
  const problem x;
  INFO("p " << p << ", most " << most);
  CHECK(support::difference({tb::clip_gradient_norm(x.all(), most, {.p = p})}, {norm}, 1e-15) == "");
  CHECK(support::difference(x.gradients(), wanted, 1e-15) == "");
}

}  // namespace

// torch 2.15, float64
TEST_CASE("clipping: norms of all orders agree with PyTorch", "[training][clipping]") {
  check_clipped(2, 1, 7.0710678118654755,
                {0.42426400871193692, -0.56568534494924927, 0.14142133623731232, 0.28284267247462463,
                 -0.28284267247462463, 0.56568534494924927});
  check_clipped(infinity, 1, 4,
                {0.74999981250004688, -0.99999975000006247, 0.24999993750001562, 0.49999987500003124,
                 -0.49999987500003124, 0.99999975000006247});
  check_clipped(1, 2, 16,
                {0.37499997656250145, -0.49999996875000191, 0.12499999218750048, 0.24999998437500096,
                 -0.24999998437500096, 0.49999996875000191});
  check_clipped(3, 2, 5.5612977665212346,
                {1.0788846727889765, -1.4385128970519685, 0.35962822426299212, 0.71925644852598425,
                 -0.71925644852598425, 1.4385128970519685});
}

TEST_CASE("clipping: gradients below the limit are unchanged bitwise", "[training][clipping]") {
  check_clipped(2, 100, 7.0710678118654755, unclipped);
}

TEST_CASE("clipping: half precision is summed in float32", "[training][clipping]") {
  const problem x(tb::dtype::float16);
  tb::set_leaf_grad(x.a, tensor_of({1, 1}, {2}, tb::dtype::float16));
  CHECK(std::abs(tb::clip_gradient_norm(x.all(), std::sqrt(27.0) / 2) - std::sqrt(27.0)) < 1e-6);
  CHECK(support::difference(x.gradients(), {0.5, 0.5, 0.5, 1, -1, 2}, 1e-3) == "");
}

TEST_CASE("clipping: an empty list has norm 0", "[training][clipping]") {
  CHECK(tb::clip_gradient_norm({}, 1) == 0);
  CHECK(tb::clip_gradient_norm(std::vector{problem().without}, 1) == 0);
}

TEST_CASE("clipping: a norm that is not finite is an error if requested", "[training][clipping]") {
  for (const double bad : {infinity, std::nan("")}) {
    for (const double p : {2.0, infinity}) {
      const problem x;
      tb::set_leaf_grad(x.a, tensor_of({bad, 1}, {2}));
      const std::string found = std::isnan(bad) ? "nan" : "inf";
      CHECK(text_of<tb::error>([&] {
              (void)tb::clip_gradient_norm(x.all(), 1, {.p = p, .error_if_non_finite = true});
            }) == "clip_gradient_norm: found gradients whose norm is " + found +
                      ", wanted a finite one; clip_options.error_if_non_finite enables this error");
      CHECK(values(tb::leaf_grad(x.b)) == doubles{1, 2, -2, 4});
      const double norm = tb::clip_gradient_norm(x.all(), 1, {.p = p});
      CHECK((std::isnan(bad) ? std::isnan(norm) : norm == infinity));
      CHECK(std::isnan(values(tb::leaf_grad(x.a))[0]));
    }
  }
}

TEST_CASE("clipping: elements are clipped to bounds", "[training][clipping]") {
  const problem x;
  tb::clip_gradient_value(x.all(), 2);
  CHECK(x.gradients() == doubles{2, -2, 1, 2, -2, 2});
}

TEST_CASE("clipping: bounds and orders out of their range are refused", "[training][clipping]") {
  const problem x;
  CHECK(text_of<tb::error>([&] { (void)tb::clip_gradient_norm(x.all(), -1); }) ==
        "clip_gradient_norm: found most=-1, wanted 0 or more");
  CHECK(text_of<tb::error>([&] { (void)tb::clip_gradient_norm(x.all(), 1, {.p = 0}); }) ==
        "clip_gradient_norm: found p=0, wanted a number above 0");
  CHECK(text_of<tb::error>([&] { tb::clip_gradient_value(x.all(), std::nan("")); }) ==
        "clip_gradient_value: found most=nan, wanted 0 or more");
  CHECK(x.gradients() == unclipped);
}

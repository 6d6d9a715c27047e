#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace ops = topbit::ops;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

struct gives_nan {
  static tensor forward(tb::function_context&, const tensor& x) { return x * 1; }
  static tensor backward(tb::function_context&, const tensor& g) { return g / 0 * 0; }
};
}  // namespace

TEST_CASE("anomaly: a rule that gives NaN is an error that names it", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  const auto run = [&] { tb::backward(ops::sum(tb::apply<gives_nan>(x * 2) * 3)); };
  run();
  tb::clear_grad(x);
  const tb::detect_anomaly guard;
  const std::string text = text_of<tb::error>(run);

  CHECK(text.find("gives_nan: its gradient rule gave NaN for argument 1; while backward ran ") != std::string::npos);
  CHECK_FALSE(tb::grad(x).defined());
}

TEST_CASE("anomaly: an error tells where the call was recorded", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  tensor y = tensor_of({3, 4}, {2}), z;
  {
    const tb::detect_anomaly guard;
    z = ops::sum(x * y);
  }
  ops::zero_(y);
  const std::string text = text_of<tb::error>([&] { tb::backward(z); });
  CHECK(text.find("aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by aten::zero_") ==
        0);
  CHECK(text.find("; it was recorded in ") != std::string::npos);
  const tensor w = tensor_of({3, 4}, {2});
  const tensor later = ops::sum(x * w);
  CHECK(text_of<tb::error>([&] {
          tensor victim = w;
          ops::zero_(victim);
          tb::backward(later);
        }).find("; it was recorded in ") == std::string::npos);
}

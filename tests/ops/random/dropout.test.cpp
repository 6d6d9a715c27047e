// Dropout: what stays is scaled, what goes is as rare as asked, and gradients follow the mask.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

// The gradient of a sum, and of nothing before it.
list slope_of(const tensor& sum, tensor x) {
  tb::zero_grad(x);
  tb::backward(sum);
  return values(tb::leaf_grad(x));
}

list share_of_zero(const list& v) {
  double zeros = 0;
  for (double x : v) zeros += x == 0;
  return {zeros / double(v.size())};
}

}  // namespace

TEST_CASE("dropout: an element is 0 with probability p, else divided by 1 - p", "[ops][dropout]") {
  for (dtype t : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
    for (arrangement how : support::arrangements) {
      support::numbers source(1);
      const tensor x = source.positive({100, 50}, t, how);
      const list before = values(x);
      tb::manual_seed(5);
      const tensor y = aten::dropout(x, 0.25, true);
      CHECK(y.dtype() == t);
      const list after = values(y);
      CHECK(std::abs(share_of_zero(after)[0] - 0.25) < 0.03);
      for (std::size_t i = 0; i < after.size(); ++i) {
        if (after[i] != 0)
          REQUIRE(std::abs(after[i] - before[i] / 0.75) <= 2 * support::tolerance_of(t) * (1 + before[i]));
      }
      CHECK(tb::default_generator().take(0).offset == 5000);
      if (how == arrangement::expanded) continue;
      tb::manual_seed(5);
      tensor z = aten::clone(x);
      CHECK(values(aten::dropout_(z, 0.25, true)) == after);
    }
  }
}

TEST_CASE("dropout: identity for p of 0 or outside training, all zeros for p of 1", "[ops][dropout]") {
  tb::manual_seed(1);
  tensor x = tensor_of({1, 2}, {2});
  CHECK(aten::dropout(x, 0.5, false).same_as(x));
  CHECK(aten::dropout(x, 0, true).same_as(x));
  CHECK(aten::alpha_dropout(x, 0.5, false).same_as(x));
  CHECK(aten::dropout(tensor_of({3}, {1}, dtype::int64), 0.5, false).dtype() == dtype::int64);
  CHECK(values(aten::dropout(x, 1, true)) == list{0, 0});
  CHECK(values(aten::alpha_dropout(x, 1, true)) == list{0, 0});
  CHECK(tb::default_generator().take(0).offset == 0);
  const auto meta = tb::to(x, tb::meta);
  CHECK(aten::dropout(meta, 0.5, true).sizes() == tb::shape{2});
  for (const tensor& t : {x, meta}) {
    CHECK(text_of<tb::error>([&] { aten::dropout(t, 1.5, true); }) == "aten::dropout: found p 1.5, wanted 0 to 1");
    CHECK(text_of<tb::error>([&] { aten::native_dropout(t, -1, true); }) ==
          "aten::native_dropout: found p -1, wanted 0 to 1");
    tensor i = tb::to(t, dtype::int64);
    CHECK(text_of<tb::dtype_error>([&] { aten::dropout_(i, 0.5, true); }) ==
          "aten::dropout_: found dtype int64, wanted a floating one");
  }
}

TEST_CASE("dropout: native_dropout returns its mask, and both have the gradient of the mask", "[ops][dropout]") {
  support::numbers source(2);
  const tensor x = tb::require_grad(source.positive({40, 30}, dtype::float64));
  const auto [y, mask] = aten::native_dropout(x, 0.5, true);
  CHECK(mask.dtype() == dtype::boolean);
  CHECK_FALSE(tb::requires_grad(mask));
  const list m = values(mask), in = values(x), out = values(y);
  for (std::size_t i = 0; i < m.size(); ++i) REQUIRE(out[i] == in[i] * m[i] * 2);
  CHECK(std::abs(share_of_zero(m)[0] - 0.5) < 0.05);
  const tensor g = source.tensor({40, 30}, dtype::float64);
  const list given = values(g), back = slope_of(aten::sum(aten::mul_Tensor(y, g)), x);
  for (std::size_t i = 0; i < m.size(); ++i) REQUIRE(back[i] == given[i] * m[i] * 2);
  CHECK(values(aten::native_dropout_backward(g, mask, 2)) == back);
  const auto [same, all] = aten::native_dropout(x, 0.5, false);
  CHECK(values(same) == in);
  CHECK(values(all) == list(m.size(), 1));
  const tensor dropped = aten::dropout(x, 0.5, true);
  const list d = values(dropped), slope = slope_of(aten::sum(dropped), x);
  for (std::size_t i = 0; i < d.size(); ++i) REQUIRE(slope[i] == (d[i] == 0 ? 0 : 2));
}

TEST_CASE("dropout: alpha_dropout keeps mean 0 and variance 1", "[ops][dropout]") {
  tb::manual_seed(3);
  const tensor x = aten::randn(std::vector<std::int64_t>{40000}, tb::arg<"dtype"> = dtype::float64);
  const list v = values(aten::alpha_dropout(x, 0.3, true));
  double mean = 0, variance = 0;
  for (double e : v) mean += e / double(v.size());
  for (double e : v) variance += (e - mean) * (e - mean) / double(v.size());
  CHECK(std::abs(mean) < 0.02);
  CHECK(std::abs(variance - 1) < 0.03);
}

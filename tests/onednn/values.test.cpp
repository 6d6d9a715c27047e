// Conversions, and operators on whole tensors, compared with topbit's own kernels.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "onednn_values.h"
#include "support/raises.h"

using namespace onednn_test;
using tb::dtype;

namespace {

const std::vector<dtype> floats{dtype::float32, dtype::bfloat16};
const std::vector<dtype> all_types{dtype::float32, dtype::bfloat16, dtype::int8, dtype::uint8};

}  // namespace

TEST_CASE("onednn: a conversion there and back keeps every element", "[onednn]") {
  for (const dtype type : all_types) {
    for (const tb::shape& sizes : {tb::shape{7}, {3, 5}, {2, 3, 4}, {2, 3, 4, 5}, {2, 3, 4, 5, 2}, {0, 3}, {2, 0, 4}}) {
      for (const support::arrangement how : support::arrangements) {
        const tb::tensor x = support::numbers(3).tensor(sizes, type, how);
        const tb::tensor m = tb::to_mkldnn(x);
        INFO(name_of(type) << to_string(sizes) << support::name_of(how));
        CHECK(tb::is_mkldnn(m));
        CHECK(m.sizes() == sizes);
        CHECK(m.dtype() == type);
        CHECK(values(m) == support::values(x));
      }
    }
  }
}

TEST_CASE("onednn: conversions round as to() does", "[onednn]") {
  const tb::tensor x = random({3, 50}, dtype::float64);
  for (const dtype type : floats) {
    const tb::tensor wanted = tb::to(x, type);
    CHECK(values(tb::to_mkldnn(x, type)) == support::values(wanted));
    CHECK(values(tb::to(tb::to_mkldnn(tb::to(x, dtype::float32)), type)) == support::values(wanted));
    CHECK(support::values(tb::to_dense(tb::to_mkldnn(tb::to(x, dtype::float32)), type)) == support::values(wanted));
  }
  CHECK(support::values(tb::to_dense(tb::to_mkldnn(x, dtype::bfloat16), dtype::float64)) ==
        support::values(tb::to(tb::to(x, dtype::bfloat16), dtype::float64)));
}

TEST_CASE("onednn: what has no format is refused with the way out", "[onednn]") {
  CHECK(
      toy::text_of<tb::dtype_error>([] { tb::to_mkldnn(random({2}, dtype::float64)); }) ==
      "aten::to_mkldnn: found float64, wanted float32, bfloat16, int8 or uint8; to_mkldnn(x, dtype=float32) converts");
  CHECK(toy::text_of<tb::dtype_error>([] { tb::to_mkldnn(random({2}, dtype::int8), dtype::float32); }) ==
        "aten::to_mkldnn: found int8 to convert to float32, wanted two floating-point types; to(x, dtype) first");
  CHECK(toy::text_of<tb::shape_error>([] { tb::to_mkldnn(tb::tensor(3.5)); }) ==
        "aten::to_mkldnn: found [], wanted 1 to 5 dimensions");
  CHECK(toy::text_of<tb::layout_error>([] { tb::to_mkldnn(random({2})).data(); }) ==
        "data of a tensor: found layout mkldnn, wanted strided; to_dense(x) makes one");
}

TEST_CASE("onednn: activations are those of topbit", "[onednn]") {
  for (const dtype type : floats) {
    for (const tb::shape& sizes : {tb::shape{33}, {3, 17}, {2, 20, 5, 7}}) {
      const tb::tensor x = random(sizes, type), m = tb::to_mkldnn(x);
      CHECK(differs(tb::relu(m), tb::relu(x)) == "");
      CHECK(differs(tb::sigmoid(m), tb::sigmoid(x)) == "");
      CHECK(differs(tb::tanh(m), tb::tanh(x)) == "");
      CHECK(differs(tb::gelu(m), tb::gelu(x)) == "");
      CHECK(differs(tb::gelu(m, tb::arg<"approximate"> = "tanh"), tb::gelu(x, tb::arg<"approximate"> = "tanh")) == "");
      CHECK(differs(tb::softmax(m, -1), tb::softmax(x, -1)) == "");
      CHECK(differs(tb::softmax(m, 0), tb::softmax(x, 0)) == "");
      tb::tensor written = tb::clone(m);
      tb::relu_(written);
      CHECK(differs(written, tb::relu(x)) == "");
      CHECK(differs(m, x) == "");
    }
  }
}

TEST_CASE("onednn: sums and products of elements are those of topbit", "[onednn]") {
  for (const dtype type : floats) {
    const tb::tensor a = random({2, 20, 3, 5}, type, 1), b = random({2, 20, 3, 5}, type, 2),
                     c = random({1, 20, 1, 1}, type, 3);
    const tb::tensor ma = tb::to_mkldnn(a), mb = tb::to_mkldnn(b), mc = tb::to_mkldnn(c);
    CHECK(differs(tb::add(ma, mb), tb::add(a, b)) == "");
    CHECK(differs(tb::sub(ma, mb), tb::sub(a, b)) == "");
    CHECK(differs(tb::mul(ma, mb), tb::mul(a, b)) == "");
    CHECK(differs(tb::add(ma, mc), tb::add(a, c)) == "");
    CHECK(differs(tb::sub(ma, mc), tb::sub(a, c)) == "");
    CHECK(differs(tb::sub(mc, ma), tb::sub(c, a)) == "");
    CHECK(differs(tb::mul(mc, ma), tb::mul(c, a)) == "");
    CHECK(differs(tb::add(ma, mb, tb::arg<"alpha"> = 2), tb::add(a, b, tb::arg<"alpha"> = 2)) == "");
    CHECK(differs(tb::sub(ma, mb, tb::arg<"alpha"> = -0.5), tb::sub(a, b, tb::arg<"alpha"> = -0.5)) == "");
    CHECK(differs(ma * 3, a * 3) == "");
    CHECK(differs(ma + 3, a + 3) == "");
    CHECK(differs(ma - 0.5, a - 0.5) == "");
    tb::tensor sum = tb::clone(ma);
    tb::add_(sum, mb);
    tb::mul_(sum, mc);
    tb::sub_(sum, mb, tb::arg<"alpha"> = 2);
    CHECK(differs(sum, tb::sub(tb::mul(tb::add(a, b), c), b, tb::arg<"alpha"> = 2)) == "");
    tb::add_(sum, sum);
    CHECK(tb::is_mkldnn(sum));
  }
}

TEST_CASE("onednn: zero_ and sub.out of the operator table write to a tensor of the format", "[onednn]") {
  const tb::tensor a = random({3, 4}, dtype::float32, 1), b = random({3, 4}, dtype::float32, 2);
  tb::tensor out = tb::to_mkldnn(random({3, 4}, dtype::float32, 3));
  tb::sub(tb::to_mkldnn(a), tb::to_mkldnn(b), tb::arg<"out"> = out);
  CHECK(differs(out, a - b) == "");
  tb::sub(a, tb::to_mkldnn(b), tb::arg<"out"> = out);
  CHECK(differs(out, a - b) == "");
  tb::tensor plain = tb::clone(a);
  tb::sub(tb::to_mkldnn(a), b, tb::arg<"out"> = plain);
  CHECK(support::values(plain) == support::values(a - b));
  const std::uint32_t version = out.version();
  tb::zero_(out);
  CHECK(out.version() == version + 1);
  CHECK(differs(out, tb::zeros({3, 4})) == "");
  tb::tensor other = tb::to_mkldnn(random({2}, dtype::float32, 3));
  CHECK(has(toy::text_of<tb::error>([&] { tb::sub(a, tb::to_mkldnn(b), tb::arg<"out"> = other); }), "aten::sub.out"));
}

TEST_CASE("onednn: matrix products are those of topbit", "[onednn]") {
  for (const dtype type : floats) {
    const tb::tensor x = random({5, 40}, type, 1), w = random({30, 40}, type, 2), b = random({30}, type, 3);
    const tb::tensor mx = tb::to_mkldnn(x), mw = tb::to_mkldnn(w), mb = tb::to_mkldnn(b);
    const tb::tensor y = tb::linear(x, w, b);
    CHECK(differs(tb::linear(mx, w, b), y) == "");
    CHECK(differs(tb::linear(mx, mw, mb), y) == "");
    CHECK(differs(tb::linear(mx, mw), tb::linear(x, w)) == "");
    CHECK(differs(tb::linear_relu(mx, mw, mb), tb::relu(y)) == "");
    CHECK(support::difference(support::values(tb::linear_relu(x, w, b)), support::values(tb::relu(y)), 1e-6) == "");
    const tb::tensor x3 = random({2, 3, 40}, type, 4);
    CHECK(differs(tb::linear(tb::to_mkldnn(x3), mw, mb), tb::linear(x3, w, b)) == "");
    const tb::tensor f = random({40, 7}, type, 5), mf = tb::to_mkldnn(f);
    CHECK(differs(tb::matmul(mx, mf), tb::matmul(x, f)) == "");
    CHECK(differs(tb::mm(mx, mf), tb::mm(x, f)) == "");
    const tb::tensor packed = tb::pack_weight(w, 5);
    CHECK(tb::is_mkldnn(packed));
    CHECK(values(packed) == support::values(w));
    CHECK(differs(tb::linear(mx, packed, mb), y) == "");
    CHECK(differs(tb::linear(tb::to_mkldnn(random({9, 40}, type, 6)), packed),
                  tb::linear(random({9, 40}, type, 6), w)) == "");
  }
}

TEST_CASE("onednn: copies in another order or of other sizes keep their elements", "[onednn]") {
  const tb::tensor x = random({2, 20, 6, 6}), w = random({24, 20, 3, 3}, dtype::float32, 2);
  // Of a format that a convolution chose.
  const tb::tensor y = tb::conv2d(x, w), m = tb::conv2d(tb::to_mkldnn(x), w);
  CHECK(differs(tb::reshape(m, {2, 24, 16}), tb::reshape(y, {2, 24, 16})) == "");
  CHECK(differs(tb::reshape(m, {-1, 48}), tb::reshape(y, {-1, 48})) == "");
  CHECK(differs(tb::transpose(m, 1, -1), tb::transpose(y, 1, -1)) == "");
  CHECK(differs(tb::permute(m, {3, 0, 2, 1}), tb::permute(y, {3, 0, 2, 1})) == "");
  CHECK(differs(tb::t(tb::to_mkldnn(random({3, 5}))), tb::t(random({3, 5}))) == "");
  CHECK(differs(tb::clone(m), y) == "");
  CHECK(tb::onednn::format_of(tb::clone(m)) == tb::onednn::format_of(m));
  CHECK(differs(tb::detach(m), y) == "");
  CHECK(differs(tb::cat({m, m}, 1), tb::cat({y, y}, 1)) == "");
  CHECK(differs(tb::cat({m, m, m}, 0), tb::cat({y, y, y}, 0)) == "");
  CHECK(differs(tb::cat({m, tb::to_mkldnn(y)}, -1), tb::cat({y, y}, -1)) == "");
  tb::tensor target = tb::clone(m);
  tb::copy_(target, y * 2);
  CHECK(differs(target, y * 2) == "");
  tb::copy_(target, tb::to_mkldnn(y));
  CHECK(differs(target, y) == "");
  tb::tensor plain = tb::zeros_like(y);
  tb::copy_(plain, m);
  CHECK(distance(plain, y) == "");
  CHECK(toy::text_of<tb::shape_error>([&] { tb::copy_(target, tb::zeros({3})); }) != "nothing was thrown");
  CHECK(toy::text_of<tb::shape_error>([&] { tb::reshape(m, {5, 5}); }) != "nothing was thrown");
}

TEST_CASE("onednn: infinities and NaN pass", "[onednn]") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const tb::tensor x = tb::from_values<float>({inf, -inf, nan, 1, -1, 0}, {6}), m = tb::to_mkldnn(x);
  CHECK(support::difference(values(m), support::values(x), 0) == "");
  CHECK(support::difference(values(tb::add(m, m)), support::values(x + x), 0) == "");
  CHECK(support::difference(values(tb::sigmoid(m)), support::values(tb::sigmoid(x)), 1e-5) == "");
  CHECK(support::difference(values(tb::tanh(m)), support::values(tb::tanh(x)), 1e-5) == "");
  // relu is max(x, 0) of the processor, which drops NaN.
  CHECK(values(tb::relu(m)) == std::vector<double>{inf, 0, 0, 1, 0, 0});
}

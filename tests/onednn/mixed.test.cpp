// Calls that mix oneDNN's tensors with strided ones and numbers: each gives a right result.
#include <catch2/catch_test_macros.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "onednn_values.h"
#include "support/raises.h"

using namespace onednn_test;
using tb::dtype;

namespace {

const tb::tensor x = random({2, 3, 6, 6}), w = random({4, 3, 3, 3}, dtype::float32, 2),
                 b = random({4}, dtype::float32, 3);
const tb::tensor m = tb::to_mkldnn(x);

// Of operators without a kernel for the format: strided, and right.
std::string is_strided(const tb::tensor& found, const tb::tensor& wanted) {
  if (found.layout() != tb::layout::strided) return "the result is " + std::string(name_of(found.layout()));
  if (found.sizes() != wanted.sizes()) return "found " + to_string(found.sizes());
  return support::difference(support::values(found), support::values(wanted), 1e-5);
}

}  // namespace

TEST_CASE("onednn: a convolution takes strided weights", "[onednn]") {
  CHECK(differs(tb::conv2d(m, w, b), tb::conv2d(x, w, b)) == "");
}
TEST_CASE("onednn: a convolution of a strided input takes weights of the format", "[onednn]") {
  CHECK(differs(tb::conv2d(x, tb::to_mkldnn(w), tb::to_mkldnn(b)), tb::conv2d(x, w, b)) == "");
}
TEST_CASE("onednn: a convolution of one image without a batch is that of topbit", "[onednn]") {
  const tb::tensor image = random({3, 6, 6});
  CHECK(differs(tb::conv2d(tb::to_mkldnn(image), w, b), tb::conv2d(image, w, b)) == "");
}
TEST_CASE("onednn: a convolution with padding by name is that of topbit", "[onednn]") {
  CHECK(differs(tb::conv2d(m, w, b, tb::arg<"padding"> = "same"), tb::conv2d(x, w, b, tb::arg<"padding"> = "same")) ==
        "");
}
TEST_CASE("onednn: a transposed convolution is that of topbit", "[onednn]") {
  const tb::tensor f = random({3, 4, 3, 3}, dtype::float32, 5);
  CHECK(support::difference(values(tb::conv_transpose2d(m, f)), support::values(tb::conv_transpose2d(x, f)), 1e-5) ==
        "");
}
TEST_CASE("onednn: linear takes strided weights, and weights of the format alone", "[onednn]") {
  const tb::tensor f = random({5, 6}, dtype::float32, 5);
  CHECK(differs(tb::linear(m, f), tb::linear(x, f)) == "");
  CHECK(differs(tb::linear(x, tb::to_mkldnn(f)), tb::linear(x, f)) == "");
}
TEST_CASE("onednn: a sum with a strided tensor is of the format", "[onednn]") {
  CHECK(differs(m + x, x + x) == "");
  CHECK(differs(x + m, x + x) == "");
  CHECK(differs(x - m * 2, x - x * 2) == "");
}
TEST_CASE("onednn: a sum and a product with a number are of the format", "[onednn]") {
  tb::onednn::reset_dense_call_report();
  CHECK(differs(m + 2, x + 2) == "");
  CHECK(differs(m * 2, x * 2) == "");
  CHECK(differs(2 * m, 2 * x) == "");
  CHECK(dense_calls() == 0);
  CHECK(differs(1 - m, 1 - x) == "");
}
TEST_CASE("onednn: a product broadcasts", "[onednn]") {
  const tb::tensor row = random({6}, dtype::float32, 7), channel = random({3, 1, 1}, dtype::float32, 8);
  CHECK(differs(m * tb::to_mkldnn(row), x * row) == "");
  CHECK(differs(m * row, x * row) == "");
  CHECK(differs(tb::to_mkldnn(channel) * m, channel * x) == "");
}
TEST_CASE("onednn: dtypes are promoted", "[onednn]") {
  const tb::tensor half = tb::to(x, dtype::bfloat16);
  CHECK(differs(m + tb::to_mkldnn(half), x + half) == "");
  CHECK(support::difference(support::values(tb::to_dense(m + tb::to(x, dtype::float64))),
                            support::values(x + tb::to(x, dtype::float64)), 1e-6) == "");
}
TEST_CASE("onednn: sum, exp, slice and item give strided results", "[onednn]") {
  CHECK(is_strided(tb::sum(m), tb::sum(x)) == "");
  CHECK(is_strided(tb::exp(m), tb::exp(x)) == "");
  CHECK(is_strided(tb::slice(m, 1, 0, 2), tb::slice(x, 1, 0, 2)) == "");
  CHECK(tb::item<float>(tb::sum(m)) == tb::item<float>(tb::sum(x)));
  CHECK(tb::item<float>(tb::to_mkldnn(tb::full({1}, 3.5))) == 3.5F);
}
TEST_CASE("onednn: permute and cat are of the format", "[onednn]") {
  CHECK(differs(tb::permute(m, {0, 2, 3, 1}), tb::permute(x, {0, 2, 3, 1})) == "");
  CHECK(differs(tb::cat({m, x}, 1), tb::cat({x, x}, 1)) == "");
}
TEST_CASE("onednn: empty_like, zeros_like and dropout are strided", "[onednn]") {
  CHECK(tb::empty_like(m).sizes() == x.sizes());
  CHECK(support::values(tb::to_dense(tb::zeros_like(m))) == support::values(tb::zeros_like(x)));
  CHECK(tb::dropout(m, 0.0, true).sizes() == x.sizes());
  CHECK(differs(tb::to_mkldnn(tb::dropout(m, 0.5, false)), x) == "");
}
TEST_CASE("onednn: matmul multiplies matrices in the format, and batches strided", "[onednn]") {
  const tb::tensor a = random({3, 4}), f = random({4, 5}, dtype::float32, 2),
                   many = random({2, 3, 4}, dtype::float32, 4);
  CHECK(differs(tb::matmul(tb::to_mkldnn(a), f), tb::matmul(a, f)) == "");
  CHECK(differs(tb::matmul(a, tb::to_mkldnn(f)), tb::matmul(a, f)) == "");
  CHECK(support::difference(values(tb::matmul(tb::to_mkldnn(many), f)), support::values(tb::matmul(many, f)), 1e-5) ==
        "");
}
TEST_CASE("onednn: a copy to a strided tensor and back is a conversion", "[onednn]") {
  tb::tensor plain = tb::zeros_like(x);
  tb::copy_(plain, m);
  CHECK(support::values(plain) == support::values(x));
  tb::tensor target = tb::to_mkldnn(plain);
  tb::copy_(target, x * 2);
  CHECK(differs(target, x * 2) == "");
}
TEST_CASE("onednn: view gives a strided copy, reshape one of the format", "[onednn]") {
  CHECK(is_strided(tb::view(m, {6, 36}), tb::view(x, {6, 36})) == "");
  CHECK(differs(tb::reshape(m, {6, 36}), tb::reshape(x, {6, 36})) == "");
}
TEST_CASE("onednn: a whole network runs, and no layer needs to know", "[onednn]") {
  const tb::tensor f = random({10, 36}, dtype::float32, 9), fb = random({10}, dtype::float32, 10);
  const auto network = [&](const tb::tensor& input) {
    const std::int64_t two[] = {2}, one[] = {1};
    tb::tensor y = tb::relu(tb::conv2d(input, w, b, one, one));
    y = tb::max_pool2d(y, two);
    y = tb::layer_norm(y, tb::shape{3, 3});
    return tb::log_softmax(tb::linear(tb::reshape(y, {2, 36}), f, fb), 1);
  };
  CHECK(support::difference(values(network(m)), support::values(network(x)), 1e-4) == "");
}
TEST_CASE("onednn: a network runs in inference mode", "[onednn]") {
  const tb::inference_mode inference;
  const tb::tensor mine = tb::to_mkldnn(x);
  CHECK(differs(tb::relu(tb::conv2d(mine, w, b)), tb::relu(tb::conv2d(x, w, b))) == "");
  CHECK(is_strided(tb::exp(mine), tb::exp(x)) == "");
}
TEST_CASE("onednn: text shows what a tensor is", "[onednn]") {
  std::ostringstream text;
  text << m;
  CHECK(has(text.str(), "mkldnn"));
}
TEST_CASE("onednn: tensors of two devices are refused", "[onednn]") {
  const tb::tensor elsewhere = tb::empty({2, 3, 6, 6}, tb::arg<"device"> = tb::meta);
  CHECK(has(toy::text_of<tb::device_error>([&] { tb::add(m, elsewhere); }), "aten::add.Tensor"));
}

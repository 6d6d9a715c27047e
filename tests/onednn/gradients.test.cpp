// Gradients: finite differences in float32 with large steps, and equality with those of strided tensors.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>
#include <vector>

#include "onednn_values.h"
#include "support/raises.h"

using namespace onednn_test;
using tb::dtype, tb::tensor;

namespace {

using function = std::function<tensor(std::span<const tensor>)>;

const std::int64_t one[] = {1}, two[] = {2};

// float64 inputs, computed in float32 by oneDNN.
std::vector<tensor> in_format(std::span<const tensor> in) {
  std::vector<tensor> all;
  for (const tensor& t : in) all.push_back(tb::to_mkldnn(t, dtype::float32));
  return all;
}

std::string check(const function& f, const std::vector<tb::shape>& sizes) {
  std::vector<tensor> inputs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    inputs.push_back(random(sizes[i], dtype::float64, static_cast<unsigned>(i + 1)));
    tb::require_grad(inputs.back());
  }
  const tb::tensor_function wide = [&](std::span<const tensor> in) {
    return std::vector<tensor>{tb::to(tb::to_dense(f(in_format(in))), dtype::float64)};
  };
  return tb::gradcheck(wide, inputs, {.step = 1e-2, .absolute = 2e-2, .relative = 2e-2}).text;
}

// Gradients, and gradients of gradients, as those of strided tensors.
std::string compare(const function& f, const std::vector<tb::shape>& sizes) {
  const auto gradients = [&](bool blocked) {
    std::vector<tensor> leaves, inputs;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      leaves.push_back(random(sizes[i], dtype::float32, static_cast<unsigned>(i + 1)));
      tb::require_grad(leaves.back());
      inputs.push_back(blocked ? tb::to_mkldnn(leaves.back()) : leaves.back());
    }
    const tensor y = tb::to_dense(f(inputs));
    std::vector<tensor> first = tb::grad({tb::sum(y * y)}, std::span<const tensor>(leaves), {.create_graph = true});
    tensor squares = tb::zeros({});
    for (const tensor& g : first) squares = squares + tb::sum(tb::to_dense(g) * tb::to_dense(g));
    const std::vector<tensor> second = tb::grad({squares}, std::span<const tensor>(leaves), {.allow_unused = true});
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const std::vector<tensor> found = gradients(true), wanted = gradients(false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].defined() != wanted[i].defined()) return "gradient " + std::to_string(i) + " is missing, or is not";
    if (!found[i].defined()) continue;
    if (found[i].layout() != tb::layout::strided) return "gradient " + std::to_string(i) + " is not strided";
    const std::string text = support::difference(values(found[i]), values(wanted[i]), 1e-3);
    if (!text.empty()) return "gradient " + std::to_string(i) + ": " + text;
  }
  return {};
}

std::string both(const function& f, const std::vector<tb::shape>& sizes) {
  const std::string text = check(f, sizes);
  return text.empty() ? compare(f, sizes) : text;
}

}  // namespace

TEST_CASE("onednn: convolution has gradients of all its operands", "[onednn]") {
  CHECK(both([](auto in) { return tb::conv2d(in[0], in[1], in[2], two, one); }, {{1, 2, 5, 5}, {3, 2, 3, 3}, {3}}) ==
        "");
  CHECK(both([](auto in) { return tb::conv1d(in[0], in[1]); }, {{2, 4, 6}, {2, 4, 3}}) == "");
  CHECK(both([](auto in) { return tb::conv2d(in[0], in[1], {}, one, one, one, 2); }, {{1, 4, 4, 4}, {2, 2, 3, 3}}) ==
        "");
  CHECK(both([](auto in) { return tb::convolution_relu(in[0], in[1], in[2]); }, {{1, 2, 4, 4}, {3, 2, 3, 3}, {3}}) ==
        "");
}
TEST_CASE("onednn: products have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::linear(in[0], in[1], in[2]); }, {{3, 4}, {5, 4}, {5}}) == "");
  CHECK(both([](auto in) { return tb::linear(in[0], in[1]); }, {{2, 3, 4}, {5, 4}}) == "");
  CHECK(both([](auto in) { return tb::matmul(in[0], in[1]); }, {{3, 4}, {4, 2}}) == "");
  CHECK(both([](auto in) { return tb::linear_relu(in[0], in[1]); }, {{3, 4}, {5, 4}}) == "");
}
TEST_CASE("onednn: activations have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::relu(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::gelu(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::sigmoid(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::tanh(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::softmax(in[0], 1); }, {{3, 4}}) == "");
}
TEST_CASE("onednn: sums and products of elements have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::add(in[0], in[1], tb::arg<"alpha"> = 2); }, {{3, 4}, {1, 4}}) == "");
  CHECK(both([](auto in) { return in[0] - in[1]; }, {{3, 4}, {3, 4}}) == "");
  CHECK(both([](auto in) { return in[0] * in[1]; }, {{3, 4}, {3, 1}}) == "");
  CHECK(both([](auto in) { return in[0] * in[0] * 2 + 1; }, {{3, 4}}) == "");
}
TEST_CASE("onednn: pooling and normalisation have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::max_pool2d(in[0], two); }, {{1, 2, 4, 4}}) == "");
  CHECK(both([](auto in) { return tb::avg_pool2d(in[0], two, one, one); }, {{1, 2, 4, 4}}) == "");
  CHECK(both([](auto in) { return tb::adaptive_avg_pool2d(in[0], two); }, {{1, 2, 4, 4}}) == "");
  const tensor mean = random({2}, dtype::float32, 8), var = support::numbers(9).positive({2}, dtype::float32);
  CHECK(both([&](auto in) { return tb::batch_norm(in[0], in[1], in[2], mean, var, false, 0.1, 1e-5, false); },
             {{2, 2, 3}, {2}, {2}}) == "");
}
TEST_CASE("onednn: copies have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::reshape(in[0], {4, 3}); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::permute(in[0], {1, 2, 0}); }, {{2, 3, 4}}) == "");
  CHECK(both([](auto in) { return tb::t(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::clone(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::cat({in[0], in[1]}, 1); }, {{3, 4}, {3, 2}}) == "");
}
TEST_CASE("onednn: operators on strided copies have gradients", "[onednn]") {
  CHECK(both([](auto in) { return tb::exp(in[0]); }, {{3, 4}}) == "");
  CHECK(both([](auto in) { return tb::sum(in[0] * in[1]); }, {{3, 4}, {3, 4}}) == "");
}

TEST_CASE("onednn: in-place operators are recorded", "[onednn]") {
  CHECK(both(
            [](auto in) {
              tensor y = in[0] * 1;
              tb::mul_(y, in[1]);
              tb::add_(y, in[0]);
              tb::sub_(y, in[1] * in[1]);
              tb::relu_(y);
              return y;
            },
            {{3, 4}, {3, 4}}) == "");
  CHECK(both(
            [](auto in) {
              tensor y = in[0] * 1;
              tb::exp_(y);
              return y * in[0];
            },
            {{3, 4}}) == "");
  CHECK(both(
            [](auto in) {
              tensor y = in[0] * 1;
              tb::zero_(y);
              tb::copy_(y, in[0] * in[0]);
              return y;
            },
            {{3, 4}}) == "");
}

TEST_CASE("onednn: what zero_ overwrites has no gradient", "[onednn]") {
  const tensor x = random({3, 4});
  tb::require_grad(x);
  tensor y = tb::to_mkldnn(x) * 2;
  tb::zero_(y);
  tb::backward(tb::sum(tb::to_dense(y)) + tb::sum(x * 3));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>(12, 3));
}

TEST_CASE("onednn: a write to what backward needs is an error", "[onednn]") {
  const tensor x = random({3, 4});
  tb::require_grad(x);
  const tensor m = tb::to_mkldnn(x);
  tensor y = m * 1;
  const tensor z = tb::sum(tb::to_dense(y * y));
  tb::add_(y, tb::to_mkldnn(tb::ones({3, 4})));
  CHECK(has(toy::text_of<tb::error>([&] { tb::backward(z); }), "written in place"));
  const tensor leaf = tb::to_mkldnn(random({3}));
  tb::require_grad(leaf);
  tensor written = leaf;
  CHECK(has(toy::text_of<tb::error>([&] { tb::relu_(written); }), "leaf that requires a gradient"));
}

TEST_CASE("onednn: a leaf of the format gets a gradient of the format", "[onednn]") {
  const tensor x = random({2, 3, 4, 4}), w = random({5, 3, 3, 3}, dtype::float32, 2);
  const tensor m = tb::to_mkldnn(x), mw = tb::to_mkldnn(w);
  tb::require_grad(m);
  tb::require_grad(mw);
  tb::backward(tb::sum(tb::conv2d(m, mw)));
  tb::backward(tb::sum(tb::conv2d(m, mw)));
  tb::require_grad(x);
  tb::require_grad(w);
  tb::backward(tb::sum(tb::conv2d(x, w)) * 2);
  CHECK(differs(tb::leaf_grad(m), tb::leaf_grad(x)) == "");
  CHECK(differs(tb::leaf_grad(mw), tb::leaf_grad(w)) == "");
}

TEST_CASE("onednn: strided weights of a network on the format are trained", "[onednn]") {
  const tensor x = random({4, 3, 6, 6}), w = random({4, 3, 3, 3}, dtype::float32, 2),
               f = random({2, 64}, dtype::float32, 3);
  const auto gradients = [&](const tensor& input) {
    const tensor filter = tb::detach(w), last = tb::detach(f);
    tb::require_grad(filter);
    tb::require_grad(last);
    const tensor y = tb::linear(tb::reshape(tb::relu(tb::conv2d(input, filter)), {4, 64}), last);
    tb::backward(tb::sum(tb::to_dense(tb::tanh(y))));
    return std::vector<tensor>{tb::leaf_grad(filter), tb::leaf_grad(last)};
  };
  const auto found = gradients(tb::to_mkldnn(x)), wanted = gradients(x);
  for (std::size_t i = 0; i < 2; ++i) CHECK(support::difference(values(found[i]), values(wanted[i]), 1e-4) == "");
}

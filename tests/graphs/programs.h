// Recorded programs that several files of tests use. Include after importing topbit and topbit.graphs.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace programs {

using topbit::tensor;
using topbit::graphs::graph;

struct network {
  topbit::nn::linear hidden{8, 4}, scores{4, 3};
  static void each_parameter(auto& self, auto&& visit) {
    visit("hidden", self.hidden);
    visit("scores", self.scores);
  }
  tensor operator()(const tensor& x) const { return scores(topbit::relu(hidden(x))); }
};

inline tensor counted(const topbit::shape& sizes) {
  std::vector<float> all(static_cast<std::size_t>(topbit::numel(sizes)));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % 17) - 8;
  return topbit::from_values(all, sizes);
}

// The forward pass, the gradients and a step of an optimizer.
inline graph training_step(const network& net) {
  const tensor x = counted({6, 8});
  topbit::sgd step(topbit::parameters(net), {.learning_rate = 0.1, .momentum = 0.9});
  topbit::graphs::recorder recording({.inputs = {{"x", x}}, .parameters = topbit::named_parameters(net)});
  const tensor loss = topbit::mean(topbit::square(net(x)));
  topbit::backward(loss);
  step.step();
  return recording.finish({{"loss", loss}});
}

// x @ w.T + 1.5, as its text.
inline const std::string small = R"(topbit graph 1.0
operator aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
operator aten::t(Tensor(a) self) -> Tensor(a)
operator aten::mm(Tensor self, Tensor mat2) -> Tensor
operator aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
input %0 "x": float32[2,3] cpu s0:24
input %1 "w": float32[4,3] cpu s1:48
%3: float32[2,4] cpu s2:32 = aten::linear(%0, %1, None) {
  %2: float32[3,4]{1,3} cpu s1 = aten::t(%1)
  %3 = aten::mm(%0, %2)
}
%4: float32[2,4] cpu s3:32 = aten::add.Scalar(%3, 1.5, 1)
output "y" %4
)";

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? "found no " + std::string(what) : text.replace(at, what.size(), by);
}

inline graph in_place() {
  return topbit::graphs::record(
      [](const tensor& x) {
        tensor y = topbit::aten::clone(x);
        tensor row = topbit::select(y, 0, 1);
        topbit::add_(row, x[0]);
        topbit::relu_(y);
        return topbit::transpose(y, 0, 1);
      },
      counted({3, 5}));
}

inline graph lists() {
  return topbit::graphs::record(
      [](const tensor& x) {
        const std::vector<tensor> parts = topbit::split(x, 2, 0);
        return topbit::cat(std::vector<tensor>{parts[1], parts[0], x}, 0);
      },
      counted({4, 2}));
}

inline graph random_numbers() {
  return topbit::graphs::record(
      [](const tensor& x) {
        topbit::generator own(7);
        const tensor noise = topbit::rand(x.sizes(), topbit::arg<"generator"> = own);
        return topbit::dropout(x, 0.5, true) * noise + topbit::rand(x.sizes(), topbit::arg<"generator"> = own);
      },
      counted({4, 4}));
}

inline graph numbers_of_all_kinds() {
  return topbit::graphs::record(
      [](const tensor& x) {
        const double inf = std::numeric_limits<double>::infinity();
        tensor y = x * 1 + x * 1.0 + x / -0.0 + x * std::nan("") + x * inf + x * -inf + x * 0.1;
        return topbit::where(topbit::isnan(y), topbit::zeros_like(y), topbit::to(y, topbit::dtype::float64));
      },
      counted({2, 2}));
}

inline graph convolution() {
  return topbit::graphs::record(
      [](const tensor& x, const tensor& w) { return topbit::max_pool2d(topbit::conv2d(x, w), 2); },
      counted({1, 2, 6, 6}), counted({3, 2, 3, 3}));
}

inline std::vector<std::pair<std::string, graph>> all() {
  std::vector<std::pair<std::string, graph>> made;
  made.emplace_back("training step", training_step(network{}));
  made.emplace_back("in place", in_place());
  made.emplace_back("lists", lists());
  made.emplace_back("random numbers", random_numbers());
  made.emplace_back("numbers", numbers_of_all_kinds());
  made.emplace_back("convolution", convolution());
  return made;
}

}  // namespace programs

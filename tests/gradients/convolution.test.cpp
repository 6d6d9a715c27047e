// Gradients of convolutions, padding and pooling.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::check_gradients;
using tb::arg;
using tb::dims;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

tensor fixed(const dims& sizes, const tensor& like) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) values.push_back(0.25 * static_cast<double>(i % 7) - 0.6);
  return tb::to(tb::from_values(values, sizes), like.dtype());
}

}  // namespace

TEST_CASE("convolution gradients: strides, padding, dilation and groups", "[gradients]") {
  struct options {
    dims input, weight, stride, padding, dilation;
    std::int64_t groups;
  };
  const std::vector<options> all{
      {{1, 2, 3, 3}, {2, 2, 2, 2}, {1}, {0}, {1}, 1},    {{1, 2, 4, 3}, {2, 2, 2, 2}, {2, 1}, {1, 0}, {1}, 1},
      {{1, 2, 4, 4}, {2, 1, 2, 2}, {1}, {1}, {2, 1}, 2}, {{2, 2, 3, 3}, {4, 1, 2, 2}, {2}, {1}, {1}, 2},
      {{1, 1, 4, 5}, {1, 1, 2, 2}, {3}, {0}, {1}, 1},  // the last row and columns are in no window
  };
  for (const options& o : all) {
    INFO("input " << to_string(o.input) << " weight " << to_string(o.weight));
    check_gradients({"conv2d", {o.input, o.weight}, [&](in x) {
                       return out{ops::conv2d(x[0], x[1], std::nullopt, o.stride, o.padding, o.dilation, o.groups)};
                     }});
    check_gradients({"conv2d, bias", {o.input, o.weight, {o.weight[0]}}, [&](in x) {
                       return out{ops::conv2d(x[0], x[1], x[2], o.stride, o.padding, o.dilation, o.groups)};
                     }});
  }
  check_gradients({"conv2d of no images", {{0, 2, 3, 3}, {2, 2, 2, 2}, {2}}, [](in x) {
                     return out{ops::conv2d(x[0], x[1], x[2])};
                   }});
  check_gradients({"conv2d of a fixed input", {{2, 2, 2, 2}, {2}}, [](in x) {
                     return out{ops::conv2d(fixed({1, 2, 3, 3}, x[0]), x[0], x[1])};
                   }});
  check_gradients({"conv2d with a fixed weight", {{1, 2, 3, 3}}, [](in x) {
                     return out{ops::conv2d(x[0], fixed({2, 2, 2, 2}, x[0]))};
                   }});
}

TEST_CASE("convolution gradients: one and three dimensions, without a batch, padded to the same size", "[gradients]") {
  check_gradients({"conv1d", {{2, 2, 4}, {3, 2, 2}, {3}}, [](in x) {
                     return out{ops::conv1d(x[0], x[1], x[2], dims{2}, dims{1})};
                   }});
  check_gradients({"conv1d, single", {{2, 4}, {3, 2, 2}}, [](in x) { return out{ops::conv1d(x[0], x[1])}; }});
  check_gradients({"conv3d", {{1, 1, 2, 3, 2}, {2, 1, 2, 2, 1}, {2}}, [](in x) {
                     return out{ops::conv3d(x[0], x[1], x[2], dims{1}, dims{1, 0, 0})};
                   }});
  check_gradients({"conv1d, same", {{1, 2, 4}, {2, 2, 2}}, [](in x) {
                     return out{ops::conv1d_padding(x[0], x[1], arg<"padding"> = "same")};
                   }});
  check_gradients({"conv2d, same", {{1, 1, 3, 3}, {1, 1, 3, 2}}, [](in x) {
                     return out{ops::conv2d_padding(x[0], x[1], arg<"padding"> = "same")};
                   }});
  check_gradients({"conv3d, valid", {{1, 1, 2, 2, 2}, {1, 1, 1, 2, 2}}, [](in x) {
                     return out{ops::conv3d_padding(x[0], x[1], arg<"padding"> = "valid")};
                   }});
}

TEST_CASE("convolution gradients: transposed, with output padding and groups", "[gradients]") {
  check_gradients({"conv_transpose1d", {{1, 2, 3}, {2, 2, 2}, {2}}, [](in x) {
                     return out{ops::conv_transpose1d(x[0], x[1], x[2], dims{2}, dims{0}, dims{1})};
                   }});
  check_gradients({"conv_transpose2d", {{1, 2, 2, 3}, {2, 1, 2, 2}, {2}}, [](in x) {
                     return out{ops::conv_transpose2d(x[0], x[1], x[2], dims{2, 1}, dims{1, 0}, dims{1, 0}, 2)};
                   }});
  check_gradients({"conv_transpose2d, dilated", {{1, 1, 2, 2}, {1, 2, 2, 2}}, [](in x) {
                     return out{ops::conv_transpose2d(x[0], x[1], arg<"dilation"> = dims{2})};
                   }});
  check_gradients({"conv_transpose3d", {{1, 1, 1, 2, 2}, {1, 1, 1, 2, 2}}, [](in x) {
                     return out{ops::conv_transpose3d(x[0], x[1])};
                   }});
  check_gradients({"convolution, transposed", {{1, 2, 2, 3}, {2, 1, 2, 2}}, [](in x) {
                     return out{
                         ops::convolution(x[0], x[1], std::nullopt, dims{2}, dims{0}, dims{1}, true, dims{1}, 2)};
                   }});
}

TEST_CASE("convolution gradients: second gradients", "[gradients]") {
  const dims stride{2, 1}, padding{1, 0}, dilation{1}, input{1, 2, 4, 3}, weight{2, 1, 2, 2}, result{1, 2, 3, 2};
  check_gradients({"convolve", {input, weight}, [&](in x) {
                     return out{ops::convolve(x[0], x[1], stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolve_input_gradient", {result, weight}, [&](in x) {
                     return out{ops::convolve_input_gradient(x[0], x[1], input, stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolve_weight_gradient", {result, input}, [&](in x) {
                     return out{ops::convolve_weight_gradient(x[0], x[1], weight, stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolve_weight_gradient of a fixed input", {result}, [&](in x) {
                     return out{
                         ops::convolve_weight_gradient(x[0], fixed(input, x[0]), weight, stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolution_backward", {result, input, weight}, [&](in x) {
                     const auto [a, b, c] =
                         ops::convolution_backward(x[0], x[1], x[2], dims{2}, stride, padding, dilation, false, dims{0},
                                                   2, std::array{true, true, true});
                     return out{a, b, c};
                   }});
  check_gradients({"convolution_backward, transposed", {input, result, weight}, [&](in x) {
                     const auto [a, b, c] =
                         ops::convolution_backward(x[0], x[1], x[2], dims{2}, stride, padding, dilation, true, dims{0},
                                                   2, std::array{true, true, true});
                     return out{a, b, c};
                   }});
}

TEST_CASE("convolution gradients: an operand is saved only if the gradient of the other is needed", "[gradients]") {
  const tensor like = tb::from_values({0.0}, {1});
  const tensor x = tb::require_grad(fixed({1, 1, 3, 3}, like)), w = tb::require_grad(fixed({1, 1, 2, 2}, like));
  // Whether a call of `layer` keeps its argument.
  const auto keeps = [](const tensor& leaf, const auto& layer) {
    const tensor y = ops::clone(leaf);
    const tensor result = layer(y);
    return y.record().references.load() != 1;
  };
  CHECK_FALSE(keeps(x, [&](const tensor& y) { return ops::conv2d(y, tb::detach(w)); }));
  CHECK(keeps(x, [&](const tensor& y) { return ops::conv2d(y, w); }));
  CHECK_FALSE(keeps(w, [&](const tensor& y) { return ops::conv2d(tb::detach(x), y); }));
  CHECK(keeps(w, [&](const tensor& y) { return ops::conv2d(x, y); }));
  // Pools need sizes and places only.
  CHECK_FALSE(keeps(x, [](const tensor& y) { return ops::max_pool2d(y, dims{2}); }));
  CHECK_FALSE(keeps(x, [](const tensor& y) { return ops::avg_pool2d(y, dims{2}); }));
  CHECK_FALSE(keeps(x, [](const tensor& y) { return ops::adaptive_avg_pool2d(y, dims{2}); }));
}

TEST_CASE("padding gradients: constants, positive and negative", "[gradients]") {
  for (const dims& pad : std::vector<dims>{{1, 2}, {0, 1, 2, 0}, {-1, 1}, {-1, -1}, {1, -1, -1, 0}}) {
    check_gradients({"constant_pad_nd " + to_string(pad), {{2, 3}}, [=](in x) {
                       return out{ops::constant_pad_nd(x[0], pad, 1.5)};
                     }});
  }
}

TEST_CASE("pooling gradients: maxima", "[gradients]") {
  check_gradients({"max_pool2d", {{2, 2, 4, 4}}, [](in x) { return out{ops::max_pool2d(x[0], dims{2})}; }});
  check_gradients({"max_pool2d, overlapping and padded", {{1, 2, 4, 3}}, [](in x) {
                     return out{ops::max_pool2d(x[0], dims{3, 2}, dims{1}, dims{1})};
                   }});
  check_gradients({"max_pool2d, dilated", {{1, 5, 4}}, [](in x) {
                     return out{ops::max_pool2d(x[0], dims{2}, dims{1}, dims{0}, dims{2})};
                   }});
  check_gradients({"max_pool2d, ceil", {{1, 1, 5, 3}}, [](in x) {
                     return out{ops::max_pool2d(x[0], dims{2}, dims{2}, dims{0}, dims{1}, true)};
                   }});
  check_gradients({"max_pool2d_with_indices", {{1, 1, 4, 4}}, [](in x) {
                     const auto [values, indices] = ops::max_pool2d_with_indices(x[0], dims{2}, dims{1});
                     return out{values, indices};
                   }});
  check_gradients({"max_pool1d", {{2, 1, 5}}, [](in x) { return out{ops::max_pool1d(x[0], dims{2}, dims{1})}; }});
  check_gradients({"max_pool1d_with_indices", {{1, 5}}, [](in x) {
                     return out{std::get<0>(ops::max_pool1d_with_indices(x[0], dims{2}))};
                   }});
  check_gradients({"max_pool2d of no image", {{0, 1, 4, 4}}, [](in x) { return out{ops::max_pool2d(x[0], dims{2})}; }});
  for (const dims& self : std::vector<dims>{{1, 2, 3, 3}, {2, 3, 3}}) {
    dims sizes = self;
    sizes[self.size() - 1] = sizes[self.size() - 2] = 2;
    check_gradients({"max_pool2d_with_indices_backward", {sizes}, [=](in x) {
                       const tensor image = fixed(self, x[0]);
                       const tensor indices = std::get<1>(ops::max_pool2d_with_indices(image, dims{2}, dims{1}));
                       return out{ops::max_pool2d_with_indices_backward(x[0], image, dims{2}, dims{1}, dims{0}, dims{1},
                                                                        false, indices)};
                     }});
  }
}

TEST_CASE("pooling gradients: averages", "[gradients]") {
  check_gradients({"avg_pool2d", {{2, 1, 4, 4}}, [](in x) { return out{ops::avg_pool2d(x[0], dims{2})}; }});
  for (const bool counted : {false, true}) {
    check_gradients({"avg_pool2d, padded", {{1, 2, 4, 3}}, [=](in x) {
                       return out{ops::avg_pool2d(x[0], dims{3, 2}, dims{2, 1}, dims{1}, true, counted)};
                     }});
  }
  check_gradients({"avg_pool2d, another divisor", {{1, 4, 4}}, [](in x) {
                     return out{ops::avg_pool2d(x[0], dims{2}, dims{1}, dims{0}, false, true, 3)};
                   }});
  check_gradients({"avg_pool2d of no image", {{0, 1, 4, 4}}, [](in x) { return out{ops::avg_pool2d(x[0], dims{2})}; }});
  check_gradients({"avg_pool1d", {{2, 1, 5}}, [](in x) { return out{ops::avg_pool1d(x[0], dims{2}, dims{1})}; }});
  for (const dims& size : std::vector<dims>{{1}, {2, 3}, {5, 1}}) {
    check_gradients(
        {"adaptive_avg_pool2d", {{1, 2, 3, 4}}, [=](in x) { return out{ops::adaptive_avg_pool2d(x[0], size)}; }});
  }
  check_gradients({"adaptive_avg_pool1d", {{2, 5}}, [](in x) { return out{ops::adaptive_avg_pool1d(x[0], dims{2})}; }});
  check_gradients({"avg_pool2d_backward", {{1, 1, 2, 3}}, [](in x) {
                     return out{ops::avg_pool2d_backward(x[0], fixed({1, 1, 3, 4}, x[0]), dims{2}, dims{1}, dims{0},
                                                         false, true, std::nullopt)};
                   }});
  check_gradients({"_adaptive_avg_pool2d_backward", {{1, 1, 2, 3}}, [](in x) {
                     return out{ops::adaptive_avg_pool2d_backward(x[0], fixed({1, 1, 3, 4}, x[0]))};
                   }});
}

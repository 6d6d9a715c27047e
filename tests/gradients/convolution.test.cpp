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
namespace aten = topbit::aten;
namespace native = topbit::native;
using support::check_gradients;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

tensor fixed(const shape& sizes, const tensor& like) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) values.push_back(0.25 * static_cast<double>(i % 7) - 0.6);
  return tb::to(tb::from_values(values, sizes), like.dtype());
}

}  // namespace

TEST_CASE("convolution gradients: strides, padding, dilation and groups", "[gradients]") {
  struct options {
    shape input, weight, stride, padding, dilation;
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
                       return out{aten::conv2d(x[0], x[1], std::nullopt, o.stride, o.padding, o.dilation, o.groups)};
                     }});
    check_gradients({"conv2d, bias", {o.input, o.weight, {o.weight[0]}}, [&](in x) {
                       return out{aten::conv2d(x[0], x[1], x[2], o.stride, o.padding, o.dilation, o.groups)};
                     }});
  }
  check_gradients({"conv2d of no images", {{0, 2, 3, 3}, {2, 2, 2, 2}, {2}}, [](in x) {
                     return out{aten::conv2d(x[0], x[1], x[2])};
                   }});
  check_gradients({"conv2d of a fixed input", {{2, 2, 2, 2}, {2}}, [](in x) {
                     return out{aten::conv2d(fixed({1, 2, 3, 3}, x[0]), x[0], x[1])};
                   }});
  check_gradients({"conv2d with a fixed weight", {{1, 2, 3, 3}}, [](in x) {
                     return out{aten::conv2d(x[0], fixed({2, 2, 2, 2}, x[0]))};
                   }});
}

TEST_CASE("convolution gradients: one and three dimensions, without a batch, padded to the same size", "[gradients]") {
  check_gradients({"conv1d", {{2, 2, 4}, {3, 2, 2}, {3}}, [](in x) {
                     return out{aten::conv1d(x[0], x[1], x[2], shape{2}, shape{1})};
                   }});
  check_gradients({"conv1d, single", {{2, 4}, {3, 2, 2}}, [](in x) { return out{aten::conv1d(x[0], x[1])}; }});
  check_gradients({"conv3d", {{1, 1, 2, 3, 2}, {2, 1, 2, 2, 1}, {2}}, [](in x) {
                     return out{aten::conv3d(x[0], x[1], x[2], shape{1}, shape{1, 0, 0})};
                   }});
  check_gradients({"conv1d, same", {{1, 2, 4}, {2, 2, 2}}, [](in x) {
                     return out{aten::conv1d_padding(x[0], x[1], arg<"padding"> = "same")};
                   }});
  check_gradients({"conv2d, same", {{1, 1, 3, 3}, {1, 1, 3, 2}}, [](in x) {
                     return out{aten::conv2d_padding(x[0], x[1], arg<"padding"> = "same")};
                   }});
  check_gradients({"conv3d, valid", {{1, 1, 2, 2, 2}, {1, 1, 1, 2, 2}}, [](in x) {
                     return out{aten::conv3d_padding(x[0], x[1], arg<"padding"> = "valid")};
                   }});
}

TEST_CASE("convolution gradients: transposed, with output padding and groups", "[gradients]") {
  check_gradients({"conv_transpose1d", {{1, 2, 3}, {2, 2, 2}, {2}}, [](in x) {
                     return out{aten::conv_transpose1d(x[0], x[1], x[2], shape{2}, shape{0}, shape{1})};
                   }});
  check_gradients({"conv_transpose2d", {{1, 2, 2, 3}, {2, 1, 2, 2}, {2}}, [](in x) {
                     return out{
                         aten::conv_transpose2d_input(x[0], x[1], x[2], shape{2, 1}, shape{1, 0}, shape{1, 0}, 2)};
                   }});
  check_gradients({"conv_transpose2d, dilated", {{1, 1, 2, 2}, {1, 2, 2, 2}}, [](in x) {
                     return out{aten::conv_transpose2d_input(x[0], x[1], arg<"dilation"> = shape{2})};
                   }});
  check_gradients({"conv_transpose3d", {{1, 1, 1, 2, 2}, {1, 1, 1, 2, 2}}, [](in x) {
                     return out{aten::conv_transpose3d_input(x[0], x[1])};
                   }});
  check_gradients({"convolution, transposed", {{1, 2, 2, 3}, {2, 1, 2, 2}}, [](in x) {
                     return out{
                         aten::convolution(x[0], x[1], std::nullopt, shape{2}, shape{0}, shape{1}, true, shape{1}, 2)};
                   }});
}

TEST_CASE("convolution gradients: second gradients", "[gradients]") {
  const shape stride{2, 1}, padding{1, 0}, dilation{1}, input{1, 2, 4, 3}, weight{2, 1, 2, 2}, result{1, 2, 3, 2};
  check_gradients({"convolve", {input, weight}, [&](in x) {
                     return out{native::convolve(x[0], x[1], stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolve_input_gradient", {result, weight}, [&](in x) {
                     return out{native::convolve_input_gradient(x[0], x[1], input, stride, padding, dilation, 2)};
                   }});
  check_gradients({"convolve_weight_gradient", {result, input}, [&](in x) {
                     return out{native::convolve_weight_gradient(x[0], x[1], weight, stride, padding, dilation, 2)};
                   }});
  check_gradients(
      {"convolve_weight_gradient of a fixed input", {result}, [&](in x) {
         return out{native::convolve_weight_gradient(x[0], fixed(input, x[0]), weight, stride, padding, dilation, 2)};
       }});
  check_gradients({"convolution_backward", {result, input, weight}, [&](in x) {
                     const auto [a, b, c] =
                         aten::convolution_backward(x[0], x[1], x[2], shape{2}, stride, padding, dilation, false,
                                                    shape{0}, 2, std::array{true, true, true});
                     return out{a, b, c};
                   }});
  check_gradients({"convolution_backward, transposed", {input, result, weight}, [&](in x) {
                     const auto [a, b, c] =
                         aten::convolution_backward(x[0], x[1], x[2], shape{2}, stride, padding, dilation, true,
                                                    shape{0}, 2, std::array{true, true, true});
                     return out{a, b, c};
                   }});
}

TEST_CASE("convolution gradients: an operand is saved only if the gradient of the other is needed", "[gradients]") {
  const tensor like = tb::from_values({0.0}, {1});
  const tensor x = tb::require_grad(fixed({1, 1, 3, 3}, like)), w = tb::require_grad(fixed({1, 1, 2, 2}, like));
  // Whether a call of `layer` keeps its argument.
  const auto keeps = [](const tensor& leaf, const auto& layer) {
    const tensor y = aten::clone(leaf);
    const tensor result = layer(y);
    return tb::author::record_of(y).references.load() != 1;
  };
  CHECK_FALSE(keeps(x, [&](const tensor& y) { return aten::conv2d(y, tb::detach(w)); }));
  CHECK(keeps(x, [&](const tensor& y) { return aten::conv2d(y, w); }));
  CHECK_FALSE(keeps(w, [&](const tensor& y) { return aten::conv2d(tb::detach(x), y); }));
  CHECK(keeps(w, [&](const tensor& y) { return aten::conv2d(x, y); }));
  // Pools need sizes and places only.
  CHECK_FALSE(keeps(x, [](const tensor& y) { return aten::max_pool2d(y, shape{2}); }));
  CHECK_FALSE(keeps(x, [](const tensor& y) { return aten::avg_pool2d(y, shape{2}); }));
  CHECK_FALSE(keeps(x, [](const tensor& y) { return aten::adaptive_avg_pool2d(y, shape{2}); }));
}

TEST_CASE("padding gradients: constants, positive and negative", "[gradients]") {
  for (const shape& pad : std::vector<shape>{{1, 2}, {0, 1, 2, 0}, {-1, 1}, {-1, -1}, {1, -1, -1, 0}}) {
    check_gradients({"constant_pad_nd " + to_string(pad), {{2, 3}}, [=](in x) {
                       return out{aten::constant_pad_nd(x[0], pad, 1.5)};
                     }});
  }
}

TEST_CASE("pooling gradients: maxima", "[gradients]") {
  check_gradients({"max_pool2d", {{2, 2, 4, 4}}, [](in x) { return out{aten::max_pool2d(x[0], shape{2})}; }});
  check_gradients({"max_pool2d, overlapping and padded", {{1, 2, 4, 3}}, [](in x) {
                     return out{aten::max_pool2d(x[0], shape{3, 2}, shape{1}, shape{1})};
                   }});
  check_gradients({"max_pool2d, dilated", {{1, 5, 4}}, [](in x) {
                     return out{aten::max_pool2d(x[0], shape{2}, shape{1}, shape{0}, shape{2})};
                   }});
  check_gradients({"max_pool2d, ceil", {{1, 1, 5, 3}}, [](in x) {
                     return out{aten::max_pool2d(x[0], shape{2}, shape{2}, shape{0}, shape{1}, true)};
                   }});
  check_gradients({"max_pool2d_with_indices", {{1, 1, 4, 4}}, [](in x) {
                     const auto [values, indices] = aten::max_pool2d_with_indices(x[0], shape{2}, shape{1});
                     return out{values, indices};
                   }});
  check_gradients({"max_pool1d", {{2, 1, 5}}, [](in x) { return out{aten::max_pool1d(x[0], shape{2}, shape{1})}; }});
  check_gradients({"max_pool1d_with_indices", {{1, 5}}, [](in x) {
                     return out{std::get<0>(aten::max_pool1d_with_indices(x[0], shape{2}))};
                   }});
  check_gradients(
      {"max_pool2d of no image", {{0, 1, 4, 4}}, [](in x) { return out{aten::max_pool2d(x[0], shape{2})}; }});
  for (const shape& self : std::vector<shape>{{1, 2, 3, 3}, {2, 3, 3}}) {
    shape sizes = self;
    sizes[self.size() - 1] = sizes[self.size() - 2] = 2;
    check_gradients({"max_pool2d_with_indices_backward", {sizes}, [=](in x) {
                       const tensor image = fixed(self, x[0]);
                       const tensor indices = std::get<1>(aten::max_pool2d_with_indices(image, shape{2}, shape{1}));
                       return out{aten::max_pool2d_with_indices_backward(x[0], image, shape{2}, shape{1}, shape{0},
                                                                         shape{1}, false, indices)};
                     }});
  }
}

TEST_CASE("pooling gradients: averages", "[gradients]") {
  check_gradients({"avg_pool2d", {{2, 1, 4, 4}}, [](in x) { return out{aten::avg_pool2d(x[0], shape{2})}; }});
  for (const bool counted : {false, true}) {
    check_gradients({"avg_pool2d, padded", {{1, 2, 4, 3}}, [=](in x) {
                       return out{aten::avg_pool2d(x[0], shape{3, 2}, shape{2, 1}, shape{1}, true, counted)};
                     }});
  }
  check_gradients({"avg_pool2d, another divisor", {{1, 4, 4}}, [](in x) {
                     return out{aten::avg_pool2d(x[0], shape{2}, shape{1}, shape{0}, false, true, 3)};
                   }});
  check_gradients(
      {"avg_pool2d of no image", {{0, 1, 4, 4}}, [](in x) { return out{aten::avg_pool2d(x[0], shape{2})}; }});
  check_gradients({"avg_pool1d", {{2, 1, 5}}, [](in x) { return out{aten::avg_pool1d(x[0], shape{2}, shape{1})}; }});
  for (const shape& size : std::vector<shape>{{1}, {2, 3}, {5, 1}}) {
    check_gradients(
        {"adaptive_avg_pool2d", {{1, 2, 3, 4}}, [=](in x) { return out{aten::adaptive_avg_pool2d(x[0], size)}; }});
  }
  check_gradients(
      {"adaptive_avg_pool1d", {{2, 5}}, [](in x) { return out{aten::adaptive_avg_pool1d(x[0], shape{2})}; }});
  check_gradients({"avg_pool2d_backward", {{1, 1, 2, 3}}, [](in x) {
                     return out{aten::avg_pool2d_backward(x[0], fixed({1, 1, 3, 4}, x[0]), shape{2}, shape{1}, shape{0},
                                                          false, true, std::nullopt)};
                   }});
  check_gradients({"_adaptive_avg_pool2d_backward", {{1, 1, 2, 3}}, [](in x) {
                     return out{aten::_adaptive_avg_pool2d_backward(x[0], fixed({1, 1, 3, 4}, x[0]))};
                   }});
}

// Convolution, padding and pooling against their definitions.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "oracle/convolution.h"
#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace native = topbit::native;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<std::int64_t>;

namespace {

struct settings {
  std::int64_t stride[2], padding[2], dilation[2], groups;
};

std::vector<double> naive(const tensor& x, const tensor& w, const settings& s, const tb::shape& out) {
  const tb::shape &of_x = x.sizes(), &of_w = w.sizes();
  const oracle::convolution of{.images = of_x[0],
                               .channels = of_x[1],
                               .outputs = of_w[0],
                               .groups = s.groups,
                               .size = {1, of_x[2], of_x[3]},
                               .kernel = {1, of_w[2], of_w[3]},
                               .stride = {1, s.stride[0], s.stride[1]},
                               .padding = {0, s.padding[0], s.padding[1]},
                               .dilation = {1, s.dilation[0], s.dilation[1]}};
  const auto element_of = [](const std::vector<double>& all) {
    return [&from = all](std::int64_t i) { return from[static_cast<std::size_t>(i)]; };
  };
  const std::vector<double> image = values(x), weight = values(w);
  std::vector<double> all;
  for (std::int64_t i = 0; i < tb::numel(out); ++i) {
    const auto no_bias = [](std::int64_t) { return 0; };
    all.push_back(of.element(i, {1, out[2], out[3]}, element_of(image), element_of(weight), no_bias).value);
  }
  return all;
}

}  // namespace

TEST_CASE("convolution: random convolutions agree with their definition", "[ops][convolution][property]") {
  support::numbers source(1);
  for (int round = 0; round < 120; ++round) {
    settings s{};
    tb::shape size{source.whole(0, 3), 0, 0, 0}, kernel{0, source.whole(1, 2), 0, 0};
    s.groups = source.whole(1, 3);
    size[1] = kernel[1] * s.groups;
    kernel[0] = s.groups * source.whole(1, 2);
    tb::shape out{size[0], kernel[0]};
    for (std::size_t i = 0; i < 2; ++i) {
      s.stride[i] = source.whole(1, 3);
      s.padding[i] = source.whole(0, 2);
      s.dilation[i] = source.whole(1, 2);
      kernel[i + 2] = source.whole(1, 3);
      const std::int64_t reach = s.dilation[i] * (kernel[i + 2] - 1) + 1;
      size[i + 2] = std::max<std::int64_t>(reach - 2 * s.padding[i], 1) + source.whole(0, 5);
      out.push_back((size[i + 2] + 2 * s.padding[i] - reach) / s.stride[i] + 1);
    }
    for (dtype t : tb::all_dtypes) {
      if (t == dtype::boolean) continue;
      const tensor x = source.tensor(size, t, support::arrangements[round % 4]);
      const tensor w = source.tensor(kernel, t, support::arrangements[round / 4 % 4]);
      INFO(tb::to_string(size) << " " << tb::to_string(kernel) << " groups " << s.groups);
      const tensor y = aten::conv2d(x, w, std::nullopt, list{s.stride[0], s.stride[1]},
                                    list{s.padding[0], s.padding[1]}, list{s.dilation[0], s.dilation[1]}, s.groups);
      REQUIRE(y.sizes() == out);
      REQUIRE(y.dtype() == t);
      auto wanted = naive(x, w, s, out);
      for (double& v : wanted) v = oracle::stored(t, v);
      REQUIRE(support::difference(values(y), wanted, 20 * support::tolerance_of(t)) == "");
    }
  }
}

TEST_CASE("convolution: gradients and the bias, over one to three dimensions in any memory layout",
          "[ops][convolution][property]") {
  support::for_every_dtype(7, 20, [](support::numbers& source, dtype t) {
    if (!tb::is_floating(t)) return;
    const auto rank = static_cast<std::size_t>(source.whole(1, 3));
    const std::int64_t groups = source.whole(1, 2);
    tb::shape size{source.whole(1, 2), groups * source.whole(1, 2)}, kernel{groups * source.whole(1, 2), 0};
    kernel[1] = size[1] / groups;
    tb::shape out{size[0], kernel[0]};
    list stride, padding, dilation;
    for (std::size_t i = 0; i < rank; ++i) {
      stride.push_back(source.whole(1, 2));
      padding.push_back(source.whole(0, 1));
      dilation.push_back(source.whole(1, 2));
      kernel.push_back(source.whole(1, 3));
      const std::int64_t reach = dilation[i] * (kernel[i + 2] - 1) + 1;
      size.push_back(reach + source.whole(0, 2));
      out.push_back((size[i + 2] + 2 * padding[i] - reach) / stride[i] + 1);
    }
    const auto any = [&](const tb::shape& of) { return support::any_whole_tensor(source, of, t, 0, 2); };
    const tensor x = any(size), w = any(kernel), bias = any({kernel[0]}), gradient = any(out);
    const auto zeros = [](const tb::shape& of) {
      return tensor_of(std::vector<double>(static_cast<std::size_t>(tb::numel(of)), 0), of);
    };
    const tensor y = zeros(out), of_x = zeros(size), of_w = zeros(kernel), of_bias = zeros({kernel[0]});
    const auto add = [](const tensor& to, const tb::shape& i, double v) {
      support::set(to, i, support::get(to, i) + v);
    };
    support::each_index(out, [&](const tb::shape& i) {
      const double slope = support::get(gradient, i);
      add(y, i, support::get(bias, {i[1]}));
      add(of_bias, {i[1]}, slope);
      support::each_index(kernel, [&](tb::shape k) {
        if (k[0] != i[1]) return;
        tb::shape at{i[0], i[1] / (kernel[0] / groups) * kernel[1] + k[1]};
        for (std::size_t d = 0; d < rank; ++d) {
          at.push_back(i[d + 2] * stride[d] - padding[d] + k[d + 2] * dilation[d]);
          if (at[d + 2] < 0 || at[d + 2] >= size[d + 2]) return;
        }
        add(y, i, support::get(x, at) * support::get(w, k));
        add(of_x, at, slope * support::get(w, k));
        add(of_w, k, slope * support::get(x, at));
      });
    });
    INFO(tb::to_string(size) << " " << tb::to_string(kernel) << " groups " << groups);
    const double near = 4 * support::tolerance_of(t);
    const std::optional<tensor> given(bias);
    const tensor found = rank == 1   ? support::result_of(aten::conv1d, x, w, given, stride, padding, dilation, groups)
                         : rank == 2 ? support::result_of(aten::conv2d, x, w, given, stride, padding, dilation, groups)
                                     : support::result_of(aten::conv3d, x, w, given, stride, padding, dilation, groups);
    support::check_tensor(found, out, t, values(y), near);
    const list none(rank, 0);
    support::check_tensor(
        support::result_of(aten::convolution, x, w, given, stride, padding, dilation, false, none, groups), out, t,
        values(y), near);
    const auto [to_x, to_w, to_bias] = aten::convolution_backward(
        gradient, x, w, std::optional<std::span<const std::int64_t>>(list{kernel[0]}), stride, padding, dilation, false,
        none, groups, std::array<bool, 3>{true, true, true});
    support::check_tensor(to_x, size, t, values(of_x), near);
    support::check_tensor(to_w, kernel, t, values(of_w), near);
    support::check_tensor(to_bias, {kernel[0]}, t, values(of_bias), near);
  });
}

TEST_CASE("convolution: padding 'same' keeps the sizes, 'valid' adds nothing", "[ops][convolution][property]") {
  support::for_every_dtype(8, 20, [](support::numbers& source, dtype t) {
    if (t == dtype::boolean) return;
    const auto any = [&](const tb::shape& of) { return support::any_whole_tensor(source, of, t, 0, 1); };
    settings s{{1, 1}, {0, 0}, {1, 1}, 1};
    tb::shape kernel{2, 2}, size{1, 2}, out{1, 2}, same{1, 2};
    list before;
    for (std::size_t d = 0; d < 2; ++d) {
      s.dilation[d] = source.whole(1, 2);
      kernel.push_back(source.whole(1, 4));
      const std::int64_t missing = s.dilation[d] * (kernel[d + 2] - 1);
      size.push_back(missing + source.whole(1, 4));
      out.push_back(size[d + 2] - missing);
      same.push_back(size[d + 2]);
      before.push_back(missing / 2);  // where an odd one is missing, it is behind
    }
    const tensor x = any(size), w = any(kernel);
    const list stride{1}, dilation{s.dilation[0], s.dilation[1]};
    const std::optional<tensor> none;
    const auto stored = [t](std::vector<double> all) {
      for (double& v : all) v = oracle::stored(t, v);
      return all;
    };
    support::check_tensor(
        support::result_of(aten::conv2d_padding, x, w, none, stride, std::string("valid"), dilation, std::int64_t{1}),
        out, t, stored(naive(x, w, s, out)));
    s.padding[0] = before[0];
    s.padding[1] = before[1];
    support::check_tensor(
        support::result_of(aten::conv2d_padding, x, w, none, stride, std::string("same"), dilation, std::int64_t{1}),
        same, t, stored(naive(x, w, s, same)));
  });
}

TEST_CASE("convolution: more images than one block holds", "[ops][convolution][property]") {
  support::numbers source(2);
  const tensor x = source.tensor({5, 2, 260, 260}, dtype::float32), w = source.tensor({1, 2, 2, 2}, dtype::float32);
  const tensor y = aten::conv2d(x, w);
  const settings s{{1, 1}, {0, 0}, {1, 1}, 1};
  CHECK(support::difference(values(y), naive(x, w, s, y.sizes()), 1e-5) == "");
}

TEST_CASE("convolution: the weight's gradient is the sum of each image's", "[ops][convolution][property]") {
  support::numbers source(3);
  const tensor x = source.tensor({5, 2, 260, 260}, dtype::float64), g = source.tensor({5, 1, 259, 259}, dtype::float64);
  const auto gradient = [](const tensor& of, const tensor& input) {
    return native::convolve_weight_gradient(of, input, list{1, 2, 2, 2}, list{1}, list{0}, list{1}, 1);
  };
  tensor sum = aten::zeros(list{1, 2, 2, 2}, arg<"dtype"> = dtype::float64);
  for (std::int64_t i = 0; i < 5; ++i)
    sum += gradient(aten::slice_Tensor(g, 0, i, i + 1), aten::slice_Tensor(x, 0, i, i + 1));
  CHECK(support::difference(values(gradient(g, x)), values(sum), 1e-9) == "");
}

// sum(g * convolve(x, w)) is also sum(x * the gradient of x) and sum(w * the gradient of w). Sums of whole numbers are
// exact.
TEST_CASE("convolution: gradients of every algorithm are adjoint to it", "[ops][convolution][property]") {
  struct large {
    std::int64_t images, channels, outputs, groups, size, kernel, stride, padding, dilation;
  };
  const auto total = [](const tensor& a, const tensor& b) { return values(aten::sum(a * b)).at(0); };
  support::numbers source(4);
  for (const large& s :
       {large{2, 8, 12, 1, 20, 3, 1, 1, 1}, large{2, 8, 12, 1, 21, 3, 2, 1, 1}, large{1, 16, 12, 2, 17, 3, 1, 3, 2},
        large{3, 6, 12, 6, 20, 3, 2, 1, 2}, large{2, 7, 7, 7, 14, 5, 1, 2, 1}, large{1, 3, 4, 1, 30, 7, 2, 3, 1},
        large{4, 64, 70, 1, 6, 3, 1, 1, 1}, large{1, 8, 4, 1, 18, 1, 1, 0, 1}, large{1, 8, 4, 1, 18, 3, 1, 5, 1}}) {
    for (const dtype t : {dtype::float32, dtype::float64}) {
      const auto any = [&](const tb::shape& of) { return support::any_whole_tensor(source, of, t, 0, 2); };
      const tensor x = any({s.images, s.channels, s.size, s.size});
      const tensor w = any({s.outputs, s.channels / s.groups, s.kernel, s.kernel});
      const tensor y = aten::conv2d(x, w, std::nullopt, list{s.stride}, list{s.padding}, list{s.dilation}, s.groups);
      const tensor g = any(y.sizes());
      const auto sizes = [](const tensor& of) { return list(of.sizes().begin(), of.sizes().end()); };
      INFO(tb::to_string(x.sizes()) << " " << tb::to_string(w.sizes()) << " groups " << s.groups);
      CHECK(total(g, y) == total(x, native::convolve_input_gradient(g, w, sizes(x), list{s.stride}, list{s.padding},
                                                                    list{s.dilation}, s.groups)));
      CHECK(total(g, y) == total(w, native::convolve_weight_gradient(g, x, sizes(w), list{s.stride}, list{s.padding},
                                                                     list{s.dilation}, s.groups)));
    }
  }
}

TEST_CASE("convolution: one and three dimensions, an input without a batch, a bias", "[ops][convolution]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {1, 1, 4}), w = tensor_of({1, 10}, {1, 1, 2}), b = tensor_of({100}, {1});
  CHECK(values(aten::conv1d(x, w, b)) == std::vector<double>{121, 132, 143});
  CHECK(aten::conv1d(aten::reshape(x, list{1, 4}), w, b).sizes() == tb::shape{1, 3});
  CHECK(values(aten::conv3d(tensor_of({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 2, 2, 2}),
                            tensor_of({1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 2, 2, 2}))) == std::vector<double>{36});
  CHECK(values(aten::conv1d_padding(x, w, std::nullopt, list{1}, "same")) == std::vector<double>{21, 32, 43, 4});
  CHECK(values(aten::conv1d_padding(x, w, std::nullopt, list{1}, "valid")) == std::vector<double>{21, 32, 43});
}

TEST_CASE("convolution: mismatched arguments are refused", "[ops][convolution]") {
  const tensor x = tensor_of(std::vector<double>(32, 1), {1, 2, 4, 4}),
               w = tensor_of(std::vector<double>(8, 1), {1, 2, 2, 2});
  CHECK(text_of<tb::shape_error>([&] { aten::conv2d(x, aten::reshape(w, list{2, 1, 2, 2})); }) ==
        "aten::conv2d: found input [1, 2, 4, 4] and weight [2, 1, 2, 2] in 1 groups, wanted 1 channels of the input");
  CHECK(text_of<tb::shape_error>([&] { aten::conv2d(x, w, tensor_of({1, 2}, {2})); }) ==
        "aten::conv2d: found a bias [2] for weights [1, 2, 2, 2], wanted one number for each output channel");
  CHECK(text_of<tb::error>([&] { aten::conv2d(x, w, std::nullopt, list{0}); }) ==
        "aten::conv2d: found stride [0], wanted 1 or more");
  CHECK(text_of<tb::shape_error>(
            [&] { aten::convolution(x, w, std::nullopt, list{1}, list{0}, list{1}, true, list{0}, 1); }) ==
        "aten::convolution: found input [1, 2, 4, 4], weight [1, 2, 2, 2] and 1 groups, wanted [n, channels, ..] and "
        "[channels, outputs / groups, ..], with channels that the groups divide");
}

TEST_CASE("pad: circular padding wraps around, negative padding crops", "[ops][pad]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(values(aten::constant_pad_nd(x, list{1, 0}, 9)) == std::vector<double>{9, 1, 2, 3, 9, 4, 5, 6});
  CHECK(values(aten::constant_pad_nd(x, list{-1, 1, 1, -1}, 9)) == std::vector<double>{9, 9, 9, 2, 3, 9});
  CHECK(values(aten::constant_pad_nd(x, list{-4, 3}, 9)) == std::vector<double>{9, 9, 9, 9});
  CHECK(values(aten::pad(aten::t(x), list{0, 1})) == std::vector<double>{1, 4, 0, 2, 5, 0, 3, 6, 0});
  CHECK(text_of<tb::shape_error>([&] { aten::constant_pad_nd(x, list{-2, -2}); }) ==
        "aten::constant_pad_nd: found [2, 3] and a padding of -2 and -2, wanted a size of 0 or more");
  CHECK(text_of<tb::shape_error>([&] { aten::pad(x, list{1}); }).starts_with("aten::pad: found 1 numbers"));
}

TEST_CASE("pool: adaptive averages of any output size", "[ops][pool]") {
  const tensor x = tensor_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 2, 5});
  CHECK(values(aten::adaptive_avg_pool2d(x, list{1, 1})) == std::vector<double>{5.5});
  CHECK(values(aten::adaptive_avg_pool2d(x, list{2, 2})) == std::vector<double>{2, 4, 7, 9});
  CHECK(aten::adaptive_avg_pool2d(x, list{0, 2}).sizes() == tb::shape{1, 0, 2});
}

TEST_CASE("pool: out forms, and mismatched indices", "[ops][pool]") {
  const tensor x = tensor_of({1, 5, 2, 4, 3, 6}, {1, 2, 3}, dtype::float32);
  tensor out = support::arranged({1, 1, 2}, dtype::float32, support::arrangement::sliced);
  tensor indices = support::arranged({1, 1, 2}, dtype::int64, support::arrangement::sliced);
  aten::max_pool2d_with_indices_out(x, list{2}, list{1}, list{0}, list{1}, false, out, indices);
  CHECK(values(out) == std::vector<double>{5, 6});
  CHECK(values(indices) == std::vector<double>{1, 5});
  CHECK(values(aten::max_pool2d_with_indices_backward(out, x, list{2}, list{1}, list{0}, list{1}, false, indices)) ==
        std::vector<double>{0, 5, 0, 0, 0, 6});
  const tensor wrong = tensor_of({1, 6}, {1, 1, 2}, dtype::int64);
  CHECK(text_of<tb::error>([&] {
          aten::max_pool2d_with_indices_backward(out, x, list{2}, list{1}, list{0}, list{1}, false, wrong);
        }).starts_with("aten::max_pool2d_with_indices_backward: an index is out of range"));
  CHECK(text_of<tb::dtype_error>([&] {
          aten::max_pool2d_with_indices_backward(out, x, list{2}, list{1}, list{0}, list{1}, false, out);
        }).starts_with("aten::max_pool2d_with_indices_backward: found indices float32"));
  CHECK(text_of<tb::dtype_error>([&] {
          aten::_adaptive_avg_pool2d_backward(wrong, x);
        }).starts_with("aten::_adaptive_avg_pool2d_backward: found a gradient int64"));
  CHECK(text_of<tb::shape_error>([&] { aten::max_pool2d(x, list{9}); }).starts_with("aten::max_pool2d: found"));
}

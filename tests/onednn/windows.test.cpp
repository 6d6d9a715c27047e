// Convolution, pooling and normalisation, compared with topbit's own kernels; products of integers, with sums in
// double.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onednn_values.h"
#include "support/raises.h"
#include "support/scale.h"

using namespace onednn_test;
using tb::dtype;

namespace {

struct convolution_case {
  tb::shape input, weight;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
};

const std::vector<convolution_case>& cases() {
  static const std::vector<convolution_case> all{
      {{2, 3, 9, 9}, {4, 3, 3, 3}},
      {{1, 16, 8, 8}, {32, 16, 3, 3}, 1, 1},
      {{2, 1, 28, 28}, {8, 1, 5, 5}, 2, 2},
      {{2, 6, 9, 7}, {4, 3, 3, 3}, 1, 1, 2, 2},
      {{1, 8, 6, 6}, {8, 1, 3, 3}, 1, 1, 1, 8},
      {{2, 5, 11}, {7, 5, 3}, 2, 1},
      {{2, 3, 5, 6, 7}, {4, 3, 3, 3, 3}, 1, 1},
      {{2, 17, 1, 1}, {3, 17, 1, 1}},
  };
  return all;
}

template <class F>
tb::tensor convolved(const convolution_case& c, F call) {
  const std::int64_t s[] = {c.stride}, p[] = {c.padding}, d[] = {c.dilation};
  return call(std::span<const std::int64_t>(s), std::span<const std::int64_t>(p), std::span<const std::int64_t>(d));
}
tb::tensor convolution(const convolution_case& c, const tb::tensor& x, const tb::tensor& w,
                       const std::optional<tb::tensor>& b = {}) {
  return convolved(c, [&](auto s, auto p, auto d) {
    if (x.dim() == 3) return tb::conv1d(x, w, b, s, p, d, c.groups);
    if (x.dim() == 4) return tb::conv2d(x, w, b, s, p, d, c.groups);
    return tb::conv3d(x, w, b, s, p, d, c.groups);
  });
}

}  // namespace

TEST_CASE("onednn: convolutions are those of topbit", "[onednn]") {
  for (const dtype type : {dtype::float32, dtype::bfloat16}) {
    for (const convolution_case& c : cases()) {
      INFO(name_of(type) << to_string(c.input) << to_string(c.weight));
      const tb::tensor x = random(c.input, type, 1), w = random(c.weight, type, 2), b = random({c.weight[0]}, type, 3);
      const tb::tensor mx = tb::to_mkldnn(x), mw = tb::to_mkldnn(w), mb = tb::to_mkldnn(b);
      const tb::tensor wanted = convolution(c, x, w, b), plain = convolution(c, x, w);
      tb::onednn::reset_dense_call_report();
      CHECK(differs(convolution(c, mx, mw, mb), wanted) == "");
      CHECK(differs(convolution(c, mx, w, b), wanted) == "");
      CHECK(differs(convolution(c, x, mw, b), wanted) == "");
      CHECK(differs(convolution(c, mx, mw), plain) == "");
      // Again, with the weight in the format that the first call wanted; and after the weight was written.
      CHECK(differs(convolution(c, mx, mw), plain) == "");
      tb::tensor changed = mw;
      tb::mul_(changed, mw * 0 + 2);
      CHECK(differs(convolution(c, mx, mw), plain * 2) == "");
      const auto with_relu = [&](const tb::tensor& input) {
        return convolved(c,
                         [&](auto s, auto p, auto d) { return tb::convolution_relu(input, w, b, s, p, d, c.groups); });
      };
      CHECK(differs(with_relu(mx), tb::relu(wanted)) == "");
      CHECK(support::values(with_relu(x)) == support::values(tb::relu(wanted)));
      const tb::tensor packed =
          convolved(c, [&](auto s, auto p, auto d) { return tb::pack_weight(w, c.input, s, p, d, c.groups); });
      CHECK(values(packed) == support::values(w));
      CHECK(differs(convolution(c, mx, packed, mb), wanted) == "");
      CHECK(dense_calls() == 0);
    }
  }
}

TEST_CASE("onednn: a packed weight serves inputs of other sizes", "[onednn]") {
  const tb::tensor w = random({20, 6, 3, 3}), small = random({1, 6, 5, 5}, dtype::float32, 2),
                   large = random({3, 6, 40, 40}, dtype::float32, 3);
  const std::int64_t sizes[] = {1, 6, 5, 5};
  const tb::tensor packed = tb::pack_weight(w, sizes);
  CHECK(differs(tb::conv2d(tb::to_mkldnn(small), packed), tb::conv2d(small, w)) == "");
  CHECK(differs(tb::conv2d(tb::to_mkldnn(large), packed), tb::conv2d(large, w)) == "");
  CHECK(has(toy::text_of<tb::bad_argument>([&] { tb::pack_weight(w, tb::shape{1, 5, 5, 5}); }),
            "topbit::pack_weight.convolution: found a weight [20, 6, 3, 3] of float32 for an input [1, 5, 5, 5]"));
}

TEST_CASE("onednn: errors of a convolution are those of topbit", "[onednn]") {
  const tb::tensor x = random({1, 3, 8, 8}), w = random({4, 2, 3, 3}), m = tb::to_mkldnn(x);
  const std::string wanted = toy::text_of<tb::shape_error>([&] { tb::conv2d(x, w); });
  CHECK(toy::text_of<tb::shape_error>([&] { tb::conv2d(m, w); }) == wanted);
  CHECK(toy::text_of<tb::shape_error>([&] { tb::linear(m, w); }) ==
        toy::text_of<tb::shape_error>([&] { tb::linear(x, w); }));
  const tb::tensor row = random({1, 3, 8}), filter = random({4, 3, 3});
  CHECK(toy::text_of<tb::shape_error>([&] { tb::conv2d(tb::to_mkldnn(row), filter); }) ==
        toy::text_of<tb::shape_error>([&] { tb::conv2d(row, filter); }));
  const tb::tensor bias = random({4}), number = tb::tensor(1.0);
  CHECK(toy::text_of<tb::shape_error>([&] { tb::conv2d(m, number, bias); }) ==
        toy::text_of<tb::shape_error>([&] { tb::conv2d(x, number, bias); }));
}

TEST_CASE("onednn: pooling is that of topbit", "[onednn]") {
  for (const dtype type : {dtype::float32, dtype::bfloat16}) {
    for (const tb::shape& sizes : {tb::shape{2, 3, 9, 11}, {1, 20, 8, 8}}) {
      const tb::tensor x = random(sizes, type), m = tb::to_mkldnn(x);
      for (const std::int64_t window : {2, 3}) {
        for (const std::int64_t stride : {1, 2}) {
          for (const std::int64_t padding : {0, 1}) {
            const std::int64_t size[] = {window}, step[] = {stride}, pad[] = {padding}, one[] = {1}, two[] = {2};
            INFO(to_string(sizes) << window << stride << padding);
            tb::onednn::reset_dense_call_report();
            CHECK(differs(tb::max_pool2d(m, size, step, pad), tb::max_pool2d(x, size, step, pad)) == "");
            CHECK(differs(tb::max_pool2d(m, size, step, pad, two), tb::max_pool2d(x, size, step, pad, two)) == "");
            CHECK(differs(tb::max_pool2d(m, size, step, pad, one, true),
                          tb::max_pool2d(x, size, step, pad, one, true)) == "");
            CHECK(differs(tb::avg_pool2d(m, size, step, pad), tb::avg_pool2d(x, size, step, pad)) == "");
            CHECK(differs(tb::avg_pool2d(m, size, step, pad, false, false),
                          tb::avg_pool2d(x, size, step, pad, false, false)) == "");
            CHECK(dense_calls() == 0);
            CHECK(differs(tb::avg_pool2d(m, size, step, pad, true), tb::avg_pool2d(x, size, step, pad, true)) == "");
          }
        }
      }
      const std::int64_t one[] = {1}, four[] = {4};
      CHECK(differs(tb::adaptive_avg_pool2d(m, one), tb::adaptive_avg_pool2d(x, one)) == "");
      CHECK(differs(tb::adaptive_avg_pool2d(m, four), tb::adaptive_avg_pool2d(x, four)) == "");
    }
  }
}

TEST_CASE("onednn: batch_norm by running statistics is that of topbit", "[onednn]") {
  for (const dtype type : {dtype::float32, dtype::bfloat16}) {
    const tb::tensor x = random({2, 20, 3, 5}, type), m = tb::to_mkldnn(x);
    const tb::tensor w = random({20}, dtype::float32, 2), b = random({20}, dtype::float32, 3),
                     mean = random({20}, dtype::float32, 4), var = support::numbers(5).positive({20}, dtype::float32);
    const auto call = [&](const tb::tensor& input, const std::optional<tb::tensor>& weight,
                          const std::optional<tb::tensor>& bias, bool training) {
      return tb::batch_norm(input, weight, bias, tb::clone(mean), tb::clone(var), training, 0.1, 1e-5, false);
    };
    CHECK(differs(call(m, w, b, false), call(x, w, b, false)) == "");
    CHECK(differs(call(m, {}, b, false), call(x, {}, b, false)) == "");
    CHECK(differs(call(m, w, {}, false), call(x, w, {}, false)) == "");
    CHECK(differs(call(m, {}, {}, false), call(x, {}, {}, false)) == "");
    CHECK(differs(call(m, w, b, true), call(x, w, b, true)) == "");
  }
}

TEST_CASE("onednn: products of integers are exact sums with scales", "[onednn]") {
  support::numbers draw(7);
  const auto codes = [&](const tb::shape& sizes, dtype type) {
    std::vector<double> all;
    for (std::int64_t i = 0; i < tb::numel(sizes); ++i) {
      all.push_back(static_cast<double>(type == dtype::uint8 ? draw.whole(0, 255) : draw.whole(-128, 127)));
    }
    return support::tensor_of(all, sizes, type);
  };
  const auto as_double = [](const tb::tensor& t) { return tb::to(t, dtype::float64); };
  for (const dtype type : {dtype::uint8, dtype::int8}) {
    const tb::tensor x = codes({5, 40}, type), w = codes({30, 40}, dtype::int8);
    const tb::tensor scales = draw.positive({30}, dtype::float32), bias = random({30});
    const tb::tensor wanted = tb::matmul(as_double(x), tb::t(as_double(w))) * as_double(scales) + as_double(bias);
    INFO(name_of(type));
    CHECK(support::difference(values(tb::int8_linear(x, w, scales, bias)), support::values(wanted), 1e-6) == "");
    CHECK(support::difference(values(tb::int8_linear(tb::to_mkldnn(x), tb::to_mkldnn(w), scales, bias, true)),
                              support::values(tb::relu(wanted)), 1e-6) == "");
    CHECK(support::difference(values(tb::int8_linear(x, w, scales)), support::values(wanted - as_double(bias)), 1e-6) ==
          "");
    CHECK(support::difference(values(tb::int8_linear(x, w, tb::ones({1}))),
                              support::values(tb::matmul(as_double(x), tb::t(as_double(w)))), 1e-6) == "");

    const tb::tensor image = codes({2, 8, 7, 7}, type), filter = codes({6, 4, 3, 3}, dtype::int8);
    const tb::tensor by = draw.positive({6}, dtype::float32), added = random({6});
    const std::int64_t one[] = {1}, two[] = {2};
    const tb::tensor sums = tb::conv2d(as_double(image), as_double(filter), {}, two, one, one, 2);
    const tb::tensor all = sums * tb::reshape(as_double(by), {6, 1, 1}) + tb::reshape(as_double(added), {6, 1, 1});
    CHECK(support::difference(values(tb::int8_convolution(image, filter, by, added, two, one, one, 2)),
                              support::values(all), 1e-6) == "");
    CHECK(
        support::difference(values(tb::int8_convolution(tb::to_mkldnn(image), filter, by, {}, two, one, one, 2, true)),
                            support::values(tb::relu(sums * tb::reshape(as_double(by), {6, 1, 1}))), 1e-6) == "");
  }
  const tb::tensor x = codes({5, 40}, dtype::uint8);
  CHECK(toy::text_of<tb::bad_argument>([&] { tb::int8_linear(x, random({30, 40}), tb::ones({1})); }) ==
        "topbit::int8_linear: found input [5, 40] of uint8 and weight [30, 40] of float32, wanted uint8 or int8 [rows, "
        "in], int8 [out, in], and scales and bias of float32, strided, one for each output");
}

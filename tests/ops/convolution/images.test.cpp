// Pixels moved and repeated, transposed convolutions and pooling of rows, by what they must have in common with others.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;

namespace {

std::vector<std::int64_t> numbers_of(std::initializer_list<std::int64_t> n) { return n; }

double product(const tensor& a, const tensor& b) {
  const list x = values(a), y = values(b);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

template <class Visit>
void each_case(unsigned seed, Visit visit) {
  support::numbers source(seed);
  for (int round = 0; round < 4; ++round) {
    for (dtype t : tb::all_dtypes) {
      for (support::arrangement how : support::arrangements) visit(source, t, how);
    }
  }
}

}  // namespace

TEST_CASE("images: pixel_shuffle rearranges channels into pixels, pixel_unshuffle inverts it",
          "[ops][images][property]") {
  each_case(91, [](support::numbers& source, dtype type, support::arrangement how) {
    const std::int64_t r = source.whole(1, 3), c = source.whole(1, 3), h = source.whole(1, 3), w = source.whole(1, 3);
    const tensor x = source.tensor({2, c * r * r, h, w}, type, how);
    const tensor y = aten::pixel_shuffle(x, r);
    REQUIRE(y.sizes() == shape{2, c, h * r, w * r});
    list wanted;
    support::each_index(y.sizes(), [&](const shape& i) {
      wanted.push_back(support::get(x, {i[0], i[1] * r * r + i[2] % r * r + i[3] % r, i[2] / r, i[3] / r}));
    });
    CHECK(values(y) == wanted);
    CHECK(values(aten::pixel_unshuffle(y, r)) == values(x));
  });
}

TEST_CASE("images: channel_shuffle interleaves the channels of groups", "[ops][images][property]") {
  each_case(92, [](support::numbers& source, dtype type, support::arrangement how) {
    const std::int64_t groups = source.whole(1, 3), each = source.whole(1, 3);
    const tensor x = source.tensor({2, groups * each, 3}, type, how);
    list wanted;
    support::each_index(x.sizes(), [&](const shape& i) {
      wanted.push_back(support::get(x, {i[0], i[1] % groups * each + i[1] / groups, i[2]}));
    });
    CHECK(values(aten::channel_shuffle(x, groups)) == wanted);
  });
}

TEST_CASE("images: upsample_nearest2d rounds the source position down", "[ops][images][property]") {
  each_case(93, [](support::numbers& source, dtype type, support::arrangement how) {
    const std::int64_t h = source.whole(1, 4), w = source.whole(1, 4), high = source.whole(1, 8),
                       wide = source.whole(1, 8);
    const tensor x = source.tensor({2, 1, h, w}, type, how);
    const tensor y = aten::upsample_nearest2d(x, numbers_of({high, wide}));
    REQUIRE(y.sizes() == shape{2, 1, high, wide});
    list wanted;
    support::each_index(y.sizes(), [&](const shape& i) {
      wanted.push_back(support::get(x, {i[0], i[1], i[2] * h / high, i[3] * w / wide}));
    });
    CHECK(values(y) == wanted);
  });
}

TEST_CASE("images: conv_transpose is the transpose of the convolution", "[ops][images][property]") {
  support::numbers source(94);
  for (int round = 0; round < 60; ++round) {
    const std::int64_t groups = source.whole(1, 2), in = groups * source.whole(1, 2), out = groups * source.whole(1, 2);
    const std::int64_t stride = source.whole(1, 3), dilation = source.whole(1, 2), k = source.whole(1, 3);
    const std::int64_t padding = source.whole(0, k - 1), more = source.whole(0, stride - 1);
    const support::arrangement how = support::arrangements[source.whole(0, 3)];
    const auto run = [&](const tensor& x, const tensor& w) {
      const auto s = numbers_of({stride}), p = numbers_of({padding}), m = numbers_of({more}),
                 d = numbers_of({dilation});
      switch (x.dim()) {
        case 3: return aten::conv_transpose1d(x, w, std::nullopt, s, p, m, groups, d);
        case 4: return aten::conv_transpose2d_input(x, w, std::nullopt, s, p, m, groups, d);
        default: return aten::conv_transpose3d_input(x, w, std::nullopt, s, p, m, groups, d);
      }
    };
    shape sizes{2, in}, window{in, out / groups};
    for (std::int64_t d = source.whole(1, 3); d > 0; --d) sizes.push_back(source.whole(2, 3)), window.push_back(k);
    const auto grown = [&](std::int64_t n) { return (n - 1) * stride - 2 * padding + dilation * (k - 1) + more + 1; };
    if (grown(2) < 1) continue;
    const tensor x = source.tensor(sizes, dtype::float64, how), w = source.tensor(window, dtype::float64, how);
    const tensor y = run(x, w);
    CHECK(y.sizes()[2] == grown(sizes[2]));
    // <transpose(x), g> = <x, convolution(g)> for every g.
    const tensor g = source.tensor(y.sizes(), dtype::float64);
    const tensor back = aten::convolution(g, w, std::nullopt, numbers_of({stride}), numbers_of({padding}),
                                          numbers_of({dilation}), false, numbers_of({0}), groups);
    REQUIRE(back.sizes() == x.sizes());
    CHECK(std::abs(product(y, g) - product(x, back)) <= 1e-10 * (1 + std::abs(product(x, back))));
  }
}

TEST_CASE("images: pooling of rows is pooling of images one row high", "[ops][images][property]") {
  support::numbers source(95);
  for (int round = 0; round < 40; ++round) {
    for (dtype type : {dtype::float16, dtype::bfloat16, dtype::float32, dtype::float64}) {
      const std::int64_t n = source.whole(5, 9), k = source.whole(1, 3), s = source.whole(1, 3),
                         p = source.whole(0, k / 2);
      const tensor x = source.tensor({2, 3, n}, type, support::arrangements[source.whole(0, 3)]);
      const auto [most, where] = aten::max_pool1d_with_indices(x, numbers_of({k}), numbers_of({s}), numbers_of({p}));
      const tensor mean = aten::avg_pool1d(x, numbers_of({k}), numbers_of({s}), numbers_of({p}));
      const std::int64_t windows = (n + 2 * p - k) / s + 1;
      REQUIRE(most.sizes() == shape{2, 3, windows});
      list greatest, places, means;
      support::each_index(most.sizes(), [&](const shape& i) {
        double best = 0, at = -1, sum = 0;
        for (std::int64_t j = i[2] * s - p; j < i[2] * s - p + k; ++j) {
          if (j < 0 || j >= n) continue;
          const double v = support::get(x, {i[0], i[1], j});
          if (at < 0 || v > best) best = v, at = static_cast<double>(j);
          sum += v;
        }
        greatest.push_back(best);
        places.push_back(at);
        means.push_back(sum / static_cast<double>(k));
      });
      CHECK(values(most) == greatest);
      CHECK(values(where) == places);
      CHECK(values(aten::max_pool1d(x, numbers_of({k}), numbers_of({s}), numbers_of({p}))) == greatest);
      CHECK(support::difference(values(mean), means, 4 * support::tolerance_of(type)) == "");
      CHECK(support::difference(values(aten::adaptive_avg_pool1d(x, numbers_of({n}))), values(x), 0) == "");
    }
  }
}

TEST_CASE("images: errors name the operator that was called", "[ops][images]") {
  const auto made = [](const shape& sizes) { return tb::author::make_tensor(sizes, dtype::float32, tb::meta); };
  const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
  CHECK(
      text([&] { aten::pixel_shuffle(made({1, 3, 2, 2}), 2); }) ==
      "aten::pixel_shuffle: found [1, 3, 2, 2] and a factor of 2, wanted channels in a number that its square divides");
  CHECK(text([&] { aten::conv_transpose1d(made({1, 2, 3}), made({3, 1, 1})); }) ==
        "aten::conv_transpose1d: found input [1, 2, 3], weight [3, 1, 1] and 1 groups, wanted [n, channels, ..] and "
        "[channels, outputs / groups, ..], with channels that the groups divide");
  CHECK(text([&] {
          aten::conv_transpose1d(made({1, 2, 3}), made({2, 1, 1}), std::nullopt, numbers_of({2}), numbers_of({0}),
                                 numbers_of({2}));
        }) == "aten::conv_transpose1d: found output_padding [2] for stride [2], wanted less");
  CHECK(text([&] { aten::max_pool1d(made({4}), numbers_of({2})); }) ==
        "aten::max_pool1d: found [4], wanted [n, channels, length] or [channels, length]");
  CHECK(
      text([&] { aten::max_pool1d(made({1, 4}), numbers_of({5})); }).starts_with("aten::max_pool1d: found [1, 1, 4]"));
  CHECK(text([&] {
          aten::max_pool1d_with_indices(made({1, 4}), numbers_of({5}));
        }).starts_with("aten::max_pool1d_with_indices: found [1, 1, 4]"));
  CHECK(text([&] { aten::upsample_nearest2d(made({4, 4}), numbers_of({2, 2})); }) ==
        "aten::upsample_nearest2d: found [4, 4], wanted [n, channels, height, width], only n being 0");
}

TEST_CASE("images: upsample_nearest2d ignores the scale for factors 1 and 2", "[ops][images]") {
  const tensor row = tensor_of({1, 2, 3, 4, 5}, {1, 1, 1, 5});
  const auto resized = [&](std::int64_t width, double scale) {
    return values(aten::upsample_nearest2d(row, numbers_of({1, width}), 1.0, scale));
  };
  CHECK(resized(5, 1.1) == list{1, 2, 3, 4, 5});
  CHECK(resized(10, 2.1) == list{1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
  CHECK(resized(4, 1e-30) == list{1, 5, 5, 5});
  const tensor none = tb::author::make_tensor({0, 1, 1, 1}, dtype::float32, tb::cpu);
  const auto text = [&](std::int64_t high, std::int64_t wide) {
    return toy::text_of<tb::shape_error>([&] { aten::upsample_nearest2d(none, numbers_of({high, wide})); });
  };
  CHECK(text(std::int64_t{1} << 31, 1) ==
        "aten::upsample_nearest2d: found output_size [2147483648, 1], wanted at most 2147483647 rows and columns");
  CHECK(text(1, std::int64_t{1} << 40) ==
        "aten::upsample_nearest2d: found output_size [1, 1099511627776], wanted at most 2147483647 rows and columns");
}

TEST_CASE("images: a factor whose square overflows 64 bits is refused, and zero channels stay zero", "[ops][images]") {
  const tensor none = tb::author::make_tensor({1, 0, 0}, dtype::float32, tb::cpu);
  const std::int64_t large = std::int64_t{1} << 32;
  CHECK(toy::text_of<tb::shape_error>([&] {
          aten::pixel_unshuffle(none, large);
        }).starts_with("aten::pixel_unshuffle: "));
  CHECK(toy::text_of<tb::shape_error>([&] { aten::pixel_shuffle(none, large); }).starts_with("aten::pixel_shuffle: "));
  CHECK(aten::pixel_shuffle(tb::author::make_tensor({8, 0, 2, 3}, dtype::int8, tb::cpu), 1).sizes() ==
        shape{8, 0, 2, 3});
}

TEST_CASE("images: the gradient of a transposed convolution has the shape of its result", "[ops][images]") {
  const tensor input = tensor_of({1, 2, 3, 4}, {1, 1, 4}), weight = tensor_of({2}, {1, 1, 1});
  const tensor wrong = tensor_of({1, 2, 3, 4, 5, 6}, {1, 1, 6});
  const auto one = numbers_of({1}), zero = numbers_of({0});
  for (bool of_input : {true, false}) {
    const std::array<bool, 3> mask{of_input, false, !of_input};
    CHECK(toy::text_of<tb::shape_error>([&] {
            aten::convolution_backward(wrong, input, weight, std::nullopt, one, zero, one, true, zero, 1, mask);
          }) == "aten::convolution_backward: found a gradient [1, 1, 6] for a result [1, 1, 4]");
  }
}

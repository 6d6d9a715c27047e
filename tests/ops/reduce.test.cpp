#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

using dimensions = std::vector<std::int64_t>;

struct reduced {
  tb::dims sizes;  // with keepdim
  list sums;
};

reduced naive_sum(const tensor& t, const dimensions& over) {
  reduced out{t.sizes(), {}};
  for (std::int64_t d : over)
    out.sizes[static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(t.dim()) : d)] = 1;
  if (over.empty()) out.sizes = tb::dims(t.dim(), 1);
  out.sums.assign(static_cast<std::size_t>(tb::numel(out.sizes)), 0);
  const tb::dims strides = tb::dense_strides(out.sizes);
  support::each_index(t.sizes(), [&](const tb::dims& i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < i.size(); ++d) at += (out.sizes[d] == 1 ? 0 : i[d]) * strides[d];
    out.sums[static_cast<std::size_t>(at)] += support::get(t, i);
  });
  return out;
}

}  // namespace

TEST_CASE("reduce: sum over any dimensions of any arrangement", "[ops][reduce]") {
  support::numbers source(1);
  const std::pair<tb::dims, dimensions> cases[] = {
      {{4, 5}, {0}},       {{4, 5}, {1}},     {{4, 5}, {-1, 0}},
      {{4, 5}, {}},        {{}, {}},          {{2, 3, 4}, {1}},
      {{2, 3, 4}, {0, 2}}, {{2, 3, 4}, {-3}}, {{2, 1, 37}, {1}},
      {{3, 300}, {1}},     {{300, 3}, {0}},   {{0, 3}, {0}},
      {{0, 3}, {1}},       {{3, 0}, {1}},     {{20, 0, 20}, {1}},
      {{0, 20}, {0}},      {{0}, {}},         {{2, 2, 2, 2, 2, 2}, {0, 3, 5}},
      {{1, 1}, {0}}};
  for (dtype t : support::dtypes) {
    for (arrangement how : support::arrangements) {
      for (const auto& [sizes, over] : cases) {
        for (bool keepdim : {false, true}) {
          INFO(tb::name_of(t) << " " << tb::to_string(sizes) << " " << support::name_of(how) << " over "
                              << tb::to_string(tb::dims(std::span<const std::int64_t>(over))));
          const tensor x = source.tensor(sizes, t, how);
          const tensor y = ops::sum_dim(x, std::optional<std::span<const std::int64_t>>(over), keepdim);
          reduced wanted = naive_sum(x, over);
          const dtype type = t < dtype::float32 ? dtype::int64 : t;
          REQUIRE(y.dtype() == type);
          REQUIRE(y.is_contiguous());
          REQUIRE(support::difference(values(y), wanted.sums, 10 * support::tolerance_of(type)) == "");
          if (keepdim)
            REQUIRE(y.sizes() == wanted.sizes);
          else
            REQUIRE(y.dim() == (over.empty() ? 0 : x.dim() - over.size()));
          if (over.empty() && !keepdim) REQUIRE(values(ops::sum(x)) == values(y));
        }
      }
    }
  }
}

TEST_CASE("reduce: sum converts before it adds", "[ops][reduce]") {
  const tensor x = tensor_of({0.5, 0.5, 1.5}, {3}, dtype::float32);
  CHECK(values(ops::sum(x, arg<"dtype"> = dtype::int64)) == list{1});
  CHECK(ops::sum(x, arg<"dtype"> = dtype::float64).dtype() == dtype::float64);
  CHECK(values(ops::sum(tensor_of({1, 1, 0}, {3}, dtype::boolean))) == list{2});
  CHECK(values(ops::sum(tensor_of({1, 1, 0}, {3}, dtype::boolean), arg<"dtype"> = dtype::float32)) == list{2});
}

TEST_CASE("reduce: a sum in bool is refused", "[ops][reduce][dtype]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({100}, dtype::float32, where);
    CHECK(text_of<tb::dtype_error>([&] { ops::sum(x, arg<"dtype"> = dtype::boolean); }) ==
          "aten::sum: found dtype bool, wanted a number");
    CHECK(text_of<tb::dtype_error>([&] { ops::sum_dim(x, std::nullopt, false, dtype::boolean); }) ==
          "aten::sum.dim_IntList: found dtype bool, wanted a number");
  }
}

TEST_CASE("reduce: long float sums keep their accuracy", "[ops][reduce]") {
  const std::int64_t n = 1 << 20;
  const tensor x = ops::full(dimensions{n}, 0.1, arg<"dtype"> = dtype::float32);
  CHECK(std::abs(tb::item(ops::sum(x)) - 0.1F * static_cast<double>(n)) < 0.02);
}

TEST_CASE("reduce: dimensions out of range, or twice, are refused", "[ops][reduce]") {
  const tensor x = tb::author::make_tensor({2, 3}, dtype::float32, tb::cpu);
  CHECK(text_of<tb::shape_error>([&] { tb::sum(x, {2}); }) ==
        "aten::sum.dim_IntList: found dimension 2, wanted -2 to 1");
  CHECK(text_of<tb::shape_error>([&] { tb::sum(x, {-3}); }) ==
        "aten::sum.dim_IntList: found dimension -3, wanted -2 to 1");
  CHECK(text_of<tb::shape_error>([&] { tb::sum(x, {1, -1}); }) == "aten::sum.dim_IntList: dimension 1 is given twice");
  CHECK(text_of<tb::shape_error>([&] { ops::argmax(x, 2); }) == "aten::argmax: found dimension 2, wanted -2 to 1");
}

TEST_CASE("reduce: a tensor without dimensions takes 0 and -1", "[ops][reduce]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::to(tensor_of({7}, {}), where);
    for (std::int64_t d : {-1, 0}) {
      for (bool keepdim : {false, true}) {
        const tensor s = tb::sum(x, {d}, keepdim), a = ops::argmax(x, d, keepdim);
        CHECK(s.sizes() == tb::dims{});
        CHECK(a.sizes() == tb::dims{});
        if (where == tb::meta) continue;
        CHECK(values(s) == list{7});
        CHECK(values(a) == list{0});
      }
    }
    CHECK(text_of<tb::shape_error>([&] { tb::sum(x, {1}); }) ==
          "aten::sum.dim_IntList: found dimension 1, wanted -1 to 0");
    CHECK(text_of<tb::shape_error>([&] { tb::sum(x, {0, -1}); }) ==
          "aten::sum.dim_IntList: dimension 0 is given twice");
    CHECK(text_of<tb::shape_error>([&] { ops::argmax(x, -2); }) == "aten::argmax: found dimension -2, wanted -1 to 0");
  }
  const tensor x = tb::require_grad(tensor_of({7}, {}));
  tb::backward(tb::sum(x, {0}));
  CHECK(values(tb::grad(x)) == list{1});
}

TEST_CASE("reduce: mean is the sum over the number of elements", "[ops][reduce]") {
  CHECK(values(ops::mean(tensor_of({1, 2, 6}, {3}))) == list{3});
  CHECK(values(ops::mean(tensor_of({1, 2, 6}, {3}, dtype::int64), arg<"dtype"> = dtype::float32)) == list{3});
  CHECK(std::isnan(tb::item(ops::mean(tensor_of({}, {0})))));
  CHECK(text_of<tb::dtype_error>([] { ops::mean(tensor_of({1, 2}, {2}, dtype::int64)); }) ==
        "aten::mean: found int64, wanted a floating dtype; pass dtype");
}

TEST_CASE("reduce: argmax gives the first of the greatest, along any dimension", "[ops][reduce]") {
  support::numbers source(2);
  for (dtype t : support::dtypes) {
    for (arrangement how : support::arrangements) {
      for (const tb::dims& sizes :
           {tb::dims{4, 5}, tb::dims{1, 7}, tb::dims{3, 2, 65}, tb::dims{65, 2}, tb::dims{0, 3}}) {
        for (std::size_t d = 0; d < sizes.size(); ++d) {
          if (sizes[d] == 0) continue;
          const tensor x = source.tensor(sizes, t, how);
          INFO(tb::name_of(t) << " " << tb::to_string(sizes) << " " << support::name_of(how) << " along " << d);
          tb::dims kept = sizes;
          kept[d] = 1;
          list wanted;
          support::each_index(kept, [&](const tb::dims& i) {
            tb::dims at = i;
            std::int64_t best = 0;
            double greatest = support::get(x, i);
            for (at[d] = 1; at[d] < sizes[d]; ++at[d]) {
              if (support::get(x, at) > greatest) greatest = support::get(x, at), best = at[d];
            }
            wanted.push_back(static_cast<double>(best));
          });
          const auto dim = static_cast<std::int64_t>(d);
          const tensor y = ops::argmax(x, dim), z = ops::argmax(x, dim - static_cast<std::int64_t>(sizes.size()), true);
          CHECK(y.dtype() == dtype::int64);
          CHECK(y.dim() == sizes.size() - 1);
          CHECK(z.sizes() == kept);
          CHECK(values(y) == wanted);
          CHECK(values(z) == wanted);
        }
      }
    }
  }
}

TEST_CASE("reduce: argmax without a dimension counts row by row", "[ops][reduce]") {
  const tensor x = tensor_of({1, 5, 2, 3, 9, 9}, {2, 3});
  CHECK(values(ops::argmax(x)) == list{4});
  CHECK(ops::argmax(x).sizes() == tb::dims{});
  CHECK(ops::argmax(x, std::nullopt, true).sizes() == tb::dims{1, 1});
  CHECK(values(ops::argmax(ops::transpose(x, 0, 1))) == list{3});
  CHECK(values(ops::argmax(tensor_of({7}, {}))) == list{0});
}

TEST_CASE("reduce: a NaN is the greatest, the first one", "[ops][reduce]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (dtype t : {dtype::float32, dtype::float64}) {
    list long_row(100, 0);
    long_row[71] = nan, long_row[80] = nan, long_row[3] = inf;
    CHECK(values(ops::argmax(tensor_of(long_row, {100}, t))) == list{71});
    CHECK(values(ops::argmax(tensor_of({1, nan, inf, nan}, {4}, t))) == list{1});
    CHECK(values(ops::argmax(tensor_of({1, nan, inf, 2, nan, 3}, {3, 2}, t), 0)) == list{2, 0});
    CHECK(values(ops::argmax(ops::full(dimensions{70}, -inf, arg<"dtype"> = t))) == list{0});
  }
}

TEST_CASE("reduce: an empty dimension has no greatest element", "[ops][reduce]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({0, 3}, dtype::float32, where);
    const std::string text = "aten::argmax: the dimension is empty, and has no greatest element";
    CHECK(text_of<tb::shape_error>([&] { ops::argmax(x, 0); }) == text);
    CHECK(text_of<tb::shape_error>([&] { ops::argmax(x); }) == text);
    CHECK(ops::argmax(x, 1).sizes() == tb::dims{0});
  }
}

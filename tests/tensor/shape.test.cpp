#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit.tensor;

namespace tb = topbit;
using tb::shape;
using toy::text_of;

TEST_CASE("shape: a shape holds up to six values and compare by them", "[tensor][shape]") {
  shape d{1, 2, 3};
  CHECK(d.size() == 3);
  CHECK(d[2] == 3);
  d.push_back(4);
  CHECK(d == shape{1, 2, 3, 4});
  d.erase(1);
  CHECK(d == shape{1, 3, 4});
  d.erase(2);
  CHECK(d == shape{1, 3});
  CHECK_FALSE(d == shape{1, 3, 0});
  CHECK(shape() == shape{});
  CHECK(shape{}.empty());
  CHECK(shape(3, 7) == shape{7, 7, 7});
  CHECK(shape(std::span<const std::int64_t>(std::vector<std::int64_t>{5, 6})) == shape{5, 6});
}

TEST_CASE("shape: a seventh dimension is refused", "[tensor][shape]") {
  const std::string text = "found 9 dimensions, wanted at most 8";
  CHECK(text_of<tb::shape_error>([] { shape{1, 2, 3, 4, 5, 6, 7, 8, 9}; }) == text);
  CHECK(text_of<tb::shape_error>([] { shape(9, 1); }) == text);
  CHECK(text_of<tb::shape_error>([] {
          shape d(8, 1);
          d.push_back(1);
        }) == text);
}

TEST_CASE("shape: numel is the product, 1 for a scalar", "[tensor][shape]") {
  CHECK(tb::numel({}) == 1);
  CHECK(tb::numel({2, 3}) == 6);
  CHECK(tb::numel({2, 0, 3}) == 0);
}

TEST_CASE("shape: dense strides are row-major and count empty dimensions as 1", "[tensor][shape]") {
  CHECK(tb::dense_strides({}) == shape{});
  CHECK(tb::dense_strides({2, 3, 4}) == shape{12, 4, 1});
  CHECK(tb::dense_strides({2, 0, 4}) == shape{4, 4, 1});
  CHECK(tb::dense_strides({1, 1}) == shape{1, 1});
}

TEST_CASE("shape: dense means every element where row-major order has it", "[tensor][shape]") {
  support::numbers source(1);
  for (int round = 0; round < 3000; ++round) {
    shape sizes, strides;
    for (std::int64_t n = source.whole(0, 4); n > 0; --n) {
      sizes.push_back(source.whole(0, 3));
      strides.push_back(source.whole(-1, 4));
    }
    if (round % 3 == 0) strides = tb::dense_strides(sizes);
    bool dense = true;
    std::int64_t next = 0;
    support::each_index(sizes, [&](const shape& i) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < i.size(); ++d) at += i[d] * strides[d];
      dense = dense && at == next++;
    });
    INFO(tb::to_string(sizes) << " " << tb::to_string(strides));
    CHECK(tb::is_dense(sizes, strides) == dense);
  }
}

TEST_CASE("broadcast: sizes align at the end", "[tensor][shape][broadcast]") {
  CHECK(tb::broadcast("op", {2, 3}, {3}) == shape{2, 3});
  CHECK(tb::broadcast("op", {3}, {2, 3}) == shape{2, 3});
  CHECK(tb::broadcast("op", {}, {2, 3}) == shape{2, 3});
  CHECK(tb::broadcast("op", {}, {}) == shape{});
}

TEST_CASE("broadcast: size 1 broadcasts to any size, also 0", "[tensor][shape][broadcast]") {
  CHECK(tb::broadcast("op", {2, 1}, {1, 4}) == shape{2, 4});
  CHECK(tb::broadcast("op", {0}, {1}) == shape{0});
  CHECK(tb::broadcast("op", {1, 5}, {0, 1}) == shape{0, 5});
}

TEST_CASE("broadcast: other shapes are refused, naming the operator, both shapes and the dimension",
          "[tensor][shape][broadcast]") {
  CHECK(text_of<tb::shape_error>([] { tb::broadcast("ns::op", {2, 3}, {4}); }) ==
        "ns::op: the shapes [2, 3] and [4] do not broadcast: dimension 1 is 3 and 4, wanted equal sizes or 1");
  CHECK(text_of<tb::shape_error>([] { tb::broadcast("ns::op", {0, 1}, {3, 1}); }) ==
        "ns::op: the shapes [0, 1] and [3, 1] do not broadcast: dimension 0 is 0 and 3, wanted equal sizes or 1");
  CHECK(text_of<tb::shape_error>([] { tb::broadcast("ns::op", {4}, {3, 2}); }) ==
        "ns::op: the shapes [4] and [3, 2] do not broadcast: dimension 1 is 4 and 2, wanted equal sizes or 1");
}

TEST_CASE("broadcast: agrees with a model, in any order, for random shapes", "[tensor][shape][broadcast]") {
  support::numbers source(2);
  for (int round = 0; round < 3000; ++round) {
    const shape a = source.shape(6, 3), b = source.shape(6, 3);
    std::optional<std::vector<std::int64_t>> wanted(std::in_place);
    for (std::size_t from_end = std::max(a.size(), b.size()); wanted && from_end > 0; --from_end) {
      const std::int64_t x = from_end <= a.size() ? a[a.size() - from_end] : 1;
      const std::int64_t y = from_end <= b.size() ? b[b.size() - from_end] : 1;
      if (x == y || y == 1)
        wanted->push_back(x);
      else if (x == 1)
        wanted->push_back(y);
      else
        wanted.reset();
    }
    if (wanted) {
      CHECK(tb::broadcast("op", a, b) == shape(std::span<const std::int64_t>(*wanted)));
      CHECK(tb::broadcast("op", b, a) == shape(std::span<const std::int64_t>(*wanted)));
    } else {
      CHECK_THROWS_AS(tb::broadcast("op", a, b), tb::shape_error);
    }
  }
}

TEST_CASE("shape: a negative dimension counts from the end", "[tensor][shape]") {
  CHECK(tb::wrap_dim("op", 0, 3) == 0);
  CHECK(tb::wrap_dim("op", -1, 3) == 2);
  CHECK(tb::wrap_dim("op", -3, 3) == 0);
  CHECK(text_of<tb::shape_error>([] { tb::wrap_dim("op", 3, 3); }) == "op: found dimension 3, wanted -3 to 2");
  CHECK(text_of<tb::shape_error>([] { tb::wrap_dim("op", -4, 3); }) == "op: found dimension -4, wanted -3 to 2");
  CHECK(text_of<tb::shape_error>([] { tb::wrap_dim("op", 0, 0); }) ==
        "op: found dimension 0, wanted none, the tensor is a scalar");
}

TEST_CASE("shape: any integer counts and picks dimensions", "[tensor][shape]") {
  static_assert(std::is_same_v<decltype(tb::wrap_dim("op", 0, 1)), std::int64_t>);
  const shape sizes(std::int64_t{2}, 5);
  CHECK(sizes[std::int64_t{1}] == 5);
  CHECK(sizes[std::size_t{1}] == sizes[1]);
  CHECK(text_of<tb::shape_error>([] { shape(-1, 5); }) == "found -1 dimensions, wanted at most 8");
}

TEST_CASE("shape: prints as a list", "[tensor][shape]") {
  CHECK(tb::to_string(shape{}) == "[]");
  CHECK(tb::to_string(shape{2, -1}) == "[2, -1]");
}

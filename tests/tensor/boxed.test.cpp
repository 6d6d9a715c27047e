// What a layer without types does to the tensors in a value.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::tensor;
using tb::value;

namespace {

using maybe = std::optional<tensor>;

tensor of_size(std::int64_t n) { return tb::author::make_tensor({n}, tb::dtype::int64, tb::cpu); }

std::vector<std::int64_t> sizes_in(const value& v) {
  std::vector<std::int64_t> found;
  tb::author::each_tensor(v, [&](const tensor& t) { found.push_back(t.defined() ? t.size(0) : -1); });
  return found;
}
value grown(const value& v) {
  return tb::author::map_tensors(v, [](const tensor& t) { return t.defined() ? of_size(t.size(0) + 10) : t; });
}

using found = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("boxed: the tensors of a value are visited and replaced, in lists and in optional ones", "[tensor][boxed]") {
  const std::vector<tensor> list{of_size(1), tensor(), of_size(2)};
  const std::vector<maybe> some{of_size(3), std::nullopt, tensor(), of_size(4)};
  for (const auto& [v, wanted, after] :
       {std::tuple(value(of_size(5)), found{5}, found{15}), std::tuple(value(tensor()), found{-1}, found{-1}),
        std::tuple(value(list), found{1, -1, 2}, found{11, -1, 12}),
        std::tuple(value(some), found{3, -1, 4}, found{13, -1, 14}), std::tuple(value(maybe()), found{}, found{})}) {
    CHECK(sizes_in(v) == wanted);
    CHECK(sizes_in(grown(v)) == after);
    CHECK(grown(v).type_name() == v.type_name());
    CHECK(sizes_in(v) == wanted);
  }
  const value absent = grown(value(some));
  CHECK_FALSE(absent.get<std::span<const maybe>>()[1].has_value());
}

TEST_CASE("boxed: the first tensor that fits is found", "[tensor][boxed]") {
  const std::vector<maybe> some{of_size(3), std::nullopt, tensor(), of_size(4), of_size(5)};
  const value v(some);
  const auto above = [&](std::int64_t n) {
    return tb::author::find_tensor(v, [=](const tensor& t) { return t.defined() && t.size(0) > n; });
  };
  REQUIRE(above(3) != nullptr);
  CHECK(above(3)->same_as(*some[3]));
  CHECK(above(5) == nullptr);
  CHECK(tb::author::find_tensor(value(std::int64_t{3}), [](const tensor&) { return true; }) == nullptr);
}

TEST_CASE("boxed: a value without tensors is copied unchanged", "[tensor][boxed]") {
  CHECK(sizes_in(value(std::int64_t{3})).empty());
  CHECK(grown(value(std::int64_t{3})).get<std::int64_t>() == 3);
  CHECK(grown(value()).is_none());
}

TEST_CASE("boxed: a replacement of a borrowed tensor is owned, and the original is unchanged", "[tensor][boxed]") {
  tensor lent = of_size(1);
  const value mapped = grown(value::refer(lent));
  CHECK_FALSE(mapped.is_borrowed());
  CHECK(sizes_in(mapped) == found{11});
  CHECK(lent.size(0) == 1);
  std::vector<tensor> written{of_size(2)};  // as `std::vector<tensor>&` is boxed
  CHECK(sizes_in(value::refer(written)) == found{2});
  const value list = grown(value::refer(written));
  CHECK(sizes_in(list) == found{12});
  CHECK(list.is<std::vector<tensor>>());
  CHECK_FALSE(list.is_borrowed());
}

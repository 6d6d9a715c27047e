// One function for each name: which operator a call means, and what it gives. `tb::add` against the handles of aten.
#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;

namespace {

template <auto Function, auto Handle, class... B>
concept means =
    std::same_as<typename decltype(Function)::template resolve<B...>, std::remove_const_t<decltype(Handle)>>;
template <auto Function, class... B>
concept means_something = requires { typename decltype(Function)::template resolve<B...>; };
using in = const tensor&;
using ints = const std::vector<std::int64_t>&;

}  // namespace

TEST_CASE("overloads: the arguments choose the operator", "[ops][overloads]") {
  STATIC_REQUIRE(means<tb::add, aten::add_Tensor, in, in>);
  STATIC_REQUIRE(means<tb::add, aten::add_Scalar, in, int>);
  STATIC_REQUIRE(means<tb::add, aten::add_out, in, in, tb::author::named_argument<"out", tensor&>>);
  STATIC_REQUIRE(means<tb::add_, aten::add_Scalar_, tensor&, double>);
  STATIC_REQUIRE(means<tb::arange, aten::arange, int>);
  STATIC_REQUIRE(means<tb::arange, aten::arange_start, int, int>);
  STATIC_REQUIRE(means<tb::arange, aten::arange_start_step, int, int, int>);
  STATIC_REQUIRE(means<tb::range, aten::range, int, int>);
  STATIC_REQUIRE(means<tb::var, aten::var, in>);
  STATIC_REQUIRE(means<tb::var, aten::var, in, bool>);
  STATIC_REQUIRE(means<tb::var, aten::var_dim, in, int>);
  STATIC_REQUIRE(means<tb::stddev, aten::std_dim, in, ints>);
  STATIC_REQUIRE(means<tb::max, aten::max, in>);
  STATIC_REQUIRE(means<tb::max, aten::max_dim, in, int>);
  STATIC_REQUIRE(means<tb::max, aten::max_other, in, in>);
  STATIC_REQUIRE(means<tb::split, aten::split_Tensor, in, int>);
  STATIC_REQUIRE(means<tb::split, aten::split_sizes, in, ints>);
  STATIC_REQUIRE(means<tb::where, aten::where, in>);
  STATIC_REQUIRE(means<tb::where, aten::where_self, in, in, in>);
  STATIC_REQUIRE(means<tb::where, aten::where_ScalarOther, in, in, int>);
  STATIC_REQUIRE(means<tb::where, aten::where_Scalar, in, int, double>);
  STATIC_REQUIRE(means<tb::pow, aten::pow_Scalar, int, in>);
  STATIC_REQUIRE(means<tb::conv2d, aten::conv2d, in, in>);
  STATIC_REQUIRE(
      means<tb::conv2d, aten::conv2d_padding, in, in, tb::author::named_argument<"padding", const char (&)[5]>>);
  STATIC_REQUIRE(means<tb::clamp, aten::clamp, in, int, int>);
  STATIC_REQUIRE(means<tb::clamp, aten::clamp_Tensor, in, in>);
  STATIC_REQUIRE(means<tb::norm, aten::norm_Scalar, in>);
  STATIC_REQUIRE(means<tb::sum, aten::sum_dim_IntList, in, int>);
  STATIC_REQUIRE_FALSE(means_something<tb::sum, in, bool>);         // no integer
  STATIC_REQUIRE_FALSE(means_something<tb::add, in, in, tensor&>);  // out is given by name
  STATIC_REQUIRE_FALSE(means_something<tb::add, int, int>);         // a number is no tensor
}

TEST_CASE("overloads: lists in braces", "[ops][overloads]") {
  const tensor x = tb::reshape(tb::arange(6), {2, -1});
  CHECK(x.sizes() == tb::shape{2, 3});
  CHECK(values(tb::sum(x, {1})) == std::vector<double>{3, 12});
  CHECK(values(tb::sum(x, {0, 1})) == std::vector<double>{15});
  CHECK(values(tb::sum(x, {})) == std::vector<double>{15});
  CHECK(tb::sum(x, {1}, arg<"keepdim"> = true).sizes() == tb::shape{2, 1});
  CHECK(tb::split(x, {1, 1}).size() == 2);
  CHECK(tb::split(x, 1).size() == 2);
  CHECK(tb::cat({x, x}, 1).sizes() == tb::shape{2, 6});
  CHECK(tb::stack({x, x}).sizes() == tb::shape{2, 2, 3});
  CHECK(tb::permute(x, {1, 0}).sizes() == tb::shape{3, 2});
  CHECK(tb::zeros({2, 3}, arg<"dtype"> = dtype::int8).dtype() == dtype::int8);
  CHECK(tb::full({2}, 7).sizes() == tb::shape{2});
  CHECK(tb::roll(x, {1, 0}, {0, 1}).sizes() == tb::shape{2, 3});
  CHECK(tb::zeros({}).dim() == 0);
  const tensor image = tb::ones({1, 3, 8, 8}), weight = tb::ones({4, 3, 3, 3});
  CHECK(tb::conv2d(image, weight, {}, {2, 2}).sizes() == tb::shape{1, 4, 3, 3});
  CHECK(tb::conv2d(image, weight, {}, 1, {1, 0}).sizes() == tb::shape{1, 4, 8, 6});
  CHECK(tb::conv2d(image, weight, arg<"stride"> = {2, 1}).sizes() == tb::shape{1, 4, 3, 6});
  CHECK(tb::conv2d(image, weight, arg<"padding"> = "same").sizes() == tb::shape{1, 4, 8, 8});
}

TEST_CASE("overloads: out and other keyword-only arguments go by name", "[ops][overloads]") {
  const tensor a = tb::ones({2}), b = tb::full({2}, 2.0);
  tensor y = tb::empty({2});
  tensor& result = tb::add(a, b, arg<"alpha"> = 3, arg<"out"> = y);
  CHECK(&result == &y);
  CHECK(values(y) == std::vector<double>{7, 7});
  CHECK(values(tb::div(b, a, arg<"rounding_mode"> = "floor")) == std::vector<double>{2, 2});
  auto [greatest, where] = tb::max(b, 0);
  CHECK(tb::item(greatest) == 2);
  CHECK(tb::item(where) == 0);
}

TEST_CASE("overloads: index and slice are operators and items of an index", "[ops][overloads]") {
  const tensor x = tb::reshape(tb::arange(6), {2, 3});
  CHECK(values(tb::index(x, 1, tb::slice(0, 2))) == std::vector<double>{3, 4});
  CHECK(values(tb::index(x, {1, tb::slice(0, 2)})) == std::vector<double>{3, 4});
  CHECK(values(tb::slice(x, 1, 0, 1)) == std::vector<double>{0, 3});
  const std::vector<std::optional<tensor>> indices{std::nullopt, tb::tensor(tb::arange(2))};
  CHECK(tb::index(x, indices).sizes() == tb::shape{2, 2});
}

TEST_CASE("overloads: explain looks at the operator that is meant", "[ops][overloads]") {
  const tensor a = tb::ones({2});
  CHECK(tb::explain(tb::add, a, a).op == "aten::add.Tensor");
  CHECK(tb::explain(tb::add, a, 2).op == "aten::add.Scalar");
  tensor y = tb::ones({2});
  CHECK(tb::explain(tb::add_, y, a).op == "aten::add_.Tensor");
}

TEST_CASE("overloads: a temporary view is written to, and a handle on it returned", "[ops][overloads]") {
  const tensor x = tb::zeros({2, 3});
  tb::copy_(tb::select(x, 0, 1), tb::tensor({1.F, 2, 3}));
  CHECK(values(x) == std::vector<double>{0, 0, 0, 1, 2, 3});
  const auto row = [&] { return tb::select(x, 0, 0); };
  STATIC_REQUIRE(std::is_same_v<decltype(tb::fill_(row(), 4)), tensor>);
  const tensor kept = tb::fill_(row(), 4);
  CHECK(values(kept) == std::vector<double>{4, 4, 4});
  STATIC_REQUIRE(std::is_same_v<decltype(tb::add(x, x, arg<"out"> = row())), tensor>);
  tb::add(tb::select(x, 0, 1), tb::full({3}, 10.0), arg<"out"> = row());
  CHECK(values(row()) == std::vector<double>{11, 12, 13});
  STATIC_REQUIRE(std::is_same_v<decltype(tb::sum(x, {0}, arg<"out"> = row())), tensor>);
  tb::sum(x, {0}, arg<"out"> = row());
  CHECK(values(row()) == std::vector<double>{12, 14, 16});
  tensor indices = tb::empty({2}, arg<"dtype"> = dtype::int64);
  auto [greatest, where] = tb::max(x, 1, arg<"max"> = tb::select(tb::zeros({1, 2}), 0, 0), arg<"max_values"> = indices);
  CHECK(values(greatest) == std::vector<double>{16, 3});
  const std::vector<double> before = values(tb::select(x, 0, 1));
  tb::index_put_(row(), {std::optional<tensor>(tb::tensor({0, 2}))}, tb::tensor({1.F, 2.F}));
  CHECK(values(row()) == std::vector<double>{1, 14, 2});
  CHECK(values(tb::select(x, 0, 1)) == before);
  tensor y = tb::zeros({2});
  STATIC_REQUIRE(std::is_same_v<decltype(tb::fill_(y, 4)), tensor&>);
  STATIC_REQUIRE_FALSE(means_something<tb::fill_, const tensor&, int>);
}

TEST_CASE("overloads: a handle writes to a temporary view in every form of a call", "[ops][overloads]") {
  const tensor x = tb::zeros({2, 2}), one = tb::ones({2});
  const auto row = [&](std::int64_t i) { return tb::select(x, 0, i); };
  STATIC_REQUIRE(std::is_same_v<decltype(aten::zero_(row(0))), tensor>);
  aten::fill_Scalar_(row(0), 4);
  CHECK(values(x) == std::vector<double>{4, 4, 0, 0});
  aten::add_out(one, one, 3, row(1));
  CHECK(values(x) == std::vector<double>{4, 4, 4, 4});
  aten::zero_(row(0));
  aten::add_out(one, one, arg<"out"> = row(1));
  CHECK(values(x) == std::vector<double>{0, 0, 2, 2});
  using add_out = std::remove_const_t<decltype(aten::add_out)>;
  STATIC_REQUIRE(tb::callable_with<add_out, in, in, int, tensor>);
  STATIC_REQUIRE(std::is_invocable_v<add_out, in, in, int, tensor>);
  STATIC_REQUIRE_FALSE(tb::callable_with<add_out, in, in, int, in>);
}

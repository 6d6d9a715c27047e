// Gradients of scans, cross products, and what orders. Where functions have corners, the values are PyTorch's.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/gradient_at.h"
#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_elements;
using support::check_gradients;
using support::gradient_at;
using support::second_gradient_at;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using numbers = std::vector<double>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto float64 = tb::dtype::float64;

template <class F>
void check_dim(const std::string& name, F f, double low = -2) {
  for (const auto& [sizes, dim] : std::vector<std::pair<tb::shape, std::int64_t>>{
           {{2, 3}, 0}, {{2, 3}, -1}, {{2, 4, 2}, 1}, {{5}, 0}, {{1}, 0}, {{}, 0}, {{}, -1}}) {
    check_gradients({name + " of " + tb::to_string(sizes) + " along " + std::to_string(dim),
                     {sizes},
                     [&](in x) { return f(x[0], dim); },
                     low});
  }
}
out value(const std::tuple<tensor, tensor>& found) { return {std::get<0>(found)}; }

}  // namespace

TEST_CASE("scan gradients: cumulative sums and products", "[gradients]") {
  check_dim("cumsum", [](auto& x, std::int64_t dim) { return out{aten::cumsum(x, dim)}; });
  check_dim("cumsum in float64", [](auto& x, std::int64_t dim) { return out{aten::cumsum(x, dim, float64)}; });
  check_dim("cumsum_", [](auto& x, std::int64_t dim) {
    tensor y = aten::clone(x);
    aten::cumsum_(y, dim);
    return out{y};
  });
  check_dim("cumprod", [](auto& x, std::int64_t dim) { return out{aten::cumprod(x, dim)}; });
  check_dim("cumprod in float64", [](auto& x, std::int64_t dim) { return out{aten::cumprod(x, dim, float64)}; });
  check_dim("cumprod_", [](auto& x, std::int64_t dim) {
    tensor y = aten::clone(x);
    aten::cumprod_(y, dim);
    return out{y};
  });
  check_gradients({"diff", {{2, 4}}, [](in x) { return out{aten::diff(x[0], 2)}; }});
}

TEST_CASE("scan gradients: cumulative products with zeros", "[gradients]") {
  const auto f = [](const tensor& x) { return aten::cumprod(x, 0); };
  check_elements(gradient_at(f, {2, 0, 3, 4}, {4}), {1, 32, 0, 0});
  check_elements(second_gradient_at(f, {2, 0, 3, 4}, {4}), {32, 70, 20, 12});
  check_elements(gradient_at(f, {2, 0, 3, 0, 5}, {5}), {1, 8, 0, 0, 0});
  check_elements(second_gradient_at(f, {2, 0, 3, 0, 5}, {5}), {8, 154, 4, 72, 0});
}

TEST_CASE("scan gradients: a cumulative product too small for division", "[gradients]") {
  check_elements(gradient_at([](auto& x) { return aten::cumprod(x, 0); }, {1e-200, 1e-200, 2}, {3}, {1, 0, 1e200}),
                 {1 + 2, 2, 0});
}

TEST_CASE("scan gradients: logcumsumexp", "[gradients]") {
  check_dim("logcumsumexp", [](auto& x, std::int64_t dim) { return out{aten::logcumsumexp(x, dim)}; });
  const auto f = [](const tensor& x) { return aten::logcumsumexp(x, 0); };
  check_elements(gradient_at(f, {-1000, 1000, 2}, {3}), {1, 2, 0});
  check_elements(gradient_at(f, {-infinity, 1, 2}, {3}), {not_a_number, 1.2689414213699952, 0.7310585786300048});
  const numbers signs{1, 0, -2};
  check_elements(gradient_at(f, {0, 1, 2}, {3}, signs), {0.819938853659239, -0.48945694210959545, -1.3304819115496442});
}

TEST_CASE("scan gradients: logcumsumexp has second gradients where a gradient is 0", "[gradients]") {
  // The same, one element at a time, by an operator that needs no logarithm of a gradient.
  const auto by_elements = [](const tensor& x) {
    out rows;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t all[] = {0};
      rows.push_back(aten::logsumexp(aten::slice_Tensor(x, 0, 0, i + 1), all, true));
    }
    return aten::cat(rows);
  };
  const auto scanned = [](const tensor& x) { return aten::logcumsumexp(x, 0); };
  const numbers x{0.3, 1, 0.7};
  for (const numbers& weights : {numbers{1, 0, -2}, numbers{0, 0, 0}, numbers{0, 1, 0}}) {
    check_elements(second_gradient_at(scanned, x, {3}, weights), second_gradient_at(by_elements, x, {3}, weights));
    // By the weights too, which are the gradient that the rule gets.
    const auto by_weights = [&](const auto& f) {
      const tensor t = tb::require_grad(support::tensor_of(x, {3}));
      const tensor w = tb::require_grad(support::tensor_of(weights, {3}));
      const tensor g = tb::grad(aten::sum(f(t) * w), t, {.create_graph = true});
      return support::values(tb::grad(aten::sum(g * support::tensor_of({1, 2, 3}, {3})), w));
    };
    check_elements(by_weights(scanned), by_weights(by_elements));
  }
}

TEST_CASE("scan gradients: cummax and cummin", "[gradients]") {
  check_dim("cummax", [](auto& x, std::int64_t dim) { return value(aten::cummax(x, dim)); });
  check_dim("cummin", [](auto& x, std::int64_t dim) { return value(aten::cummin(x, dim)); });
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::cummax(x, 0)); }, {1, 3, 3, 2}, {4}), {1, 1, 2, 0});
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::cummin(x, 0)); }, {3, 1, 2, 1}, {4}, {1, 2, 3, 4}),
                 {1, 5, 0, 4});
}

TEST_CASE("scan gradients: sort and related operators", "[gradients]") {
  for (const bool falling : {false, true}) {
    check_dim("sort", [=](auto& x, std::int64_t dim) { return value(aten::sort(x, dim, falling)); });
    check_dim("sort.stable", [=](auto& x, std::int64_t dim) {
      return value(
          aten::sort_stable(x, tb::arg<"stable"> = true, tb::arg<"dim"> = dim, tb::arg<"descending"> = falling));
    });
    check_dim("topk", [=](auto& x, std::int64_t dim) { return value(aten::topk(x, 1, dim, falling)); });
    check_gradients({"topk 2", {{2, 4}}, [=](in x) { return value(aten::topk(x[0], 2, -1, falling, false)); }});
    check_gradients({"topk 2 along 0", {{3, 2}}, [=](in x) { return value(aten::topk(x[0], 2, 0, falling)); }});
  }
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::sort(x)); }, {2, 1, 1}, {3}, {1, 10, 100}),
                 {100, 1, 10});
}

TEST_CASE("scan gradients: indices have none", "[gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({3, 1, 2}, {3}));
  for (const tensor& y :
       {aten::argsort(x), std::get<1>(aten::sort(x)), std::get<1>(aten::topk(x, 2)), std::get<1>(aten::cummax(x, 0)),
        aten::searchsorted_Tensor(x, x), aten::bucketize_Tensor(x, x)})
    CHECK_FALSE(tb::requires_grad(y));
}

TEST_CASE("scan gradients: cross products", "[gradients]") {
  check_gradients({"linalg_cross", {{2, 3}, {2, 3}}, [](in x) { return out{aten::linalg_cross(x[0], x[1])}; }});
  check_gradients({"linalg_cross along 0", {{3, 2}, {3, 2}}, [](in x) {
                     return out{aten::linalg_cross(x[0], x[1], tb::arg<"dim"> = 0)};
                   }});
  check_gradients(
      {"linalg_cross, broadcast", {{1, 3}, {2, 3}}, [](in x) { return out{aten::linalg_cross(x[0], x[1])}; }});
  check_gradients(
      {"cross of the first of two dimensions", {{3, 3}, {3, 3}}, [](in x) { return out{aten::cross(x[0], x[1])}; }});
  check_gradients(
      {"cross of the second dimension", {{2, 3}, {2, 3}}, [](in x) { return out{aten::cross(x[0], x[1])}; }});
  check_gradients({"cross, broadcast", {{1, 3}, {3, 3}}, [](in x) { return out{aten::cross(x[0], x[1])}; }});
  check_gradients({"cross along -2", {{3, 2}, {3, 2}}, [](in x) { return out{aten::cross(x[0], x[1], -2)}; }});
}

TEST_CASE("scan gradients: of empty tensors", "[gradients]") {
  using f = support::one_tensor_function;
  for (const tb::shape& sizes : {tb::shape{0, 3}, tb::shape{3, 0}}) {
    for (const f& scan : {f([](auto& x) { return aten::cumsum(x, 1); }), f([](auto& x) { return aten::cumprod(x, 1); }),
                          f([](auto& x) { return aten::logcumsumexp(x, 1); }),
                          f([](auto& x) { return std::get<0>(aten::cummax(x, 1)); }),
                          f([](auto& x) { return std::get<0>(aten::sort(x)); }),
                          f([](auto& x) { return std::get<0>(aten::topk(x, 0)); })}) {
      CHECK(gradient_at(scan, {}, sizes).empty());
    }
  }
}

TEST_CASE("scan gradients: unique has no gradient, which is an error", "[gradients]") {
  using f = support::one_tensor_function;
  for (const f& different : {f([](auto& x) { return std::get<0>(aten::_unique(x)); }),
                             f([](auto& x) { return std::get<0>(aten::_unique2(x)); }),
                             f([](auto& x) { return std::get<0>(aten::unique_dim(x, 0)); }),
                             f([](auto& x) { return std::get<0>(aten::unique_consecutive(x)); }),
                             f([](auto& x) { return std::get<0>(aten::unique_dim_consecutive(x, 0)); })}) {
    std::string text;
    try {
      gradient_at(different, {1, 2, 2}, {3});
    } catch (const tb::error& e) {
      text = e.what();
    }
    INFO(text);
    CHECK(text.find("has no derivative; detach() its argument") != std::string::npos);
  }
}

// Gradients of reductions, and what is computed row by row. Where functions have corners, the values are PyTorch's.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
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

// The dimensions of a call: none given, or a list of them.
struct dims_case {
  tb::shape sizes;
  std::optional<tb::shape> dim;
  std::optional<std::span<const std::int64_t>> list() const {
    if (!dim) return std::nullopt;
    return std::span<const std::int64_t>(*dim);
  }
};
const std::vector<dims_case> some_dims{{{2, 3}, std::nullopt},       {{2, 3}, tb::shape{}}, {{2, 3, 2}, tb::shape{-1}},
                                       {{2, 3, 2}, tb::shape{0, 2}}, {{}, std::nullopt},    {{}, tb::shape{0}}};

// A reduction that takes such a list, and keepdim.
template <class F>
void check_dims(const std::string& name, F reduce, const std::vector<dims_case>& cases = some_dims, double low = -2) {
  for (const dims_case& c : cases) {
    for (const bool keepdim : {false, true}) {
      check_gradients({name + " of " + tb::to_string(c.sizes) + (c.dim ? " over " + tb::to_string(*c.dim) : "") +
                           (keepdim ? ", keepdim" : ""),
                       {c.sizes},
                       [&](in x) { return out{reduce(x[0], c, keepdim)}; },
                       low});
    }
  }
}
// One that takes one dimension, and keepdim.
template <class F>
void check_dim(const std::string& name, F reduce) {
  for (const auto& [sizes, dim] : std::vector<std::pair<tb::shape, std::int64_t>>{
           {{2, 3}, 0}, {{2, 3}, -1}, {{2, 3, 2}, 1}, {{3}, 0}, {{1}, 0}, {{}, 0}, {{}, -1}}) {
    for (const bool keepdim : {false, true}) {
      check_gradients(
          {name + " of " + tb::to_string(sizes) + " over " + std::to_string(dim) + (keepdim ? ", keepdim" : ""),
           {sizes},
           [&](in x) { return reduce(x[0], dim, keepdim); }});
    }
  }
}

const std::vector<tb::shape> some_sizes{{2, 3}, {5}, {1}, {}};

}  // namespace

TEST_CASE("reduce gradients: sums", "[gradients]") {
  for (const tb::shape& sizes : some_sizes) {
    check_gradients({"sum", {sizes}, [](in x) { return out{aten::sum(x[0])}; }});
    check_gradients({"mean", {sizes}, [](in x) { return out{aten::mean(x[0])}; }});
    check_gradients({"sum in float64", {sizes}, [](in x) { return out{aten::sum(x[0], float64)}; }});
    check_gradients({"nansum", {sizes}, [](in x) { return out{aten::nansum(x[0])}; }});
  }
  check_dims("sum", [](auto& x, auto& c, bool keep) { return aten::sum_dim_IntList(x, c.list(), keep); });
  check_dims("mean", [](auto& x, auto& c, bool keep) { return aten::mean_dim(x, c.list(), keep); });
  check_dims("nansum", [](auto& x, auto& c, bool keep) { return aten::nansum(x, c.list(), keep); });
  check_dims("nansum in float64", [](auto& x, auto& c, bool keep) { return aten::nansum(x, c.list(), keep, float64); });
}

TEST_CASE("reduce gradients: elements ignored by nansum have none", "[gradients]") {
  check_elements(gradient_at([](auto& x) { return aten::nansum(x); }, {1, not_a_number, 2}, {3}), {1, 0, 1});
  const tb::shape last{-1};
  check_elements(gradient_at([&](auto& x) { return aten::nansum(x, std::span<const std::int64_t>(last)); },
                             {1, not_a_number, 2, not_a_number}, {2, 2}, {3, 4}),
                 {3, 0, 4, 0});
}

TEST_CASE("reduce gradients: products", "[gradients]") {
  for (const tb::shape& sizes : some_sizes) {
    check_gradients({"prod", {sizes}, [](in x) { return out{aten::prod(x[0])}; }});
    check_gradients({"prod in float64", {sizes}, [](in x) { return out{aten::prod(x[0], float64)}; }});
  }
  check_dim("prod", [](auto& x, std::int64_t dim, bool keep) { return out{aten::prod_dim_int(x, dim, keep)}; });
  check_dim("prod in float64",
            [](auto& x, std::int64_t dim, bool keep) { return out{aten::prod_dim_int(x, dim, keep, float64)}; });
}

TEST_CASE("reduce gradients: products with zeros", "[gradients]") {
  const auto all = [](const tensor& x) { return aten::prod(x); };
  const auto rows = [](const tensor& x) { return aten::prod_dim_int(x, 0); };
  check_elements(gradient_at(all, {2, 0, 3}, {3}), {0, 6, 0});
  check_elements(second_gradient_at(all, {2, 0, 3}, {3}), {6, 9, 4});
  check_elements(gradient_at(all, {2, 0, 0}, {3}), {0, 0, 0});
  check_elements(second_gradient_at(all, {2, 0, 0}, {3}), {0, 6, 4});
  check_elements(gradient_at(rows, {2, 1, 0, 5, 3, 4}, {3, 2}), {0, 20, 6, 4, 0, 5});
  check_elements(second_gradient_at(rows, {2, 0, 0}, {3}), {0, 6, 4});
}

TEST_CASE("reduce gradients: maximum and minimum", "[gradients]") {
  for (const tb::shape& sizes : some_sizes) {
    check_gradients({"max", {sizes}, [](in x) { return out{aten::max(x[0])}; }});
    check_gradients({"min", {sizes}, [](in x) { return out{aten::min(x[0])}; }});
    check_gradients({"aminmax", {sizes}, [](in x) {
                       const auto [least, greatest] = aten::aminmax(x[0]);
                       return out{least, greatest};
                     }});
  }
  const auto list = [](const dims_case& c) { return c.list().value_or(std::span<const std::int64_t>()); };
  check_dims("amax", [&](auto& x, auto& c, bool keep) { return aten::amax(x, list(c), keep); });
  check_dims("amin", [&](auto& x, auto& c, bool keep) { return aten::amin(x, list(c), keep); });
  check_dim("max", [](auto& x, std::int64_t dim, bool keep) { return out{std::get<0>(aten::max_dim(x, dim, keep))}; });
  check_dim("min", [](auto& x, std::int64_t dim, bool keep) { return out{std::get<0>(aten::min_dim(x, dim, keep))}; });
  check_dim("aminmax", [](auto& x, std::int64_t dim, bool keep) {
    const auto [least, greatest] = aten::aminmax(x, tb::arg<"dim"> = dim, tb::arg<"keepdim"> = keep);
    return out{least, greatest};
  });
  check_dim("the least of aminmax", [](auto& x, std::int64_t dim, bool keep) {
    return out{std::get<0>(aten::aminmax(x, tb::arg<"dim"> = dim, tb::arg<"keepdim"> = keep))};
  });
  check_dim("the greatest of aminmax", [](auto& x, std::int64_t dim, bool keep) {
    return out{std::get<1>(aten::aminmax(x, tb::arg<"dim"> = dim, tb::arg<"keepdim"> = keep))};
  });
}

TEST_CASE("reduce gradients: equal elements share the gradient of an extreme, except with an index", "[gradients]") {
  const tb::shape first{0};
  const auto both = [](const tensor& x) {
    const auto [least, greatest] = aten::aminmax(x);
    return least + greatest;
  };
  check_elements(gradient_at([](auto& x) { return aten::max(x); }, {1, 3, 3}, {3}), {0, 0.5, 0.5});
  check_elements(gradient_at([](auto& x) { return aten::min(x); }, {1, 1, 3}, {3}), {0.5, 0.5, 0});
  check_elements(gradient_at([&](auto& x) { return aten::amax(x, first); }, {1, 4, 3, 4, 3, 4}, {3, 2}, {2, 3}),
                 {0, 1, 1, 1, 1, 1});
  check_elements(gradient_at([&](auto& x) { return aten::amin(x, first); }, {1, 1, 3}, {3}), {0.5, 0.5, 0});
  check_elements(gradient_at(both, {1, 1, 3, 3}, {4}), {0.5, 0.5, 0.5, 0.5});
  check_elements(gradient_at(both, {1, 1}, {2}), {1, 1});
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::max_dim(x, 0)); }, {1, 3, 3}, {3}), {0, 1, 0});
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::min_dim(x, 0)); }, {1, 1, 3}, {3}), {1, 0, 0});
}

TEST_CASE("reduce gradients: a NaN that is the result", "[gradients]") {
  const tb::shape first{0};
  check_elements(gradient_at([](auto& x) { return aten::max(x); }, {1, not_a_number, 3}, {3}), {0, 1, 0});
  check_elements(gradient_at([](auto& x) { return aten::min(x); }, {not_a_number, not_a_number, 3}, {3}),
                 {0.5, 0.5, 0});
  check_elements(gradient_at([&](auto& x) { return aten::amax(x, first); }, {1, not_a_number, 3}, {3}),
                 {not_a_number, not_a_number, not_a_number});
  check_elements(gradient_at([](auto& x) { return std::get<0>(aten::aminmax(x)); }, {1, not_a_number}, {2}),
                 {not_a_number, not_a_number});
  check_elements(
      gradient_at([](auto& x) { return std::get<0>(aten::max_dim(x, 0)); }, {1, not_a_number, not_a_number}, {3}),
      {0, 1, 0});
  check_elements(gradient_at([](auto& x) { return aten::median(x); }, {1, not_a_number, 2, 3}, {4}), {0, 1, 0, 0});
  check_elements(gradient_at([](auto& x) { return aten::median(x); }, {not_a_number, not_a_number}, {2}), {0.5, 0.5});
  check_elements(gradient_at([](auto& x) { return aten::nanmedian(x); }, {not_a_number, not_a_number}, {2}),
                 {0.5, 0.5});
  check_elements(gradient_at([](auto& x) { return aten::nanmedian(x); }, {1, not_a_number, 2, 2}, {4}),
                 {0, 0, 0.5, 0.5});
}

TEST_CASE("reduce gradients: order statistics", "[gradients]") {
  for (const tb::shape& sizes : some_sizes) {
    check_gradients({"median", {sizes}, [](in x) { return out{aten::median(x[0])}; }});
    check_gradients({"nanmedian", {sizes}, [](in x) { return out{aten::nanmedian(x[0])}; }});
  }
  const auto value = [](const std::tuple<tensor, tensor>& found) { return out{std::get<0>(found)}; };
  check_dim("median", [&](auto& x, std::int64_t dim, bool keep) { return value(aten::median_dim(x, dim, keep)); });
  check_dim("nanmedian",
            [&](auto& x, std::int64_t dim, bool keep) { return value(aten::nanmedian_dim(x, dim, keep)); });
  check_dim("mode", [&](auto& x, std::int64_t dim, bool keep) { return value(aten::mode(x, dim, keep)); });
  check_dim("kthvalue", [&](auto& x, std::int64_t dim, bool keep) { return value(aten::kthvalue(x, 1, dim, keep)); });
  check_gradients({"kthvalue 2", {{2, 4}}, [&](in x) { return value(aten::kthvalue(x[0], 2)); }});
}

TEST_CASE("reduce gradients: equal elements share the gradient of a full median only", "[gradients]") {
  const numbers x{1, 2, 2, 3};
  check_elements(gradient_at([](auto& t) { return aten::median(t); }, x, {4}), {0, 0.5, 0.5, 0});
  check_elements(gradient_at([](auto& t) { return std::get<0>(aten::median_dim(t, 0)); }, x, {4}), {0, 1, 0, 0});
  check_elements(gradient_at([](auto& t) { return std::get<0>(aten::kthvalue(t, 2)); }, x, {4}), {0, 1, 0, 0});
  check_elements(gradient_at([](auto& t) { return std::get<0>(aten::mode(t)); }, x, {4}), {0, 0, 1, 0});
}

TEST_CASE("reduce gradients: logsumexp", "[gradients]") {
  const auto list = [](const dims_case& c) { return c.list().value_or(std::span<const std::int64_t>()); };
  check_dims("logsumexp", [&](auto& x, auto& c, bool keep) { return aten::logsumexp(x, list(c), keep); });
  const tb::shape first{0};
  const auto f = [&](const tensor& x) { return aten::logsumexp(x, first); };
  check_elements(gradient_at(f, {-infinity, 1}, {2}), {0, 1});
  check_elements(gradient_at(f, {-infinity, -infinity}, {2}), {not_a_number, not_a_number});
  check_elements(gradient_at(f, {infinity, 1}, {2}), {not_a_number, 0});
  check_elements(gradient_at(f, {1000, 1000}, {2}), {0.5, 0.5});
}

TEST_CASE("reduce gradients: variance and standard deviation", "[gradients]") {
  // Of more than one element, else the root of 0 is asked for.
  const std::vector<dims_case> cases(some_dims.begin(), some_dims.begin() + 4);
  for (const std::int64_t correction : {0, 1}) {
    const auto by = [=](auto& op) {
      return [=, &op](auto& x, auto& c, bool keep) { return op(x, c.list(), correction, keep); };
    };
    check_dims("var", by(aten::var_correction), cases);
    check_dims("std", by(aten::std_correction), cases);
  }
  check_dims(
      "var without a correction",
      [](auto& x, auto& c, bool keep) { return aten::var_correction(x, c.list(), std::nullopt, keep); }, cases);
  check_gradients({"var and mean", {{2, 3}}, [](in x) {
                     const auto [var, mean] = aten::var_mean(x[0]);
                     return out{var, mean};
                   }});
  check_gradients({"std and mean", {{2, 3}}, [](in x) {
                     const auto [stddev, mean] = aten::std_mean(x[0], false);
                     return out{stddev, mean};
                   }});
}

TEST_CASE("reduce gradients: the variance of few or equal elements", "[gradients]") {
  const auto var = [](std::int64_t correction) {
    return [=](const tensor& x) { return aten::var_correction(x, std::nullopt, tb::arg<"correction"> = correction); };
  };
  const auto stddev = [](std::int64_t correction) {
    return [=](const tensor& x) { return aten::std_correction(x, std::nullopt, tb::arg<"correction"> = correction); };
  };
  for (const tb::shape& one : {tb::shape{}, tb::shape{1}}) {
    check_elements(gradient_at(var(0), {3}, one), {0});
    check_elements(gradient_at(stddev(0), {3}, one), {0});
    check_elements(gradient_at(var(1), {3}, one), {not_a_number});
    check_elements(gradient_at(stddev(1), {3}, one), {not_a_number});
  }
  check_elements(gradient_at(var(2), {3, 5}, {2}), {infinity, infinity});
  check_elements(gradient_at(stddev(2), {3, 5}, {2}), {not_a_number, not_a_number});
  check_elements(gradient_at(stddev(1), {3, 3, 3}, {3}), {0, 0, 0});
  check_elements(second_gradient_at(stddev(1), {3, 3, 3}, {3}), {0, 0, 0});
  const tb::shape last{1};
  const auto rows = [&](std::int64_t correction) {
    return [&, correction](const tensor& x) {
      return aten::var_correction(x, std::span<const std::int64_t>(last), tb::arg<"correction"> = correction);
    };
  };
  check_elements(gradient_at(rows(1), {3, 4}, {2, 1}), {not_a_number, not_a_number});
  check_elements(gradient_at(rows(2), {3, 4}, {2, 1}), {0, 0});
}

TEST_CASE("reduce gradients: norms of every order", "[gradients]") {
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.5, infinity, -infinity}) {
    const std::string order = " of order " + std::to_string(p);
    check_dims(
        "linalg_vector_norm" + order,
        [=](auto& x, auto& c, bool keep) { return aten::linalg_vector_norm(x, p, c.list(), keep); },
        {{{2, 3}, std::nullopt}, {{2, 3, 2}, tb::shape{0, -1}}, {{}, std::nullopt}}, 0.4);
    check_gradients({"norm" + order, {{5}}, [=](in x) { return out{aten::norm_Scalar(x[0], p)}; }, -1.5});
  }
}

TEST_CASE("reduce gradients: every form of a norm", "[gradients]") {
  const tb::shape last{-1};
  for (const tb::shape& sizes : some_sizes) {
    check_gradients({"norm", {sizes}, [](in x) { return out{aten::norm_Scalar(x[0])}; }});
    check_gradients({"norm.ScalarOpt_dtype", {sizes}, [](in x) {
                       return out{aten::norm_ScalarOpt_dtype(x[0], std::nullopt, tb::arg<"dtype"> = float64)};
                     }});
    check_gradients(
        {"norm.ScalarOpt_dim", {sizes}, [&](in x) { return out{aten::norm_ScalarOpt_dim(x[0], 3, last)}; }});
    check_gradients({"norm.ScalarOpt_dim_dtype", {sizes}, [&](in x) {
                       return out{aten::norm_ScalarOpt_dim_dtype(x[0], 3, last, true, tb::arg<"dtype"> = float64)};
                     }});
    check_gradients({"linalg_vector_norm in float64", {sizes}, [&](in x) {
                       return out{aten::linalg_vector_norm(x[0], tb::arg<"dtype"> = float64)};
                     }});
  }
}

TEST_CASE("reduce gradients: norms at zeros and equal elements", "[gradients]") {
  struct one {
    double p;
    numbers at, wanted;
  };
  for (const one& c :
       std::vector<one>{{0, {3, 0, -4}, {0, 0, 0}},
                        {0.5, {0, 0}, {0, 0}},
                        {0.5, {3, 0, -4}, {2.154700538379252, 0, -1.8660254037844386}},
                        {1, {3, 0, -4}, {1, 0, -1}},
                        {1.5, {0, 0}, {0, 0}},
                        {1.5, {3, 0, -4}, {0.7329564758289748, 0, -0.8463452372482761}},
                        {2, {0, 0}, {0, 0}},
                        {2, {3, 0, -4}, {0.6, 0, -0.8}},
                        {3, {0, 0}, {0, 0}},
                        {3, {3, 0, -4}, {0.4448513517305356, 0, -0.7908468475209521}},
                        {-1, {0, 0}, {0, 0}},
                        {-1, {3, 0, -4}, {0, 0, 0}},
                        {-2, {3, -3, 1}, {0.027410122234342138, -0.027410122234342138, 0.7400733003272377}},
                        {infinity, {0, 0}, {0, 0}},
                        {infinity, {3, -3, 1}, {0.5, -0.5, 0}},
                        {-infinity, {3, 0, -4}, {0, 0, 0}},
                        {-infinity, {3, -3, 1}, {0, 0, 1}},
                        {0.5, {infinity, 1, 2}, {not_a_number, infinity, infinity}},
                        {2, {infinity, 1, 2}, {not_a_number, 0, 0}},
                        {2, {not_a_number, 1, 2}, {not_a_number, not_a_number, not_a_number}},
                        {infinity, {not_a_number, 1, 2}, {0, 0, 0}}}) {
    INFO("order " << c.p << " at " << c.at[0] << ", " << c.at[1]);
    check_elements(
        gradient_at([&](auto& x) { return aten::norm_Scalar(x, c.p); }, c.at, {static_cast<std::int64_t>(c.at.size())}),
        c.wanted);
  }
}

TEST_CASE("reduce gradients: second gradients of a norm are no NaN at zeros", "[gradients]") {
  for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, infinity}) {
    INFO("order " << p);
    check_elements(second_gradient_at([=](auto& x) { return aten::norm_Scalar(x, p); }, {0, 0}, {2}), {0, 0});
  }
  check_elements(second_gradient_at([](auto& x) { return aten::norm_Scalar(x, 2); }, {3, 0, -4}, {3}),
                 {0.416, 0.4, 0.312});
  check_elements(second_gradient_at([](auto& x) { return aten::norm_Scalar(x, 3); }, {3, 0, -4}, {3}),
                 {0.6778687264465304, 0, 0.5084015448348977});
}

TEST_CASE("reduce gradients: distances and angles, which are composed of norms", "[gradients]") {
  for (const double p : {1.0, 2.0, 3.0}) {
    support::gradient_case distances{
        "cdist", {{2, 3}, {4, 3}}, [=](in x) { return out{aten::cdist(x[0] * 1.37, x[1], p)}; }, 0.5, 3};
    distances.narrow = p != 1;  // rounded, some differences have the other sign
    check_gradients(distances);
    check_gradients({"pairwise_distance", {{2, 3}, {2, 3}}, [=](in x) {
                       return out{aten::pairwise_distance(x[0] * 1.37, x[1], p)};
                     }});
  }
  check_gradients(
      {"cosine_similarity", {{2, 3}, {2, 3}}, [](in x) { return out{aten::cosine_similarity(x[0], x[1])}; }});
}

TEST_CASE("reduce gradients: softmax and its logarithm, and their gradients as operators", "[gradients]") {
  for (const auto& [sizes, dim] :
       std::vector<std::pair<tb::shape, std::int64_t>>{{{2, 3}, 0}, {{2, 3, 2}, 1}, {{2, 3}, -1}, {{1}, 0}, {{}, 0}}) {
    check_gradients({"softmax", {sizes}, [&](in x) { return out{aten::softmax_int(x[0], dim)}; }});
    check_gradients({"log_softmax", {sizes}, [&](in x) { return out{aten::log_softmax_int(x[0], dim)}; }});
    check_gradients({"_softmax", {sizes}, [&](in x) { return out{aten::_softmax(x[0], dim, false)}; }});
    check_gradients({"_log_softmax", {sizes}, [&](in x) { return out{aten::_log_softmax(x[0], dim, false)}; }});
    check_gradients({"_softmax_backward_data", {sizes, sizes}, [&](in x) {
                       return out{aten::_softmax_backward_data(x[0], x[1], dim, x[1].dtype())};
                     }});
    check_gradients({"_log_softmax_backward_data", {sizes, sizes}, [&](in x) {
                       return out{aten::_log_softmax_backward_data(x[0], x[1], dim, x[1].dtype())};
                     }});
  }
}

TEST_CASE("reduce gradients: of empty tensors", "[gradients]") {
  const tb::shape nothing{0}, no_rows{0, 2}, last{-1};
  using f = support::one_tensor_function;
  for (const f& reduce : {f([](auto& x) { return aten::sum(x); }), f([](auto& x) { return aten::nansum(x); }),
                          f([](auto& x) { return aten::prod(x); }), f([](auto& x) { return aten::var(x); }),
                          f([](auto& x) { return aten::std(x); }), f([](auto& x) { return aten::norm_Scalar(x); }),
                          f([](auto& x) { return aten::norm_Scalar(x, 3); }),
                          f([](auto& x) { return aten::median(x); }), f([](auto& x) { return aten::nanmedian(x); })}) {
    CHECK(gradient_at(reduce, {}, nothing).empty());
  }
  for (const f& reduce :
       {f([](auto& x) { return aten::prod_dim_int(x, 1); }), f([](auto& x) { return aten::prod_dim_int(x, 0); }),
        f([&](auto& x) { return aten::amax(x, last); }), f([](auto& x) { return std::get<0>(aten::max_dim(x, 1)); }),
        f([](auto& x) { return std::get<0>(aten::median_dim(x, 1)); }),
        f([&](auto& x) { return aten::logsumexp(x, last); }),
        f([&](auto& x) { return aten::norm_ScalarOpt_dim(x, infinity, last); }),
        f([&](auto& x) { return aten::softmax_int(x, 0); }), f([&](auto& x) { return aten::log_softmax_int(x, 1); })}) {
    CHECK(gradient_at(reduce, {}, no_rows).empty());
  }
}

TEST_CASE("reduce gradients: boolean, counting and index results have none", "[gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 0, 2}, {3}));
  for (const tensor& y : {aten::all(x), aten::any(x), aten::all_dim(x, 0), aten::any_dim(x, 0), aten::argmax(x),
                          aten::argmin(x), aten::count_nonzero(x), std::get<1>(aten::max_dim(x, 0))})
    CHECK_FALSE(tb::requires_grad(y));
}

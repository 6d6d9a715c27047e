// Random calls of every differentiable reduction, and of what goes along a dimension; see support/random_gradients.h.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/random_gradients.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using support::small_shape;
using tb::dims;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What a reduction is told beside its tensor.
struct over {
  std::optional<dims> list;
  bool keepdim = false;
  std::optional<std::span<const std::int64_t>> given() const {
    if (!list) return std::nullopt;
    return std::span<const std::int64_t>(*list);
  }
  std::span<const std::int64_t> given_or_all() const { return given().value_or(std::span<const std::int64_t>()); }
};

// Some dimensions, each once, from the front or the back; perhaps none, and perhaps no list of them.
over any_over(source& s, const dims& sizes) {
  over o{std::nullopt, s.whole(0, 1) == 0};
  if (s.whole(0, 4) == 0) return o;
  o.list.emplace();
  const auto n = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t d = 0; d < n; ++d) {
    if (s.whole(0, 1) == 0) o.list->push_back(s.whole(0, 1) == 0 ? d : d - n);
  }
  return o;
}
std::string text_of(const over& o) {
  return (o.list ? "over " + tb::to_string(*o.list) : std::string("over all")) + (o.keepdim ? ", keepdim" : "");
}
// Some dimension, from the front or the back; 0 or -1 where there is none.
std::int64_t any_dim(source& s, const dims& sizes) {
  const auto n = std::max<std::int64_t>(static_cast<std::int64_t>(sizes.size()), 1);
  return s.whole(-n, n - 1);
}

// What a rule needs of the sizes and elements.
struct needs {
  bool elements = false;  // of no elements it has no value
  bool several = false;   // of one element it has no derivative
  bool distinct = false;  // of equal elements it has none
  double low = -2, narrow = 1;
  bool twice = true;
};
dims shape_for(source& s, const needs& n) {
  dims sizes = small_shape(s, n.several ? 1 : 0, 4, !n.elements && !n.several);
  for (std::size_t d = 0; n.several && d < sizes.size(); ++d) {
    if (sizes[d] == 1 && tb::numel(sizes) < 8) sizes[d] = 2;
  }
  return sizes;
}
bool is_of_several(const dims& sizes, const over& o) {
  std::int64_t count = 1;
  const auto n = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t d = 0; d < n; ++d) {
    const bool over_this = !o.list || o.list->empty() || std::ranges::find(*o.list, d) != o.list->end() ||
                           std::ranges::find(*o.list, d - n) != o.list->end();
    if (over_this) count *= sizes[static_cast<std::size_t>(d)];
  }
  return count > 1;
}

random_rule of_dims(const std::string& name, std::function<out(T, const over&)> f, const needs& n = {}) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const dims sizes = shape_for(s, n);
            over o = any_over(s, sizes);
            if (n.several && !is_of_several(sizes, o)) o.list.reset();
            return {{sizes}, [=](in x) { return f(x[0], o); }, text_of(o)};
          },
          .low = n.low,
          .repeats = !n.distinct && !n.several,
          .twice = n.twice,
          .narrow = n.narrow};
}
random_rule of_dim(const std::string& name, std::function<out(T, std::int64_t, bool)> f, const needs& n = {}) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const dims sizes = shape_for(s, n);
            const std::int64_t dim = any_dim(s, sizes);
            const bool flag = s.whole(0, 1) == 0;
            return {{sizes},
                    [=](in x) { return f(x[0], dim, flag); },
                    "along " + std::to_string(dim) + (flag ? ", true" : ", false")};
          },
          .low = n.low,
          .repeats = !n.distinct,
          .twice = n.twice,
          .narrow = n.narrow};
}
random_rule of_all(const std::string& name, std::function<out(T)> f, const needs& n = {}) {
  return of_dims(name, [f](T x, const over&) { return f(x); }, n);
}

out first(const std::tuple<tensor, tensor>& found) { return {std::get<0>(found)}; }
out both(const std::tuple<tensor, tensor>& found) { return {std::get<0>(found), std::get<1>(found)}; }

constexpr needs some{.elements = true}, order{.elements = true, .distinct = true};

}  // namespace

TEST_CASE("random gradients: reductions over any dimensions", "[gradients][random]") {
  using tb::arg;
  std::vector<random_rule> rules{
      of_dims("sum", [](T x, const over& o) { return out{ops::sum_dim(x, o.given(), o.keepdim)}; }),
      of_dims(
          "mean", [](T x, const over& o) { return out{ops::mean_dim(x, o.given(), o.keepdim)}; }, some),
      of_dims("nansum", [](T x, const over& o) { return out{ops::nansum(x, o.given(), o.keepdim)}; }),
      of_dims(
          "amax", [](T x, const over& o) { return out{ops::amax(x, o.given_or_all(), o.keepdim)}; }, order),
      of_dims(
          "amin", [](T x, const over& o) { return out{ops::amin(x, o.given_or_all(), o.keepdim)}; }, order),
      of_dims(
          "logsumexp", [](T x, const over& o) { return out{ops::logsumexp(x, o.given_or_all(), o.keepdim)}; }, some),
  };
  for (const std::int64_t correction : {0, 1}) {
    const std::string name = ", correction " + std::to_string(correction);
    const needs several{.several = true, .narrow = 4};
    rules.push_back(of_dims(
        "var" + name, [=](T x, const over& o) { return out{ops::var_correction(x, o.given(), correction, o.keepdim)}; },
        several));
    rules.push_back(of_dims(
        "std" + name,
        [=](T x, const over& o) { return out{ops::stddev_correction(x, o.given(), correction, o.keepdim)}; }, several));
    rules.push_back(of_dims(
        "var_mean" + name,
        [=](T x, const over& o) { return both(ops::var_mean_correction(x, o.given(), correction, o.keepdim)); },
        several));
  }
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, infinity, -infinity}) {
    rules.push_back(
        of_dims("linalg_vector_norm of order " + tb::to_string(tb::scalar(p)),
                [=](T x, const over& o) { return out{ops::linalg_vector_norm(x, p, o.given(), o.keepdim)}; },
                {.elements = true, .distinct = std::abs(p) == infinity, .low = 0.4, .narrow = 2}));
  }
  check_random_rules(rules, 50);
}

TEST_CASE("random gradients: reductions of all elements, or of one dimension", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {of_all("sum of all", [](T x) { return out{ops::sum(x)}; }),
       of_all(
           "mean of all", [](T x) { return out{ops::mean(x)}; }, some),
       of_all("prod of all", [](T x) { return out{ops::prod(x)}; }, {.narrow = 4}),
       of_all(
           "max of all", [](T x) { return out{ops::max(x)}; }, order),
       of_all(
           "min of all", [](T x) { return out{ops::min(x)}; }, order),
       of_all(
           "median of all", [](T x) { return out{ops::median(x)}; }, order),
       of_all(
           "nanmedian of all", [](T x) { return out{ops::nanmedian(x)}; }, order),
       of_all(
           "aminmax of all", [](T x) { return both(ops::aminmax(x)); }, order),
       of_all("norm", [](T x) { return out{ops::norm(x)}; }, {.elements = true, .low = 0.4}),
       of_all("norm.ScalarOpt_dtype", [](T x) { return out{ops::norm_dtype(x, 3, arg<"dtype"> = tb::dtype::float64)}; },
              {.elements = true, .low = 0.4}),
       of_dim("norm.ScalarOpt_dim",
              [](T x, std::int64_t d, bool keep) { return out{ops::norm_dim(x, 3, dims{d}, keep)}; },
              {.elements = true, .low = 0.4, .narrow = 2}),
       of_dim("norm.ScalarOpt_dim_dtype",
              [](T x, std::int64_t d, bool keep) {
                return out{ops::norm_dim_dtype(x, 3, dims{d}, keep, arg<"dtype"> = tb::dtype::float64)};
              },
              {.elements = true, .low = 0.4, .narrow = 2}),
       of_dim("prod", [](T x, std::int64_t d, bool keep) { return out{ops::prod_dim(x, d, keep)}; }, {.narrow = 4}),
       of_dim(
           "max", [](T x, std::int64_t d, bool keep) { return first(ops::max_dim(x, d, keep)); }, order),
       of_dim(
           "min", [](T x, std::int64_t d, bool keep) { return first(ops::min_dim(x, d, keep)); }, order),
       of_dim(
           "median", [](T x, std::int64_t d, bool keep) { return first(ops::median_dim(x, d, keep)); }, order),
       of_dim(
           "nanmedian", [](T x, std::int64_t d, bool keep) { return first(ops::nanmedian_dim(x, d, keep)); }, order),
       of_dim(
           "mode", [](T x, std::int64_t d, bool keep) { return first(ops::mode(x, d, keep)); }, order),
       of_dim(
           "kthvalue",
           [](T x, std::int64_t d, bool keep) {
             const std::int64_t last = x.dim() == 0 ? 1 : x.size(d);
             return first(ops::kthvalue(x, (last + 1) / 2, d, keep));
           },
           order),
       of_dim(
           "aminmax",
           [](T x, std::int64_t d, bool keep) { return both(ops::aminmax(x, arg<"dim"> = d, arg<"keepdim"> = keep)); },
           order)},
      50);
}

TEST_CASE("random gradients: softmax, scans and sorting", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {of_dim("softmax", [](T x, std::int64_t d, bool) { return out{ops::softmax(x, d)}; }),
       of_dim("log_softmax", [](T x, std::int64_t d, bool) { return out{ops::log_softmax(x, d)}; }),
       of_dim("_softmax_backward_data",
              [](T x, std::int64_t d, bool) { return out{ops::softmax_backward(x, x * 0.7 + 0.1, d, x.dtype())}; },
              {.narrow = 4}),
       of_dim("_log_softmax_backward_data",
              [](T x, std::int64_t d, bool) { return out{ops::log_softmax_backward(x, x * 0.7 + 0.1, d, x.dtype())}; },
              {.narrow = 8}),
       of_dim("cumsum",
              [](T x, std::int64_t d, bool) {
                tensor y = ops::clone(x);
                return out{ops::cumsum(x, d), ops::cumsum_(y, d)};
              },
              {.narrow = 2}),
       of_dim("cumprod",
              [](T x, std::int64_t d, bool) {
                tensor y = ops::clone(x);
                return out{ops::cumprod(x, d), ops::cumprod_(y, d)};
              },
              {.narrow = 4}),
       of_dim("logcumsumexp", [](T x, std::int64_t d, bool) { return out{ops::logcumsumexp(x, d)}; }, {.narrow = 8}),
       of_dim("cummax", [](T x, std::int64_t d, bool) { return first(ops::cummax(x, d)); }, {.distinct = true}),
       of_dim("cummin", [](T x, std::int64_t d, bool) { return first(ops::cummin(x, d)); }, {.distinct = true}),
       of_dim("sort", [](T x, std::int64_t d, bool falling) { return first(ops::sort(x, d, falling)); },
              {.distinct = true}),
       of_dim("sort.stable",
              [](T x, std::int64_t d, bool falling) {
                return first(ops::sort_stable(x, arg<"stable"> = true, arg<"dim"> = d, arg<"descending"> = falling));
              },
              {.distinct = true}),
       of_dim("topk",
              [](T x, std::int64_t d, bool largest) {
                const std::int64_t last = x.dim() == 0 ? 1 : x.size(d);
                return first(ops::topk(x, (last + 1) / 2, d, largest));
              },
              {.distinct = true}),
       of_dim("diff", [](T x, std::int64_t d, bool) { return x.dim() == 0 ? out{x * 1} : out{ops::diff(x, 1, d)}; }),
       of_dim("flip", [](T x, std::int64_t d, bool) { return out{ops::flip(x, x.dim() == 0 ? dims{} : dims{d})}; }),
       of_dim("roll", [](T x, std::int64_t d,
                         bool) { return x.dim() == 0 ? out{x * 1} : out{ops::roll(x, dims{2}, dims{d})}; })},
      50);
}

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
namespace aten = topbit::aten;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using support::small_shape;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;
using T = const tensor&;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What a reduction is told beside its tensor.
struct over {
  std::optional<shape> list;
  bool keepdim = false;
  std::optional<std::span<const std::int64_t>> given() const {
    if (!list) return std::nullopt;
    return std::span<const std::int64_t>(*list);
  }
  std::span<const std::int64_t> given_or_all() const { return given().value_or(std::span<const std::int64_t>()); }
};

// Some dimensions, each once, from the front or the back; perhaps none, and perhaps no list of them.
over any_over(source& s, const shape& sizes) {
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
std::int64_t any_dim(source& s, const shape& sizes) {
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
shape shape_for(source& s, const needs& n) {
  shape sizes = small_shape(s, n.several ? 1 : 0, 4, !n.elements && !n.several);
  for (std::size_t d = 0; n.several && d < sizes.size(); ++d) {
    if (sizes[d] == 1 && tb::numel(sizes) < 8) sizes[d] = 2;
  }
  return sizes;
}
bool is_of_several(const shape& sizes, const over& o) {
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
            const shape sizes = shape_for(s, n);
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
            const shape sizes = shape_for(s, n);
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
      of_dims("sum", [](T x, const over& o) { return out{aten::sum_dim_IntList(x, o.given(), o.keepdim)}; }),
      of_dims(
          "mean", [](T x, const over& o) { return out{aten::mean_dim(x, o.given(), o.keepdim)}; }, some),
      of_dims("nansum", [](T x, const over& o) { return out{aten::nansum(x, o.given(), o.keepdim)}; }),
      of_dims(
          "amax", [](T x, const over& o) { return out{aten::amax(x, o.given_or_all(), o.keepdim)}; }, order),
      of_dims(
          "amin", [](T x, const over& o) { return out{aten::amin(x, o.given_or_all(), o.keepdim)}; }, order),
      of_dims(
          "logsumexp", [](T x, const over& o) { return out{aten::logsumexp(x, o.given_or_all(), o.keepdim)}; }, some),
  };
  for (const std::int64_t correction : {0, 1}) {
    const std::string name = ", correction " + std::to_string(correction);
    const needs several{.several = true, .narrow = 4};
    rules.push_back(of_dims(
        "var" + name,
        [=](T x, const over& o) { return out{aten::var_correction(x, o.given(), correction, o.keepdim)}; }, several));
    rules.push_back(of_dims(
        "std" + name,
        [=](T x, const over& o) { return out{aten::std_correction(x, o.given(), correction, o.keepdim)}; }, several));
    rules.push_back(of_dims(
        "var_mean" + name,
        [=](T x, const over& o) { return both(aten::var_mean_correction(x, o.given(), correction, o.keepdim)); },
        several));
  }
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, infinity, -infinity}) {
    rules.push_back(
        of_dims("linalg_vector_norm of order " + tb::to_string(tb::scalar(p)),
                [=](T x, const over& o) { return out{aten::linalg_vector_norm(x, p, o.given(), o.keepdim)}; },
                {.elements = true, .distinct = std::abs(p) == infinity, .low = 0.4, .narrow = 2}));
  }
  check_random_rules(rules, 50);
}

TEST_CASE("random gradients: reductions of all elements, or of one dimension", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {of_all("sum of all", [](T x) { return out{aten::sum(x)}; }),
       of_all(
           "mean of all", [](T x) { return out{aten::mean(x)}; }, some),
       of_all("prod of all", [](T x) { return out{aten::prod(x)}; }, {.narrow = 4}),
       of_all(
           "max of all", [](T x) { return out{aten::max(x)}; }, order),
       of_all(
           "min of all", [](T x) { return out{aten::min(x)}; }, order),
       of_all(
           "median of all", [](T x) { return out{aten::median(x)}; }, order),
       of_all(
           "nanmedian of all", [](T x) { return out{aten::nanmedian(x)}; }, order),
       of_all(
           "aminmax of all", [](T x) { return both(aten::aminmax(x)); }, order),
       of_all("norm", [](T x) { return out{aten::norm_Scalar(x)}; }, {.elements = true, .low = 0.4}),
       of_all("norm.ScalarOpt_dtype",
              [](T x) { return out{aten::norm_ScalarOpt_dtype(x, 3, arg<"dtype"> = tb::dtype::float64)}; },
              {.elements = true, .low = 0.4}),
       of_dim("norm.ScalarOpt_dim",
              [](T x, std::int64_t d, bool keep) { return out{aten::norm_ScalarOpt_dim(x, 3, shape{d}, keep)}; },
              {.elements = true, .low = 0.4, .narrow = 2}),
       of_dim("norm.ScalarOpt_dim_dtype",
              [](T x, std::int64_t d, bool keep) {
                return out{aten::norm_ScalarOpt_dim_dtype(x, 3, shape{d}, keep, arg<"dtype"> = tb::dtype::float64)};
              },
              {.elements = true, .low = 0.4, .narrow = 2}),
       of_dim("prod", [](T x, std::int64_t d, bool keep) { return out{aten::prod_dim_int(x, d, keep)}; },
              {.narrow = 4}),
       of_dim(
           "max", [](T x, std::int64_t d, bool keep) { return first(aten::max_dim(x, d, keep)); }, order),
       of_dim(
           "min", [](T x, std::int64_t d, bool keep) { return first(aten::min_dim(x, d, keep)); }, order),
       of_dim(
           "median", [](T x, std::int64_t d, bool keep) { return first(aten::median_dim(x, d, keep)); }, order),
       of_dim(
           "nanmedian", [](T x, std::int64_t d, bool keep) { return first(aten::nanmedian_dim(x, d, keep)); }, order),
       of_dim(
           "mode", [](T x, std::int64_t d, bool keep) { return first(aten::mode(x, d, keep)); }, order),
       of_dim(
           "kthvalue",
           [](T x, std::int64_t d, bool keep) {
             const std::int64_t last = x.dim() == 0 ? 1 : x.size(d);
             return first(aten::kthvalue(x, (last + 1) / 2, d, keep));
           },
           order),
       of_dim(
           "aminmax",
           [](T x, std::int64_t d, bool keep) { return both(aten::aminmax(x, arg<"dim"> = d, arg<"keepdim"> = keep)); },
           order)},
      50);
}

TEST_CASE("random gradients: softmax, scans and sorting", "[gradients][random]") {
  using tb::arg;
  check_random_rules(
      {of_dim("softmax", [](T x, std::int64_t d, bool) { return out{aten::softmax_int(x, d)}; }),
       of_dim("log_softmax", [](T x, std::int64_t d, bool) { return out{aten::log_softmax_int(x, d)}; }),
       of_dim(
           "_softmax_backward_data",
           [](T x, std::int64_t d, bool) { return out{aten::_softmax_backward_data(x, x * 0.7 + 0.1, d, x.dtype())}; },
           {.narrow = 4}),
       of_dim("_log_softmax_backward_data",
              [](T x, std::int64_t d, bool) {
                return out{aten::_log_softmax_backward_data(x, x * 0.7 + 0.1, d, x.dtype())};
              },
              {.narrow = 8}),
       of_dim("cumsum",
              [](T x, std::int64_t d, bool) {
                tensor y = aten::clone(x);
                return out{aten::cumsum(x, d), aten::cumsum_(y, d)};
              },
              {.narrow = 2}),
       of_dim("cumprod",
              [](T x, std::int64_t d, bool) {
                tensor y = aten::clone(x);
                return out{aten::cumprod(x, d), aten::cumprod_(y, d)};
              },
              {.narrow = 4}),
       of_dim("logcumsumexp", [](T x, std::int64_t d, bool) { return out{aten::logcumsumexp(x, d)}; }, {.narrow = 8}),
       of_dim("cummax", [](T x, std::int64_t d, bool) { return first(aten::cummax(x, d)); }, {.distinct = true}),
       of_dim("cummin", [](T x, std::int64_t d, bool) { return first(aten::cummin(x, d)); }, {.distinct = true}),
       of_dim("sort", [](T x, std::int64_t d, bool falling) { return first(aten::sort(x, d, falling)); },
              {.distinct = true}),
       of_dim("sort.stable",
              [](T x, std::int64_t d, bool falling) {
                return first(aten::sort_stable(x, arg<"stable"> = true, arg<"dim"> = d, arg<"descending"> = falling));
              },
              {.distinct = true}),
       of_dim("topk",
              [](T x, std::int64_t d, bool largest) {
                const std::int64_t last = x.dim() == 0 ? 1 : x.size(d);
                return first(aten::topk(x, (last + 1) / 2, d, largest));
              },
              {.distinct = true}),
       of_dim("diff", [](T x, std::int64_t d, bool) { return x.dim() == 0 ? out{x * 1} : out{aten::diff(x, 1, d)}; }),
       of_dim("flip", [](T x, std::int64_t d, bool) { return out{aten::flip(x, x.dim() == 0 ? shape{} : shape{d})}; }),
       of_dim("roll", [](T x, std::int64_t d,
                         bool) { return x.dim() == 0 ? out{x * 1} : out{aten::roll(x, shape{2}, shape{d})}; })},
      50);
}

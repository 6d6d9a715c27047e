// Running sums and extremes against the loops that define them, for every dtype and arrangement.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using list = std::vector<double>;

namespace {

// step(now, x) along a dimension, from `start`.
template <class Step>
list scanned(const tensor& t, std::size_t dim, double start, Step step) {
  std::size_t between = 1;  // elements from one index of the dimension to the next
  for (std::size_t d = dim + 1; d < t.sizes().size(); ++d) between *= static_cast<std::size_t>(t.sizes()[d]);
  list out;
  support::each_index(t.sizes(), [&](const tb::shape& index) {
    const double now = index.empty() || index[dim] == 0 ? start : out[out.size() - between];
    out.push_back(step(now, support::get(t, index)));
  });
  return out;
}

double tolerance(dtype t) {
  return t == dtype::float16 ? 4e-3 : t == dtype::bfloat16 ? 3e-2 : support::tolerance_of(t) * 10;
}

template <class Visit>
void each_case(Visit visit) {
  support::numbers source(11);
  sampled_cases cases;
  for (dtype t : tb::all_dtypes) {
    for (support::arrangement how : support::arrangements) {
      for (const tb::shape& s : {tb::shape{}, tb::shape{5}, tb::shape{3, 4}, tb::shape{2, 3, 4}, tb::shape{0, 3},
                                 tb::shape{3, 0}, tb::shape{2, 700}}) {
        for (std::size_t d = 0; d < std::max<std::size_t>(s.size(), 1); ++d) {
          if (cases.is_drawn()) visit(source.tensor(s, t, how), d);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("scan: cumsum is the sum of the elements so far, in any dimension, dtype and memory layout",
          "[ops][scan][property]") {
  each_case([](const tensor& x, std::size_t d) {
    const tensor y = aten::cumsum(x, static_cast<std::int64_t>(d));
    CHECK(y.dtype() == (tb::is_floating(x.dtype()) ? x.dtype() : dtype::int64));
    CHECK(y.sizes() == x.sizes());
    CHECK(support::difference(values(y), scanned(x, d, 0, [](double a, double b) { return a + b; }),
                              tolerance(x.dtype())) == "");
  });
}

TEST_CASE("scan: cummax is the running maximum and its last index, cummin the minimum", "[ops][scan][property]") {
  each_case([](const tensor& x, std::size_t d) {
    const auto dim = static_cast<std::int64_t>(d);
    const auto [most, at_most] = aten::cummax(x, dim);
    const auto [least, at_least] = aten::cummin(x, dim);
    constexpr double inf = std::numeric_limits<double>::infinity();
    CHECK(values(most) == scanned(x, d, -inf, [](double a, double b) { return std::max(a, b); }));
    CHECK(values(least) == scanned(x, d, inf, [](double a, double b) { return std::min(a, b); }));
    for (const auto& [found, places] : {std::pair(most, at_most), std::pair(least, at_least)}) {
      support::each_index(x.sizes(), [&](const tb::shape& index) {
        tb::shape at = index;
        const auto place = static_cast<std::int64_t>(support::get(places, index));
        if (!at.empty()) at[d] = place;
        const double here = support::get(found, index);
        bool last = support::get(x, at) == here;
        for (std::int64_t i = place + 1; !at.empty() && i <= index[d]; ++i) {
          at[d] = i;
          last = last && support::get(x, at) != here;
        }
        CHECK(last);
      });
    }
  });
}

TEST_CASE("scan: a NaN is the extreme from its position on", "[ops][scan][property]") {
  const double nan = std::nan("");
  const auto [most, where] = aten::cummax(tensor_of({1, nan, 3, nan, 2}, {5}), 0);
  CHECK(support::difference(values(most), {1, nan, nan, nan, nan}, 0) == "");
  CHECK(values(where) == list{0, 1, 1, 3, 3});
}

TEST_CASE("scan: logcumsumexp does not overflow", "[ops][scan][property]") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const tensor y = aten::logcumsumexp(tensor_of({-inf, 1000, 1000, -1000}, {4}), 0);
  CHECK(support::difference(values(y), {-inf, 1000, 1000 + std::log(2.0), 1000 + std::log(2.0)}, 1e-14) == "");
  CHECK(values(aten::logcumsumexp(tensor_of({inf, 1}, {2}), 0)) == list{inf, inf});
}

TEST_CASE("scan: a row may be written in place, and to another dtype", "[ops][scan]") {
  tensor x = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}, dtype::int32);
  aten::cumsum_(x, 0);
  CHECK(values(x) == list{1, 2, 3, 5, 7, 9});
  tensor out = tb::author::make_tensor({2, 3}, dtype::float64, tb::cpu);
  aten::cumprod_out(x, 1, std::nullopt, out);
  CHECK(values(out) == list{1, 2, 6, 5, 35, 315});
  CHECK(toy::text_of<tb::shape_error>([&] { aten::cumsum_(x, 2); }) ==
        "aten::cumsum_: found dimension 2, wanted -2 to 1");
  CHECK(toy::text_of<tb::dtype_error>([&] { aten::cumsum(x, 0, arg<"dtype"> = dtype::boolean); }) ==
        "aten::cumsum: found dtype bool, wanted a number");
  CHECK(values(x) == list{1, 2, 3, 5, 7, 9});
}

TEST_CASE("scan: cumulative products and logcumsumexp, in all forms", "[ops][scan][property]") {
  support::for_every_dtype(1, 30, [](support::numbers& source, dtype t) {
    const tb::shape sizes = support::any_shape(source, 0, 4, 5);
    const auto [d, dim] = support::any_dim(source, sizes);
    const std::optional<dtype> no_type;
    const dtype summed = tb::is_floating(t) ? t : dtype::int64;
    const tensor x = support::any_whole_tensor(source, sizes, t, 0, 3);
    const tensor products = support::result_of(aten::cumprod, x, dim, no_type),
                 sums = support::result_of(aten::cumsum, x, dim, no_type);
    support::check_tensor(products, sizes, summed, scanned(x, d, 1, [](double a, double b) { return a * b; }));
    support::check_tensor(sums, sizes, summed, scanned(x, d, 0, [](double a, double b) { return a + b; }));
    support::check_out(source, aten::cumprod_out, products, x, dim, no_type);
    support::check_out(source, aten::cumsum_out, sums, x, dim, no_type);
    if (summed == t) {
      support::check_in_place(source, aten::cumprod, aten::cumprod_, x, dim, no_type);
      support::check_in_place(source, aten::cumsum, aten::cumsum_, x, dim, no_type);
    }
    const tensor odd = support::any_odd_tensor(source, sizes, t);
    for (const bool most : {true, false}) {
      const auto found =
          most ? support::results_of(aten::cummax, odd, dim) : support::results_of(aten::cummin, odd, dim);
      const auto beats = [&](double now, double v) { return std::isnan(v) || (most ? v >= now : v <= now); };
      const double start = most ? -INFINITY : INFINITY;
      support::check_tensor(found[0], sizes, t,
                            scanned(odd, d, start, [&](double now, double v) { return beats(now, v) ? v : now; }));
      const std::array<tensor, 2> both{found[0], found[1]};
      most ? support::check_out(source, aten::cummax_out, both, odd, dim)
           : support::check_out(source, aten::cummin_out, both, odd, dim);
    }
    if (!tb::is_floating(t)) return;
    const tensor logs = support::result_of(aten::logcumsumexp, odd, dim);
    const list exponentials = scanned(odd, d, 0, [](double sum, double v) { return sum + std::exp(v); });
    list wanted;
    for (double sum : exponentials) wanted.push_back(std::log(sum));
    support::check_tensor(logs, sizes, t, wanted, tolerance(t));
    support::check_out(source, aten::logcumsumexp_out, logs, odd, dim);
  });
}

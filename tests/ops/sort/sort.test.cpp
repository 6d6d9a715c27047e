// Order, against the standard library's stable sort of each row.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using list = std::vector<double>;

namespace {

bool less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

// The places of a row in ascending order.
std::vector<std::size_t> ordered(const list& row, bool descending = false) {
  std::vector<std::size_t> places(row.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  // The place decides between equals. (std::stable_sort would do, but warns of its own header when it meets modules.)
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    if (less(row[a], row[b])) return !descending;
    if (less(row[b], row[a])) return descending;
    return a < b;
  });
  return places;
}

// Rows of the last dimension.
std::vector<list> rows_of(const tensor& t) {
  const list all = values(t);
  const auto n = static_cast<std::size_t>(t.dim() == 0 ? 1 : t.sizes()[t.dim() - 1]);
  std::vector<list> rows;
  for (std::size_t i = 0; n != 0 && i < all.size(); i += n) {
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + n));
  }
  return rows;
}

// The rows of any dimension, in the order of the other dimensions.
std::vector<list> rows_along(const tensor& t, std::size_t d) {
  tb::shape others = t.sizes();
  if (t.dim() != 0) others[d] = 1;
  std::vector<list> rows;
  support::each_index(others, [&](tb::shape at) {
    rows.emplace_back();
    for (std::int64_t i = 0; i < (t.dim() == 0 ? 1 : t.sizes()[d]); ++i) {
      if (t.dim() != 0) at[d] = i;
      rows.back().push_back(support::get(t, at));
    }
  });
  return rows;
}

// Values and places along dimension d, one row for each row of x.
void check_rows(const std::vector<tensor>& found, std::size_t d, dtype t, const std::vector<list>& wanted,
                const std::vector<list>& wanted_places) {
  REQUIRE(found.size() == 2);
  CHECK(found[0].dtype() == t);
  CHECK(found[1].dtype() == dtype::int64);
  const std::vector<list> rows = rows_along(found[0], d), places = rows_along(found[1], d);
  REQUIRE(rows.size() == wanted.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    REQUIRE(support::difference(rows[r], wanted[r], 0) == "");
    REQUIRE(places[r] == wanted_places[r]);
  }
}

std::vector<list> chosen(const std::vector<list>& rows, const std::vector<list>& places) {
  std::vector<list> out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out.emplace_back();
    for (double at : places[r]) out.back().push_back(rows[r][static_cast<std::size_t>(at)]);
  }
  return out;
}

std::array<tensor, 2> pair_of(const std::vector<tensor>& two) { return {two[0], two[1]}; }

template <class Visit>
void each_case(Visit visit) {
  support::numbers source(12);
  for (dtype t : tb::all_dtypes) {
    for (support::arrangement how : support::arrangements) {
      for (const tb::shape& s : {tb::shape{}, tb::shape{1}, tb::shape{40}, tb::shape{3, 17}, tb::shape{2, 2, 5},
                                 tb::shape{0, 3}, tb::shape{3, 0}, tb::shape{2, 513}}) {
        tensor x = source.tensor(s, t, how);
        if (tb::is_floating(t) && x.numel() > 4) support::set(x, tb::shape(s.size(), 1), std::nan(""));
        visit(x);
      }
    }
  }
}

}  // namespace

TEST_CASE("sort: sorting is stable, with NaN last", "[ops][sort][property]") {
  each_case([](const tensor& x) {
    for (bool descending : {false, true}) {
      const auto [sorted, places] = aten::sort(x, -1, descending);
      list wanted, wanted_places;
      for (const list& row : rows_of(x)) {
        for (std::size_t i : ordered(row, descending)) {
          wanted.push_back(row[i]);
          wanted_places.push_back(static_cast<double>(i));
        }
      }
      CHECK(support::difference(values(sorted), wanted, 0) == "");
      CHECK(values(places) == wanted_places);
      CHECK(sorted.dtype() == x.dtype());
      CHECK(places.dtype() == dtype::int64);
    }
  });
}

TEST_CASE("sort: along another dimension, and into given tensors", "[ops][sort]") {
  const tensor x = tensor_of({3, 1, 2, 0, 5, 4}, {2, 3});
  tensor sorted = support::arranged({2, 3}, dtype::float64, support::arrangement::transposed);
  tensor places = support::arranged({2, 3}, dtype::int64, support::arrangement::sliced);
  aten::sort_values(x, 0, false, sorted, places);
  CHECK(values(sorted) == list{0, 1, 2, 3, 5, 4});
  CHECK(values(places) == list{1, 0, 0, 0, 1, 1});
}

TEST_CASE("sort: topk, kthvalue and median agree with sorting", "[ops][sort][property]") {
  each_case([](const tensor& x) {
    const std::int64_t n = x.dim() == 0 ? 1 : x.sizes()[x.dim() - 1];
    if (n == 0) return;
    for (std::int64_t k : {std::int64_t{1}, (n + 1) / 2, n}) {
      list top, top_places, kth, middle;
      for (const list& row : rows_of(x)) {
        const auto up = ordered(row), down = ordered(row, true);
        for (std::int64_t i = 0; i < k; ++i) {
          top.push_back(row[down[static_cast<std::size_t>(i)]]);
          top_places.push_back(static_cast<double>(down[static_cast<std::size_t>(i)]));
        }
        kth.push_back(row[up[static_cast<std::size_t>(k - 1)]]);
        const bool nan = std::any_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
        middle.push_back(nan ? std::nan("") : row[up[static_cast<std::size_t>((n - 1) / 2)]]);
      }
      const auto [values_found, places] = aten::topk(x, k);
      CHECK(support::difference(values(values_found), top, 0) == "");
      CHECK(values(places) == top_places);
      CHECK(support::difference(values(std::get<0>(aten::kthvalue(x, k))), kth, 0) == "");
      CHECK(support::difference(values(std::get<0>(aten::median_dim(x, -1))), middle, 0) == "");
    }
  });
}

TEST_CASE("sort: any dimension and memory layout, in all forms", "[ops][sort][property]") {
  support::for_every_dtype(1, 30, [](support::numbers& source, dtype t) {
    const tensor x = support::any_odd_tensor(source, support::any_long_shape(source, 0, 4, 6), t);
    const auto [d, dim] = support::any_dim(source, x.sizes());
    const bool descending = source.whole(0, 1) == 0;
    const std::vector<list> rows = rows_along(x, d);
    std::vector<list> places;
    for (const list& row : rows) {
      const auto order = ordered(row, descending);
      places.emplace_back(order.begin(), order.end());
    }
    const auto found = support::results_of(aten::sort, x, dim, descending);
    check_rows(found, d, t, chosen(rows, places), places);
    const std::optional<bool> stable(true);
    check_rows(support::results_of(aten::sort_stable, x, stable, dim, descending), d, t, chosen(rows, places), places);
    support::check_out(source, aten::sort_values, pair_of(found), x, dim, descending);
    support::check_out(source, aten::sort_values_stable, pair_of(found), x, stable, dim, descending);
    CHECK(values(support::result_of(aten::argsort, x, dim, descending)) == values(found[1]));
    CHECK(values(support::result_of(aten::argsort_stable, x, true, dim, descending)) == values(found[1]));
  });
}

TEST_CASE("sort: ranks along any dimension and memory layout, in all forms", "[ops][sort][property]") {
  support::for_every_dtype(2, 40, [](support::numbers& source, dtype t) {
    const tensor x = support::any_odd_tensor(source, support::any_long_shape(source, 0, 4, 6), t);
    const auto [d, dim] = support::any_dim(source, x.sizes());
    const std::int64_t n = x.dim() == 0 ? 1 : x.sizes()[d], k = source.whole(x.dim() == 0 ? 1 : 0, n);
    const bool largest = source.whole(0, 1) == 0;
    const std::vector<list> rows = rows_along(x, d);
    std::vector<list> top, kth, middle;
    for (const list& row : rows) {
      const auto best = ordered(row, largest), up = ordered(row);
      top.emplace_back(best.begin(), best.begin() + k);
      if (n == 0) continue;
      const auto nan = std::ranges::find_if(row, [](double v) { return std::isnan(v); });
      middle.push_back({nan != row.end() ? static_cast<double>(nan - row.begin())
                                         : static_cast<double>(up[static_cast<std::size_t>((n - 1) / 2)])});
      if (k > 0) kth.push_back({static_cast<double>(up[static_cast<std::size_t>(k - 1)])});
    }
    const auto found = support::results_of(aten::topk, x, k, dim, largest, true);
    check_rows(found, d, t, chosen(rows, top), top);
    support::check_out(source, aten::topk_values, pair_of(found), x, k, dim, largest, true);
    if (n == 0) return;
    const auto median = support::results_of(aten::median_dim, x, dim, true);
    check_rows(median, d, t, chosen(rows, middle), middle);
    support::check_out(source, aten::median_dim_values, pair_of(median), x, dim, true);
    const auto without = support::results_of(aten::median_dim, x, dim, false);
    CHECK(without[0].dim() + (x.dim() == 0 ? 0 : 1) == x.dim());
    CHECK(support::difference(values(without[0]), values(median[0]), 0) == "");
    support::check_out(source, aten::median_dim_values, pair_of(without), x, dim, false);
    if (k == 0) return;
    const auto rank = support::results_of(aten::kthvalue, x, k, dim, true);
    check_rows(rank, d, t, chosen(rows, kth), kth);
    support::check_out(source, aten::kthvalue_values, pair_of(rank), x, k, dim, true);
    support::check_out(source, aten::kthvalue_values, pair_of(support::results_of(aten::kthvalue, x, k, dim, false)), x,
                       k, dim, false);
    if (x.numel() == 0) return;
    const list all = values(x);
    const bool nan = std::ranges::any_of(all, [](double v) { return std::isnan(v); });
    support::check_tensor(support::result_of(aten::median, x), {}, t,
                          {nan ? std::nan("") : all[ordered(all)[(all.size() - 1) / 2]]});
  });
}

TEST_CASE("sort: mode counts every element, along any dimension", "[ops][sort][property]") {
  support::for_every_dtype(3, 40, [](support::numbers& source, dtype t) {
    tb::shape sizes = support::any_shape(source, 0, 4, 5);
    const auto [d, dim] = support::any_dim(source, sizes);
    if (!sizes.empty()) sizes[d] = source.whole(1, 9);
    const tensor x = support::any_whole_tensor(source, sizes, t, 0, 3);
    std::vector<list> rows = rows_along(x, d), places;
    for (const list& row : rows) {
      double best = 0;
      std::int64_t most = 0;
      for (double v : row) {
        const std::int64_t times = std::ranges::count(row, v);
        if (times > most || (times == most && v < best)) most = times, best = v;
      }
      double last = 0;
      for (std::size_t i = 0; i < row.size(); ++i) last = row[i] == best ? static_cast<double>(i) : last;
      places.push_back({last});
    }
    const auto found = support::results_of(aten::mode, x, dim, true);
    check_rows(found, d, t, chosen(rows, places), places);
    support::check_out(source, aten::mode_values, pair_of(found), x, dim, true);
    support::check_out(source, aten::mode_values, pair_of(support::results_of(aten::mode, x, dim, false)), x, dim,
                       false);
  });
}

TEST_CASE("sort: searchsorted is how many elements of the row are below, or not above", "[ops][sort][property]") {
  support::for_every_dtype(4, 60, [](support::numbers& source, dtype t) {
    tb::shape sizes = support::any_shape(source, 0, 3, 5), row_sizes = sizes;
    if (source.whole(0, 1) == 0 || sizes.empty()) row_sizes = {1};
    row_sizes[row_sizes.size() - 1] = source.whole(0, 9) == 0 ? 0 : source.whole(1, 40);
    const bool one_row = row_sizes.size() == 1;
    const tensor x = support::any_odd_tensor(source, sizes, t);
    // Sorted by its sorter, or by itself; without NaN, which has no order among numbers.
    const tensor sequence = support::any_whole_tensor(source, row_sizes, t, 0, 5);
    const auto [sorted, order] = aten::sort(sequence);
    const bool by_sorter = source.whole(0, 1) == 0, right = source.whole(0, 1) == 0, narrow = source.whole(0, 1) == 0;
    const std::optional<tensor> sorter =
        by_sorter ? std::optional(support::moved(source, order)) : std::optional<tensor>();
    const std::optional<std::string> side =
        source.whole(0, 1) == 0 ? std::nullopt : std::optional<std::string>(right ? "right" : "left");
    const std::vector<list> rows = rows_along(sequence, row_sizes.size() - 1);
    const auto place = [&](const list& row, double v) {
      return static_cast<double>(
          std::ranges::count_if(row, [&](double r) { return std::isnan(v) || (right ? r <= v : r < v); }));
    };
    list wanted;
    const list all = values(x);
    const std::int64_t width = sizes.empty() ? 1 : sizes[sizes.size() - 1];
    for (std::size_t i = 0; i < all.size(); ++i) {
      wanted.push_back(place(rows[one_row ? 0 : i / static_cast<std::size_t>(width)], all[i]));
    }
    const tensor in = by_sorter ? sequence : support::moved(source, sorted);
    const dtype type = narrow ? dtype::int32 : dtype::int64;
    support::check_tensor(support::result_of(aten::searchsorted_Tensor, in, x, narrow, right, side, sorter), sizes,
                          type, wanted);
    if (!one_row) return;
    const double number = static_cast<double>(source.whole(0, 6));
    support::check_tensor(
        support::result_of(aten::searchsorted_Scalar, in, tb::scalar(number), narrow, right, side, sorter), {}, type,
        {place(rows[0], number)});
  });
}

TEST_CASE("sort: mode is the most frequent, then smallest element, with its last index", "[ops][sort][property]") {
  const auto [most, place] = aten::mode(tensor_of({3, 1, 1, 3, 2, 5, 4, 5, 6, 7}, {2, 5}));
  CHECK(values(most) == list{1, 5});
  CHECK(values(place) == list{2, 2});
}

TEST_CASE("sort: unique returns the inverse indices", "[ops][sort][property]") {
  each_case([](const tensor& x) {
    if (tb::is_floating(x.dtype())) return;
    const auto [different, numbers, counts] = aten::_unique2(x, true, true, true);
    const list found = values(different), number = values(numbers), in = values(x);
    CHECK(std::is_sorted(found.begin(), found.end()));
    CHECK(std::adjacent_find(found.begin(), found.end()) == found.end());
    REQUIRE(number.size() == in.size());
    list wanted(found.size(), 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      CHECK(found[static_cast<std::size_t>(number[i])] == in[i]);
      wanted[static_cast<std::size_t>(number[i])] += 1;
    }
    CHECK(values(counts) == wanted);
  });
}

TEST_CASE("sort: unique has each value once, in every dtype", "[ops][sort][property]") {
  support::for_every_dtype(5, 30, [](support::numbers& source, dtype t) {
    const tb::shape sizes = support::any_long_shape(source, 0, 3, 5);
    const tensor x = support::any_whole_tensor(source, sizes, t, 0, 9);
    const list in = values(x);
    list different = in, places, counts;
    std::ranges::sort(different);
    different.erase(std::ranges::unique(different).begin(), different.end());
    for (double v : in) places.push_back(static_cast<double>(std::ranges::find(different, v) - different.begin()));
    for (double v : different) counts.push_back(static_cast<double>(std::ranges::count(in, v)));
    const bool inverse = source.whole(0, 1) == 0, counted = source.whole(0, 1) == 0;
    const auto [found, numbers, often] = aten::_unique2(x, true, inverse, counted);
    const tb::shape count{static_cast<std::int64_t>(different.size())};
    support::check_tensor(found, count, t, different);
    support::check_tensor(numbers, inverse ? sizes : tb::shape{0}, dtype::int64, inverse ? places : list());
    support::check_tensor(often, counted ? count : tb::shape{0}, dtype::int64, counted ? counts : list());
  });
}

TEST_CASE("sort: arguments out of range are refused, on meta too", "[ops][sort]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({2, 3}, dtype::float32, where);
    const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
    CHECK(text([&] { aten::sort(x, 2); }) == "aten::sort: found dimension 2, wanted -2 to 1");
    CHECK(text([&] { aten::topk(x, 4); }) == "aten::topk: found k 4 for dimension 1 of [2, 3], wanted 0 to 3");
    CHECK(text([&] { aten::kthvalue(x, 0); }) == "aten::kthvalue: found k 0, wanted 1 to 3");
  }
}

TEST_CASE("sort: searchsorted with NaN uses comparisons, which all fail", "[ops][sort]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const tensor asked = tensor_of({nan, 0, 1, 2, inf, 2.5}, {6});
  const auto places = [&](const std::vector<double>& row, bool right) {
    const tensor t = tensor_of(row, {static_cast<std::int64_t>(row.size())});
    return values(aten::searchsorted_Tensor(t, asked, tb::arg<"right"> = right));
  };
  CHECK(places({1, 2, 3}, false) == list{3, 0, 0, 1, 3, 2});
  CHECK(places({1, 2, 3}, true) == list{3, 0, 1, 2, 3, 2});
  CHECK(places({1, 2, nan, nan}, false) == list{4, 4, 4, 4, 4, 4});
  CHECK(places({nan, 1, 2}, true) == list{3, 1, 2, 3, 3, 3});
  CHECK(places({1, nan, 2, 3}, false) == list{4, 2, 2, 2, 4, 3});
  CHECK(places({1, nan, 2, 3}, true) == list{4, 2, 2, 3, 4, 3});
}

TEST_CASE("sort: searchsorted finds the position of a number not representable in the sequence's dtype",
          "[ops][sort]") {
  const auto place = [](const tensor& row, const tb::scalar& value) {
    return values(aten::searchsorted_Scalar(row, value)).front();
  };
  const tensor integers = tensor_of({1, 4, 5}, {3}, dtype::int32), bytes = tensor_of({1, 4, 250}, {3}, dtype::uint8);
  CHECK(place(integers, 4.5) == 2);
  CHECK(place(integers, 4) == 1);
  CHECK(place(bytes, 300) == 3);
  CHECK(place(bytes, -1) == 0);
  CHECK(place(tensor_of({0, 1}, {2}, dtype::boolean), 2) == 2);
  CHECK(place(tensor_of({1, 4, 5}, {3}, dtype::float16), 4) == 1);
}

TEST_CASE("sort: an error inside a composite names the operator that was called, and the part", "[ops][sort]") {
  const tensor x = tensor_of({1, 2}, {2});
  const auto raised = [](auto call) {
    try {
      call();
    } catch (const tb::shape_error& e) {
      return std::pair(std::string(e.what()), std::string(e.op()));
    }
    return std::pair(std::string("nothing was thrown"), std::string());
  };
  const auto [text, op] = raised([&] { aten::argsort(x, 3); });
  CHECK(text == "aten::argsort: in aten::sort: found dimension 3, wanted -1 to 0");
  CHECK(op == "aten::argsort");
  // Of several parts in each other the last one: msort is sort along dimension 0.
  CHECK(raised([&] { aten::sort(x, 3); }).first == "aten::sort: found dimension 3, wanted -1 to 0");
  tensor y = tensor_of({1, 2, 3}, {3});
  CHECK(raised([&] {
          aten::clamp_max_Tensor_(y, x);
        }).first.starts_with("aten::clamp_max_.Tensor: in aten::minimum.out: "));
}

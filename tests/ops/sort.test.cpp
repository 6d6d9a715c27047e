// Order, against the standard library's stable sort of each row.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
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

template <class Visit>
void each_case(Visit visit) {
  support::numbers source(12);
  for (dtype t : tb::all_dtypes) {
    for (support::arrangement how : support::arrangements) {
      for (const tb::dims& s : {tb::dims{}, tb::dims{1}, tb::dims{40}, tb::dims{3, 17}, tb::dims{2, 2, 5},
                                tb::dims{0, 3}, tb::dims{3, 0}, tb::dims{2, 513}}) {
        tensor x = source.tensor(s, t, how);
        if (tb::is_floating(t) && x.numel() > 4) support::set(x, tb::dims(s.size(), 1), std::nan(""));
        visit(x);
      }
    }
  }
}

}  // namespace

TEST_CASE("sort: rows in order, equals as they stood, a NaN last", "[ops][sort]") {
  each_case([](const tensor& x) {
    for (bool descending : {false, true}) {
      const auto [sorted, places] = ops::sort(x, -1, descending);
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

TEST_CASE("sort: along another dimension, and into tensors that are there", "[ops][sort]") {
  const tensor x = tensor_of({3, 1, 2, 0, 5, 4}, {2, 3});
  tensor sorted = support::arranged({2, 3}, dtype::float64, support::arrangement::transposed);
  tensor places = support::arranged({2, 3}, dtype::int64, support::arrangement::sliced);
  ops::sort_out(x, 0, false, sorted, places);
  CHECK(values(sorted) == list{0, 1, 2, 3, 5, 4});
  CHECK(values(places) == list{1, 0, 0, 0, 1, 1});
}

TEST_CASE("sort: topk, kthvalue and median are what sorting would give", "[ops][sort]") {
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
      const auto [values_found, places] = ops::topk(x, k);
      CHECK(support::difference(values(values_found), top, 0) == "");
      CHECK(values(places) == top_places);
      CHECK(support::difference(values(std::get<0>(ops::kthvalue(x, k))), kth, 0) == "");
      CHECK(support::difference(values(std::get<0>(ops::median_dim(x, -1))), middle, 0) == "");
    }
  });
}

TEST_CASE("sort: mode is the most frequent, the least of those, and its last place", "[ops][sort]") {
  const auto [most, place] = ops::mode(tensor_of({3, 1, 1, 3, 2, 5, 4, 5, 6, 7}, {2, 5}));
  CHECK(values(most) == list{1, 5});
  CHECK(values(place) == list{2, 2});
}

TEST_CASE("sort: unique numbers each element among the different ones", "[ops][sort]") {
  each_case([](const tensor& x) {
    if (tb::is_floating(x.dtype())) return;
    const auto [different, numbers, counts] = ops::unique2(x, true, true, true);
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

TEST_CASE("sort: what is out of range is refused, on meta too", "[ops][sort]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const tensor x = tb::author::make_tensor({2, 3}, dtype::float32, where);
    const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
    CHECK(text([&] { ops::sort(x, 2); }) == "aten::sort: found dimension 2, wanted -2 to 1");
    CHECK(text([&] { ops::topk(x, 4); }) == "aten::topk: found k 4 for dimension 1 of [2, 3], wanted 0 to 3");
    CHECK(text([&] { ops::kthvalue(x, 0); }) == "aten::kthvalue: found k 0, wanted 1 to 3");
  }
}

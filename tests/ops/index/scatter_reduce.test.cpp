// What has one place brought together, against loops in double.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;

namespace {

tensor indices(support::numbers& source, const shape& sizes, std::int64_t range, support::arrangement how) {
  const tensor t = support::arranged(sizes, dtype::int64, how);
  support::each_index(sizes,
                      [&](const shape& i) { support::set(t, i, static_cast<double>(source.whole(0, range - 1))); });
  return t;
}

double fold(const std::string& how, double a, double b) {
  if (how == "prod" || how == "multiply") return a * b;
  if (how == "amax") return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
  if (how == "amin") return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
  return a + b;
}

// Collects what comes to each place, then folds.
list expected(const tensor& x, std::size_t d, const tensor& index, const tensor& source, const std::string& how,
              bool include) {
  std::vector<list> come(static_cast<std::size_t>(x.numel()));
  const auto flat = [&](const shape& i) {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < i.size(); ++k) n = n * x.sizes()[k] + i[k];
    return static_cast<std::size_t>(n);
  };
  support::each_index(index.sizes(), [&](const shape& i) {
    shape to = i;
    to[d] = static_cast<std::int64_t>(support::get(index, i));
    come[flat(to)].push_back(support::get(source, i));
  });
  list out;
  support::each_index(x.sizes(), [&](const shape& i) {
    list all = come[flat(i)];
    const double old = support::get(x, i);
    if (all.empty()) {
      out.push_back(old);
      return;
    }
    if (include) all.insert(all.begin(), old);
    double sum = all[0];
    for (std::size_t k = 1; k < all.size(); ++k) sum = fold(how, sum, all[k]);
    if (how == "mean") {
      sum /= static_cast<double>(all.size());
      if (tb::is_integer(x.dtype())) sum = std::floor(sum);
    }
    out.push_back(sum);
  });
  return out;
}

template <class Visit>
void each_case(Visit visit) {
  support::numbers source(71);
  for (int round = 0; round < 6; ++round) {
    for (dtype t : tb::all_dtypes) {
      if (t == dtype::boolean) continue;
      for (support::arrangement how :
           {support::arrangement::dense, support::arrangement::transposed, support::arrangement::sliced}) {
        shape sizes = source.shape(3, 4);
        if (sizes.size() == 0) sizes.push_back(3);
        const auto d = static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(sizes.size()) - 1));
        visit(source, source.tensor(sizes, t, how), d, how);
      }
    }
  }
}

}  // namespace

TEST_CASE("scatter_reduce: every reduction, with and without include_self", "[ops][scatter_reduce][property]") {
  each_case([](support::numbers& source, const tensor& x, std::size_t d, support::arrangement how) {
    shape sizes = x.sizes();
    sizes[d] = source.whole(0, 5);
    const tensor index = indices(source, sizes, x.sizes()[d], how), src = source.tensor(sizes, x.dtype(), how);
    const auto dim = static_cast<std::int64_t>(d);
    const double tolerance = 4 * support::tolerance_of(x.dtype());
    for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"}) {
      for (bool include : {true, false}) {
        INFO(reduce << " " << include << " " << tb::name_of(x.dtype()) << " " << tb::to_string(x.sizes()));
        const list wanted = expected(x, d, index, src, reduce, include);
        const tensor y = aten::scatter_reduce_two(x, dim, index, src, reduce, include);
        CHECK(support::difference(values(y), wanted, tolerance) == "");
        CHECK(y.dtype() == x.dtype());
        tensor out = support::arranged(x.sizes(), x.dtype(), support::arrangement::sliced);
        aten::scatter_reduce_two_out(x, dim, index, src, reduce, include, out);
        CHECK(values(out) == values(y));
        tensor self = aten::clone(x);
        aten::scatter_reduce_two_(self, dim, index, src, reduce, include);
        CHECK(values(self) == values(y));
      }
    }
    for (const char* reduce : {"add", "multiply"}) {
      const tensor y = aten::scatter_reduce(x, dim, index, src, reduce);
      CHECK(support::difference(values(y), expected(x, d, index, src, reduce, true), tolerance) == "");
      const tensor two = aten::scatter_value_reduce(x, dim, index, 2, reduce);
      const list twos(static_cast<std::size_t>(index.numel()), 2);
      const tensor all_two = tensor_of(twos, sizes, x.dtype());
      CHECK(support::difference(values(two), expected(x, d, index, all_two, reduce, true), tolerance) == "");
    }
  });
}

TEST_CASE("scatter_reduce: index_reduce uses one index per slice", "[ops][scatter_reduce][property]") {
  each_case([](support::numbers& source, const tensor& x, std::size_t d, support::arrangement how) {
    shape sizes = x.sizes();
    sizes[d] = source.whole(0, 4);
    const tensor index = indices(source, {sizes[d]}, x.sizes()[d], support::arrangement::dense);
    const tensor src = source.tensor(sizes, x.dtype(), how),
                 spread = tb::author::make_tensor(sizes, dtype::int64, tb::cpu);
    support::each_index(sizes, [&](const shape& i) { support::set(spread, i, support::get(index, {i[d]})); });
    const auto dim = static_cast<std::int64_t>(d);
    for (const char* reduce : {"prod", "mean", "amax", "amin"}) {
      for (bool include : {true, false}) {
        const list wanted = expected(x, d, spread, src, reduce, include);
        const tensor y = aten::index_reduce(x, dim, index, src, reduce, include);
        CHECK(support::difference(values(y), wanted, 4 * support::tolerance_of(x.dtype())) == "");
        tensor self = aten::clone(x), out = support::arranged(x.sizes(), x.dtype(), support::arrangement::transposed);
        CHECK(values(aten::index_reduce_(self, dim, index, src, reduce, include)) == values(y));
        CHECK(values(aten::index_reduce_out(x, dim, index, src, reduce, include, out)) == values(y));
      }
    }
  });
}

TEST_CASE("scatter_reduce: a NaN is both maximum and minimum", "[ops][scatter_reduce]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const tensor x = tensor_of({1, nan, 3}, {3}), index = tensor_of({0, 1, 2, 0}, {4}, dtype::int64);
  const tensor src = tensor_of({nan, 5, 4, 2}, {4});
  CHECK(support::difference(values(aten::scatter_reduce_two(x, 0, index, src, "amax")), {nan, nan, 4}, 0) == "");
  CHECK(support::difference(values(aten::scatter_reduce_two(x, 0, index, src, "amin", false)), {nan, 5, 4}, 0) == "");
}

TEST_CASE("scatter_reduce: masked_scatter fills the selected elements in order", "[ops][scatter_reduce][property]") {
  support::numbers source(72);
  for (int round = 0; round < 8; ++round) {
    for (dtype t : tb::all_dtypes) {
      for (support::arrangement how :
           {support::arrangement::dense, support::arrangement::transposed, support::arrangement::sliced}) {
        const shape sizes = source.shape(3, 3), of_mask = source.narrowed(sizes);
        const tensor x = source.tensor(sizes, t, how), mask = source.tensor(of_mask, dtype::boolean);
        const tensor src = source.tensor({x.numel() + 1}, t, how);
        list wanted;
        std::int64_t next = 0;
        support::each_index(sizes, [&](const shape& i) {
          const bool on = support::get(mask, support::broadcast_index(i, of_mask)) != 0;
          wanted.push_back(on ? support::get(src, {next++}) : support::get(x, i));
        });
        CHECK(values(aten::masked_scatter(x, mask, src)) == wanted);
        tensor self = x;
        aten::masked_scatter_(self, mask, src);
        CHECK(values(x) == wanted);
      }
    }
  }
}

TEST_CASE("scatter_reduce: errors come before anything is written", "[ops][scatter_reduce]") {
  tensor x = tensor_of({1, 2, 3}, {3});
  const tensor bad = tensor_of({0, 3}, {2}, dtype::int64), src = tensor_of({7, 8}, {2});
  CHECK(toy::text_of<tb::shape_error>([&] { aten::scatter_reduce_two_(x, 0, bad, src, "sum", false); }) ==
        "aten::scatter_reduce_.two: found the index 3, wanted 0 to 2");
  CHECK(toy::text_of<tb::shape_error>([&] { aten::index_reduce_(x, 0, bad, src, "amax", false); }) ==
        "aten::index_reduce_: found the index 3, wanted 0 to 2");
  CHECK(toy::text_of<tb::error>([&] { aten::scatter_reduce_two_(x, 0, bad, src, "add"); }) ==
        "aten::scatter_reduce_.two: found reduce 'add', wanted 'sum', 'prod', 'mean', 'amax' or 'amin'");
  CHECK(toy::text_of<tb::dtype_error>([&] {
          aten::scatter_reduce_two(tb::to(x, dtype::boolean), 0, bad, tb::to(src, dtype::boolean), "mean");
        }) == "aten::scatter_reduce.two: found bool, which has no mean; wanted a number");
  CHECK(toy::text_of<tb::error>([&] { aten::scatter_reduce_(x, 0, bad, src, "sum"); }) ==
        "aten::scatter_.reduce: found reduce 'sum', wanted 'add' or 'multiply'");
  CHECK(toy::text_of<tb::shape_error>([&] {
          aten::masked_scatter_(x, tensor_of({1, 1, 1}, {3}, dtype::boolean), src);
        }) == "aten::masked_scatter_: found 2 elements in the source, wanted 3, one for each True of the mask");
  CHECK(values(x) == list{1, 2, 3});
}

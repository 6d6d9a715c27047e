// Different elements and slices, and membership, against loops over lists.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;
using results = std::tuple<tensor, tensor, tensor>;

namespace {

// Few different numbers, so that many are equal.
tensor random(support::numbers& source, const shape& sizes, dtype type, support::arrangement how) {
  const tensor t = support::arranged(sizes, type, how);
  const double most = type == dtype::boolean ? 1 : 2;
  support::each_index(sizes, [&](const shape& i) {
    support::set(t, i, static_cast<double>(source.whole(0, static_cast<std::int64_t>(most))));
  });
  return t;
}

template <class Visit>
void each_case(unsigned seed, Visit visit) {
  support::numbers source(seed);
  for (int round = 0; round < 12; ++round) {
    for (dtype t : tb::all_dtypes) {
      for (support::arrangement how : support::arrangements) {
        shape sizes = source.shape(3, 4);
        if (sizes.size() == 0) sizes.push_back(source.whole(1, 5));
        visit(source, random(source, sizes, t, how));
      }
    }
  }
}

// The slices of a dimension, each as a list.
std::vector<list> slices(const tensor& t, std::size_t d) {
  std::vector<list> out(static_cast<std::size_t>(t.sizes()[d]));
  support::each_index(t.sizes(),
                      [&](const shape& i) { out[static_cast<std::size_t>(i[d])].push_back(support::get(t, i)); });
  return out;
}

struct runs {
  std::vector<list> values;
  list numbers, counts;
};
// Of slices as they stand, or of all that are equal in order.
runs expected(const std::vector<list>& in, bool sort) {
  runs r;
  if (!sort) {
    for (const list& l : in) {
      if (r.values.empty() || r.values.back() != l) r.values.push_back(l), r.counts.push_back(0);
      r.counts.back() += 1;
      r.numbers.push_back(static_cast<double>(r.values.size() - 1));
    }
    return r;
  }
  r.values = in;
  std::sort(r.values.begin(), r.values.end());
  r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
  r.counts.resize(r.values.size());
  for (const list& l : in) {
    const auto at = std::lower_bound(r.values.begin(), r.values.end(), l) - r.values.begin();
    r.numbers.push_back(static_cast<double>(at));
    r.counts[static_cast<std::size_t>(at)] += 1;
  }
  return r;
}

void check(const results& found, const runs& wanted, const tensor& x, std::size_t d) {
  const auto& [different, numbers, counts] = found;
  shape sizes = x.sizes();
  sizes[d] = static_cast<std::int64_t>(wanted.values.size());
  REQUIRE(different.sizes() == sizes);
  CHECK(different.dtype() == x.dtype());
  CHECK(slices(different, d) == wanted.values);
  CHECK(values(numbers) == wanted.numbers);
  CHECK(values(counts) == wanted.counts);
  CHECK((numbers.dtype() == dtype::int64 && counts.dtype() == dtype::int64));
}

}  // namespace

TEST_CASE("unique: slices of any dimension, sorted or in order of occurrence", "[ops][unique][property]") {
  each_case(51, [](support::numbers&, const tensor& x) {
    for (std::size_t d = 0; d < x.sizes().size(); ++d) {
      const auto dim = static_cast<std::int64_t>(d);
      const std::vector<list> in = slices(x, d);
      check(aten::unique_dim(x, dim, true, true, true), expected(in, true), x, d);
      check(aten::unique_dim_consecutive(x, dim, true, true), expected(in, false), x, d);
      check(aten::unique_consecutive(x, true, true, dim), expected(in, false), x, d);
    }
  });
}

TEST_CASE("unique: elements, sorted or in order of occurrence", "[ops][unique][property]") {
  each_case(52, [](support::numbers&, const tensor& x) {
    const tensor row = tensor_of(values(x), {x.numel()}, x.dtype());
    const std::vector<list> in = slices(row, 0);
    for (bool sort : {true, false}) {
      const auto [different, numbers, counts] =
          sort ? aten::_unique2(x, true, true, true) : aten::unique_consecutive(x, true, true);
      CHECK(numbers.sizes() == x.sizes());
      check({different, tensor_of(values(numbers), {x.numel()}, dtype::int64), counts}, expected(in, sort), row, 0);
    }
    const auto [different, numbers] = aten::_unique(x, true, true);
    CHECK(values(different) == values(std::get<0>(aten::_unique2(x))));
    CHECK(numbers.sizes() == x.sizes());
  });
}

TEST_CASE("unique: results not requested are empty", "[ops][unique]") {
  const tensor x = tensor_of({1, 2, 1, 2, 1, 2}, {3, 2});
  for (const results& r :
       {aten::_unique2(x), aten::unique_dim(x, 0), aten::unique_consecutive(x), aten::unique_dim_consecutive(x, 0)}) {
    CHECK(std::get<1>(r).sizes() == shape{0});
    CHECK(std::get<2>(r).sizes() == shape{0});
  }
  CHECK(std::get<1>(aten::_unique(x)).sizes() == shape{0});
}

TEST_CASE("unique: isin is a search of every element", "[ops][unique][property]") {
  each_case(53, [](support::numbers& source, const tensor& x) {
    const dtype type = tb::all_dtypes[static_cast<std::size_t>(source.whole(0, 9))];
    const tensor tests = random(source, source.shape(2, 3), type, support::arrangement::transposed);
    const list all = values(tests);
    for (bool invert : {false, true}) {
      list wanted;
      for (double v : values(x)) wanted.push_back((std::find(all.begin(), all.end(), v) != all.end()) != invert);
      const tensor found = aten::isin_Tensor_Tensor(x, tests, false, invert);
      CHECK(values(found) == wanted);
      CHECK(found.dtype() == dtype::boolean);
      tensor out = support::arranged(x.sizes(), dtype::boolean, support::arrangement::sliced);
      CHECK(values(aten::isin_Tensor_Tensor_out(x, tests, false, invert, out)) == wanted);
      const double one = all.empty() ? 1 : all[0];
      const list in = values(x);
      CHECK(values(aten::isin_Scalar_Tensor(one, x, false, invert)) ==
            list{static_cast<double>((std::find(in.begin(), in.end(), one) != in.end()) != invert)});
    }
  });
}

TEST_CASE("unique: a NaN is in no set, and does not affect others", "[ops][unique]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const tensor x = tensor_of({nan, 1, 5, -1}, {4});
  CHECK(values(aten::isin_Tensor_Tensor(x, tensor_of({nan, 1, nan, nan, 5, nan, nan}, {7}))) == list{0, 1, 1, 0});
  CHECK(values(aten::isin_Tensor_Tensor(x, tensor_of({nan}, {1}), false, true)) == list{1, 1, 1, 1});
}

TEST_CASE("unique: errors say what was found", "[ops][unique]") {
  const tensor x = tb::author::make_tensor({0, 3}, dtype::float32, tb::cpu);
  const auto text = [](auto f) { return toy::text_of<tb::shape_error>(f); };
  CHECK(text([&] { aten::unique_dim(x, 1); }) ==
        "aten::unique_dim: found [0, 3], whose slices have no elements to compare");
  CHECK(text([&] { aten::unique_dim_consecutive(tensor_of({1}, {}), 0); }) ==
        "aten::unique_dim_consecutive: found a zero-dimensional tensor, wanted at least one dimension");
  CHECK(text([&] { aten::unique_consecutive(x, false, false, 2); }) ==
        "aten::unique_consecutive: found dimension 2, wanted -2 to 1");
  const tensor there = tb::author::make_tensor({2}, dtype::float32, tb::meta);
  CHECK(toy::text_of<tb::error>([&] { aten::unique_consecutive(there); }) ==
        "aten::unique_consecutive: a meta tensor has no elements, and the result's size depends on them");
}

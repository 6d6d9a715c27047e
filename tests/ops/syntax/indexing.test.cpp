// Indexing against a walk over the definition of each item, over random strides.
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
#include "support/views.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::ellipsis;
using tb::newaxis;
using tb::none;
using tb::shape;
using tb::slice;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;
using items = std::vector<tb::index_item>;

namespace {

tensor counted() { return tensor_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4}, dtype::float64); }

template <class... Items>
std::string refused(const tensor& x, const Items&... given) {
  return text_of<tb::shape_error>([&] { tb::index(x, given...); });
}

// Where a dimension of a result comes from: the index in x is first + step * the result's. A new axis comes from
// nowhere.
struct origin {
  std::int64_t size = 1;
  std::optional<std::size_t> from;
  std::int64_t first = 0, step = 1;
};

// An index with what it means, by the definitions.
struct meaning {
  items given;
  std::vector<origin> result;
  shape fixed;  // the indices of dimensions that go away
};

meaning random_index(support::numbers& source, const tensor& x) {
  meaning m{{}, {}, shape(x.dim(), 0)};
  std::size_t d = 0, axes = 0;
  bool behind_ellipsis = false;
  const auto whole = [&] {
    m.result.push_back({x.sizes()[d], d});
    ++d;
  };
  while (d < x.sizes().size()) {
    const std::int64_t n = x.sizes()[d], kind = source.whole(0, 5);
    if (kind == 0 && n != 0) {
      const std::int64_t i = source.whole(-n, n - 1);
      m.given.emplace_back(i);
      m.fixed[d++] = i < 0 ? i + n : i;
    } else if (kind == 1) {
      const std::int64_t first = source.whole(0, n), last = source.whole(0, n), step = source.whole(1, 3);
      const std::optional<std::int64_t> start = first == 0 ? std::nullopt : std::optional(first);
      m.given.emplace_back(slice(start, last == n ? n + 3 : last - n, step));
      std::int64_t count = 0;
      for (std::int64_t i = first; i < last; i += step) ++count;
      m.result.push_back({count, d++, first, step});
    } else if (kind == 2 && x.sizes().size() + axes < 6) {
      m.given.emplace_back(newaxis);
      m.result.emplace_back();
      ++axes;
    } else if (kind == 3 && !behind_ellipsis) {
      m.given.emplace_back(ellipsis);
      behind_ellipsis = true;
      for (std::int64_t k = source.whole(0, static_cast<std::int64_t>(x.sizes().size() - d)); k > 0; --k) whole();
    } else if (kind == 4 && !behind_ellipsis) {
      while (d < x.sizes().size()) whole();
    } else {
      m.given.emplace_back(slice());
      whole();
    }
  }
  return m;
}

}  // namespace

TEST_CASE("indexing: each kind of index item", "[ops][indexing]") {
  const tensor x = counted();
  CHECK(values(tb::index(x, 0)) == list{0, 1, 2, 3});
  CHECK(values(tb::index(x, -1)) == list{8, 9, 10, 11});
  CHECK(values(tb::index(x, 1, 2)) == list{6});
  CHECK(tb::index(x, 1, 2).sizes() == shape{});
  CHECK(values(tb::index(x, slice(1, 3), -1)) == list{7, 11});
  CHECK(values(tb::index(x, slice(none, none, 2), slice(none, 1))) == list{0, 8});
  CHECK(values(tb::index(x, slice(-2, none), slice(3, 100))) == list{7, 11});
  CHECK(values(tb::index(x, ellipsis, 0)) == list{0, 4, 8});
  CHECK(values(tb::index(x, 0, ellipsis)) == list{0, 1, 2, 3});
  CHECK(tb::index(x, 0, ellipsis, 1).sizes() == shape{});
  CHECK(tb::index(x, newaxis, ellipsis, newaxis).sizes() == shape{1, 3, 4, 1});
  CHECK(tb::index(x, slice(), newaxis, 1).sizes() == shape{3, 1});
  CHECK(tb::index(x, slice(2, 1)).sizes() == shape{0, 4});
  CHECK(tb::index(tensor_of({5}, {}), ellipsis).sizes() == shape{});
  CHECK(tb::index(tensor_of({5}, {}), newaxis).sizes() == shape{1});
  CHECK(values(tb::index(x, std::size_t{2}, short{1})) == list{9});
  CHECK(support::shares(tb::index(x, 1, 2), x));
}

TEST_CASE("indexing: indexing a whole tensor gives a new view", "[ops][indexing]") {
  const tensor x = counted();
  for (const tensor& y : {tb::index(x, ellipsis), tb::index(x, slice()), tb::index(x, slice(), slice(), ellipsis),
                          tb::index(x, items{})}) {
    CHECK(support::views(y, x, [](const shape& i) { return i; }));
  }
}

TEST_CASE("indexing: any index of any tensor agrees with its definition", "[ops][indexing][property]") {
  support::numbers source(41);
  for (int round = 0; round < 1000; ++round) {
    const tensor x = support::random_view(source);
    const meaning m = random_index(source, x);
    INFO(tb::to_string(std::span<const tb::index_item>(m.given)) << " of " << tb::to_string(x.sizes()));
    shape sizes;
    for (const origin& o : m.result) sizes.push_back(o.size);
    const tensor y = tb::index(x, m.given);
    REQUIRE(y.sizes() == sizes);
    CHECK(support::views(y, x, [&](const shape& i) {
      shape j = m.fixed;
      for (std::size_t k = 0; k < i.size(); ++k) {
        if (m.result[k].from) j[*m.result[k].from] = m.result[k].first + i[k] * m.result[k].step;
      }
      return j;
    }));
  }
}

TEST_CASE("indexing: errors show the index and the sizes, and say what is wrong", "[ops][indexing]") {
  const tensor x = counted(), point = tensor_of({5}, {}), line = tensor_of({1}, {1});
  CHECK(refused(x, 0, 1, 2) == "index: found [0, 1, 2] for a tensor [3, 4]: 3 indices for 2 dimensions");
  CHECK(refused(x, slice(), ellipsis, newaxis, 1, 2) ==
        "index: found [:, ..., newaxis, 1, 2] for a tensor [3, 4]: 3 indices for 2 dimensions");
  CHECK(refused(line, 0, 1) == "index: found [0, 1] for a tensor [1]: 2 indices for 1 dimension");
  CHECK(refused(point, 0) == "index: found [0] for a tensor []: 1 index for 0 dimensions");
  CHECK(refused(x, ellipsis, 1, ellipsis) ==
        "index: found [..., 1, ...] for a tensor [3, 4]: 2 ellipses, wanted at most one");
  CHECK(refused(x, slice(1, 5, 2), 4) ==
        "index: found [1:5:2, 4] for a tensor [3, 4]: index 4 in dimension 1, wanted -4 to 3");
  CHECK(refused(x, newaxis, -4) ==
        "index: found [newaxis, -4] for a tensor [3, 4]: index -4 in dimension 0, wanted -3 to 2");
  CHECK(refused(x, ellipsis, -5) ==
        "index: found [..., -5] for a tensor [3, 4]: index -5 in dimension 1, wanted -4 to 3");
  CHECK(refused(tensor_of({}, {0}), 0) ==
        "index: found [0] for a tensor [0]: index 0 in dimension 0, wanted none, it has no elements");
  CHECK(refused(x, slice(), slice(none, -1, 0)) ==
        "index: found [:, :-1:0] for a tensor [3, 4]: step 0 in dimension 1, wanted 1 or more");
  CHECK(refused(x, slice(none, none, -1)) ==
        "index: found [::-1] for a tensor [3, 4]: step -1 in dimension 0, wanted 1 or more");
  const tensor rows = tensor_of({0, 1}, {2}, dtype::int64), mask = tensor_of({1, 0}, {2}, dtype::boolean);
  CHECK(
      refused(x, rows, tensor()) ==
      "index: found [int64 [2], undefined tensor] for a tensor [3, 4]: an undefined tensor, wanted indices or a mask");
  CHECK(refused(x, rows, slice(), rows) ==
        "index: found [int64 [2], :, int64 [2]] for a tensor [3, 4]: 3 indices for 2 "
        "dimensions");
  CHECK(refused(x, slice(), mask) ==
        "index: found [:, bool [2]] for a tensor [3, 4]: a mask [2] at dimension 1, wanted "
        "the same sizes");
  CHECK(refused(x, tensor_of({1, 0, 1, 1, 0, 0}, {3, 2}, dtype::boolean), 0) ==
        "index: found [bool [3, 2], 0] for a tensor [3, 4]: 3 indices for 2 dimensions");
  CHECK(refused(x, tensor_of({1}, {}, dtype::boolean)) ==
        "index: found [bool []] for a tensor [3, 4]: a zero-dimensional mask, wanted at least one dimension");
  CHECK(refused(x, rows, 4) ==
        "index: found [int64 [2], 4] for a tensor [3, 4]: index 4 in dimension 1, wanted -4 to 3");
  CHECK(text_of<tb::dtype_error>([&] { tb::index(x, x); }) ==
        "aten::index.Tensor: found an index of float64, wanted int64 or int32");
  CHECK(refused(x, tensor_of({3}, {1}, dtype::int64)) == "aten::index.Tensor: found the index 3, wanted -3 to 2");
  CHECK(text_of<tb::error>([] { tb::index(tensor(), 0); }) ==
        "index: found an undefined tensor, wanted one with elements");
}

TEST_CASE("indexing: a bool or a floating number is not an index", "[ops][indexing]") {
  STATIC_CHECK(std::is_constructible_v<tb::index_item, int>);
  STATIC_CHECK_FALSE(std::is_constructible_v<tb::index_item, bool>);
  STATIC_CHECK_FALSE(std::is_constructible_v<tb::index_item, double>);
}

TEST_CASE("indexing: assign writes through the view, and broadcasts", "[ops][indexing][property]") {
  const tensor x = counted();
  tb::assign(tb::index(x, 0, slice(1, 3)), 20);
  CHECK(values(x) == list{0, 20, 20, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  tb::assign(tb::index(x, ellipsis, 0), tensor_of({-1, -2, -3}, {3}, dtype::int64));
  CHECK(values(x) == list{-1, 20, 20, 3, -2, 5, 6, 7, -3, 9, 10, 11});
  tb::assign(tb::index(x, slice(1, none)), tensor_of({1, 2, 3, 4}, {4}));
  CHECK(values(x) == list{-1, 20, 20, 3, 1, 2, 3, 4, 1, 2, 3, 4});
  tb::assign(tb::index(x, 0), tensor_of({5, 6, 7, 8}, {1, 1, 4}));
  CHECK(values(x) == list{5, 6, 7, 8, 1, 2, 3, 4, 1, 2, 3, 4});
  tb::assign(tb::index(x, 2, 3), tb::index(x, 0, 0));
  CHECK(values(tb::index(x, 2)) == list{1, 2, 3, 5});
  CHECK(x.version() == 5);
  CHECK_THROWS_AS(tb::assign(tb::index(x, 0), tensor_of({1, 2}, {2})), tb::shape_error);
  CHECK_THROWS_AS(tb::assign(tb::index(x, 0), tensor_of({1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 4})), tb::shape_error);
  CHECK(values(tb::index(x, 0)) == list{5, 6, 7, 8});
}

TEST_CASE("indexing: the gradient reaches the selected elements", "[ops][indexing][autograd]") {
  const tensor x = tb::require_grad(counted());
  tb::backward(aten::sum(tb::index(x, slice(none, none, 2), newaxis, -1) * 3));
  CHECK(values(tb::leaf_grad(x)) == list{0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 3});
}

TEST_CASE("indexing: meta tensors have the sizes and strides of an index", "[ops][indexing][meta]") {
  const tensor x = tb::author::make_tensor({3, 4, 5}, dtype::float32, tb::meta);
  const tensor y = tb::index(x, 1, ellipsis, newaxis, slice(0, none, 2));
  CHECK(y.sizes() == shape{4, 1, 3});
  CHECK(y.strides()[2] == 2);
  CHECK(y.device() == tb::meta);
}

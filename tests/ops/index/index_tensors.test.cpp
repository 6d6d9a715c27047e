// Indexing with tensors among the items, against PyTorch's values and against the rule written down element by element.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
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
using list = std::vector<double>;
using items = std::vector<tb::index_item>;

namespace {

tensor counted() {
  list all;
  for (int i = 0; i < 24; ++i) all.push_back(i);
  return tensor_of(all, {2, 3, 4});
}
tensor places(const list& at, const shape& sizes) { return tensor_of(at, sizes, dtype::int64); }
tensor mask(const list& at, const shape& sizes) { return tensor_of(at, sizes, dtype::boolean); }

// Where a dimension of a result comes from: a dimension of x by steps, nothing for a new axis, or the tensors.
struct kept {
  std::int64_t size = 1;
  std::optional<std::size_t> from;
  std::int64_t first = 0, step = 1;
};
struct chosen {
  std::size_t dim;
  tensor at;  // int64, broadcasts to what is common
};

struct meaning {
  items given;
  std::vector<kept> before, after, apart;  // kept dimensions around the tensors; `apart` if these are no neighbours
  std::vector<chosen> tensors;
  std::vector<std::pair<std::size_t, std::int64_t>> fixed;  // a dimension that is gone, and where
  shape common;
  bool neighbours = true;

  // What the items say one after the other; `open` while tensors stand side by side.
  bool begun = false, open = false;
  void keep(const kept& k) {
    (begun ? after : before).push_back(k);
    open = false;
  }
  void choose(std::size_t dim, const tensor& at) {
    if (begun && !open) neighbours = false;
    begun = open = true;
    tensors.push_back({dim, at});
  }
};

// The coordinates of what a mask has, row by row.
std::vector<tensor> coordinates(const tensor& m) {
  std::vector<list> at(m.dim());
  support::each_index(m.sizes(), [&](const shape& i) {
    if (support::get(m, i) == 0) return;
    for (std::size_t d = 0; d < i.size(); ++d) at[d].push_back(static_cast<double>(i[d]));
  });
  std::vector<tensor> out;
  for (const list& l : at) out.push_back(places(l, {static_cast<std::int64_t>(l.size())}));
  return out;
}

// Random items, of which one at least is a tensor. A mask says what is common; the other tensors broadcast to it.
meaning random_items(support::numbers& source, const tensor& x) {
  meaning m;
  const std::size_t rank = x.dim();
  const auto chosen_dim = static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(rank) - 1));
  const bool with_mask = source.whole(0, 2) == 0;
  const auto mask_rank = with_mask ? static_cast<std::size_t>(source.whole(
                                         1, std::min<std::int64_t>(2, static_cast<std::int64_t>(rank - chosen_dim))))
                                   : std::size_t{0};
  tensor on;
  std::vector<tensor> of_mask;
  if (with_mask) {
    const shape sizes(std::span(x.sizes().begin() + chosen_dim, mask_rank));
    on = source.tensor(sizes, dtype::boolean, support::arrangements[source.whole(0, 2)]);
    of_mask = coordinates(on);
    m.common = of_mask[0].sizes();
  } else {
    m.common = source.shape(2, 3);
  }
  const auto random_index = [&](std::int64_t n, const shape& sizes) {
    const dtype type = source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32;
    const tensor t = support::arranged(sizes, type, support::arrangements[source.whole(0, 3)]);
    support::each_index(sizes,
                        [&](const shape& i) { support::set(t, i, static_cast<double>(source.whole(-n, n - 1))); });
    return t;
  };
  std::size_t axes = 0;
  bool behind_ellipsis = false;
  for (std::size_t d = 0; d < rank;) {
    const std::int64_t n = x.sizes()[d];
    const std::int64_t kind = d == chosen_dim ? (with_mask ? 6 : 5) : source.whole(0, 5);
    if (kind == 6) {
      m.given.emplace_back(on);
      for (const tensor& t : of_mask) m.choose(d++, t);
    } else if (kind == 5 && n != 0) {
      const tensor t = random_index(n, d == chosen_dim ? m.common : source.narrowed(m.common));
      m.given.emplace_back(t);
      m.choose(d++, t);
    } else if (kind == 0 && n != 0) {
      const std::int64_t i = source.whole(-n, n - 1);
      m.given.emplace_back(i);
      m.fixed.emplace_back(d++, i);
    } else if (kind == 1) {
      const std::int64_t first = source.whole(0, n), step = source.whole(1, 2);
      m.given.emplace_back(slice(first, none, step));
      m.keep({(n - first + step - 1) / step, d++, first, step});
    } else if (kind == 2 && axes < 1) {
      m.given.emplace_back(newaxis);
      m.keep({});
      ++axes;
    } else if (kind == 3 && !behind_ellipsis && d < chosen_dim) {
      m.given.emplace_back(ellipsis);
      behind_ellipsis = true;
      const auto whole = static_cast<std::size_t>(source.whole(1, static_cast<std::int64_t>(chosen_dim - d)));
      for (std::size_t k = 0; k < whole; ++k, ++d) m.keep({x.sizes()[d], d, 0, 1});
    } else if (kind == 4 && !behind_ellipsis && d > chosen_dim) {
      for (; d < rank; ++d) m.keep({x.sizes()[d], d, 0, 1});
    } else if (d == chosen_dim) {
      return random_items(source, x);  // no element to choose
    } else {
      m.given.emplace_back(slice());
      m.keep({n, d++, 0, 1});
    }
  }
  return m;
}

// Calls visit(index in the result, index in x), row by row.
template <class Visit>
shape each_element(const meaning& m, std::size_t rank, Visit visit) {
  std::vector<kept> around = m.before;
  around.insert(around.end(), m.after.begin(), m.after.end());
  const std::size_t front = m.neighbours ? m.before.size() : 0;
  shape sizes;
  for (std::size_t k = 0; k < front; ++k) sizes.push_back(around[k].size);
  for (std::int64_t n : m.common) sizes.push_back(n);
  for (std::size_t k = front; k < around.size(); ++k) sizes.push_back(around[k].size);
  support::each_index(sizes, [&](const shape& i) {
    shape from(rank, 0), of_common;
    for (std::size_t k = 0; k < around.size(); ++k) {
      const std::int64_t at = i[k < front ? k : k + m.common.size()];
      if (around[k].from) from[*around[k].from] = around[k].first + at * around[k].step;
    }
    for (const auto& [dim, at] : m.fixed) from[dim] = at;
    for (std::size_t k = 0; k < m.common.size(); ++k) of_common.push_back(i[front + k]);
    for (const chosen& c : m.tensors) {
      from[c.dim] = static_cast<std::int64_t>(support::get(c.at, support::broadcast_index(of_common, c.at.sizes())));
    }
    visit(i, from);
  });
  return sizes;
}

shape counted_from_front(const shape& at, const shape& sizes) {
  shape out = at;
  for (std::size_t d = 0; d < at.size(); ++d) out[d] += at[d] < 0 ? sizes[d] : 0;
  return out;
}

}  // namespace

TEST_CASE("indexing: tensor indices select what PyTorch's select", "[ops][indexing]") {
  const tensor x = counted();
  const tensor i = places({1, 0}, {2}), j = places({2, 0}, {2, 1}), l = places({0, -1}, {2});
  const tensor m = mask({1, 0, 1, 0, 0, 1}, {2, 3}), k = mask({0, 1, 1}, {3});
  const auto check = [](const tensor& found, const shape& sizes, const list& wanted) {
    CHECK(found.sizes() == sizes);
    CHECK(values(found) == wanted);
  };
  check(tb::index(x, m), {3, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 20, 21, 22, 23});
  check(tb::index(x, m, slice(1, 3)), {3, 2}, {1, 2, 9, 10, 21, 22});
  check(tb::index(x, slice(), j, 1), {2, 2, 1}, {9, 1, 21, 13});
  check(tb::index(x, slice(), k, 0), {2, 2}, {4, 8, 16, 20});
  check(tb::index(x, i, slice(), l), {2, 3}, {12, 16, 20, 3, 7, 11});
  check(tb::index(x, i, l), {2, 4}, {12, 13, 14, 15, 8, 9, 10, 11});
  check(tb::index(x, 0, i, ellipsis, l), {2}, {4, 3});
  check(tb::index(x, i, newaxis, l), {2, 1, 4}, {12, 13, 14, 15, 8, 9, 10, 11});
  check(tb::index(x, 1, j, l), {2, 2}, {20, 23, 12, 15});
  check(tb::index(x, 0, ellipsis, mask({1, 0, 0, 1}, {4})), {3, 2}, {0, 3, 4, 7, 8, 11});
}

TEST_CASE("indexing: an integer removes its dimension before tensor indices apply", "[ops][indexing]") {
  const tensor x = counted(), i = places({3, 1}, {2});
  CHECK(tb::index(x, 0, slice(), i).sizes() == shape{3, 2});
  CHECK(values(tb::index(x, 0, slice(), i)) == list{3, 1, 7, 5, 11, 9});
  CHECK(tb::index(x, places({1, 0}, {2}), 2, i).sizes() == shape{2});
  CHECK(values(tb::index(x, places({1, 0}, {2}), 2, i)) == list{23, 9});
  CHECK(tb::index(x, slice(), 0, i).sizes() == shape{2, 2});
}

TEST_CASE("indexing: indexing with tensors copies", "[ops][indexing]") {
  const tensor x = counted();
  CHECK_FALSE(support::shares(tb::index(x, places({0, 1}, {2})), x));
  CHECK_FALSE(support::shares(tb::index(x, mask({1, 1}, {2})), x));
}

TEST_CASE("indexing: any index with tensors agrees with the definition, element by element",
          "[ops][indexing][property]") {
  support::numbers source(43);
  int masks = 0, apart = 0;
  for (int round = 0; round < 1000; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() == 0) continue;
    const meaning m = random_items(source, x);
    INFO(tb::to_string(std::span<const tb::index_item>(m.given)) << " of " << tb::to_string(x.sizes()));
    list wanted;
    const shape sizes = each_element(m, x.dim(), [&](const shape&, const shape& from) {
      wanted.push_back(support::get(x, counted_from_front(from, x.sizes())));
    });
    const tensor y = tb::index(x, std::span<const tb::index_item>(m.given));
    REQUIRE(y.sizes() == sizes);
    REQUIRE(values(y) == wanted);
    apart += m.neighbours ? 0 : 1;
    for (const tb::index_item& item : m.given) {
      masks += item.get<tensor>() != nullptr && item.get<tensor>()->dtype() == dtype::boolean ? 1 : 0;
    }
  }
  CHECK(masks > 100);
  CHECK(apart > 30);
}

TEST_CASE("indexing: assign writes the elements of any index, for every dtype", "[ops][indexing][property]") {
  support::numbers source(44);
  for (int round = 0; round < 600; ++round) {
    const dtype type = tb::all_dtypes[static_cast<std::size_t>(round) % tb::all_dtypes.size()];
    shape given_shape = source.shape(4, 3);
    if (given_shape.size() == 0) given_shape.push_back(3);
    const tensor x = source.tensor(given_shape, type, support::arrangements[source.whole(0, 2)]);
    const meaning m = random_items(source, x);
    INFO(tb::to_string(std::span<const tb::index_item>(m.given)) << " of " << tb::to_string(x.sizes()));
    const tensor wanted = support::tensor_of(values(x), given_shape, type);
    const shape sizes = each_element(m, x.dim(), [](const shape&, const shape&) {});
    const bool number = source.whole(0, 3) == 0;
    const tensor written = number ? tensor_of({1}, {}, type) : source.tensor(source.narrowed(sizes), type);
    each_element(m, x.dim(), [&](const shape& to, const shape& from) {
      support::set(wanted, counted_from_front(from, given_shape),
                   support::get(written, support::broadcast_index(to, written.sizes())));
    });
    if (number)
      tb::assign(x, tb::scalar(1), std::span<const tb::index_item>(m.given));
    else
      tb::assign(x, written, std::span<const tb::index_item>(m.given));
    REQUIRE(values(x) == values(wanted));
  }
}

TEST_CASE("indexing: assign takes items after the value, and converts it", "[ops][indexing]") {
  const tensor x = counted();
  tb::assign(x, tensor_of({-1, -2, -3}, {1, 1, 3}, dtype::int32), places({1, 0}, {2}), slice(), places({0, -1}, {2}));
  CHECK(values(x) == list{0, 1, 2, -1, 4, 5, 6, -2, 8, 9, 10, -3, -1, 13, 14, 15, -2, 17, 18, 19, -3, 21, 22, 23});
  tb::assign(x, 0, aten::lt_Scalar(x, 0));
  CHECK(values(tb::index(x, 0, slice(), 3)) == list{0, 0, 0});
  tb::assign(x, 7.5, 0, slice(0, 2), -1);
  CHECK(values(tb::index(x, 0, slice(), 3)) == list{7.5, 7.5, 0});
  tb::assign(x, tensor_of({1, 2, 3, 4}, {4}), 1, 2);
  CHECK(values(tb::index(x, 1, 2)) == list{1, 2, 3, 4});
  CHECK_THROWS_AS(tb::assign(x, tensor_of({1, 2}, {2}), places({0, 1, 1}, {3})), tb::shape_error);
}

TEST_CASE("indexing: the gradient of a tensor index is accumulated once per selection", "[ops][indexing][autograd]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}));
  tb::backward(aten::sum(tb::index(x, places({1, 0, 1}, {3}), slice(0, 2)) * 2));
  CHECK(values(tb::leaf_grad(x)) == list{2, 2, 0, 4, 4, 0});
  const tensor y = tb::require_grad(tensor_of({1, 2, 3}, {3}));
  tb::backward(aten::sum(tb::index(y, aten::gt_Scalar(tb::detach(y), 1)) * tb::index(y, 0)));
  CHECK(values(tb::leaf_grad(y)) == list{5, 1, 1});
}

TEST_CASE("indexing: meta tensors have the shape of a tensor index", "[ops][indexing][meta]") {
  const tensor x = tb::author::make_tensor({3, 4, 5}, dtype::float32, tb::meta);
  const tensor i = tb::author::make_tensor({2, 1}, dtype::int64, tb::meta);
  CHECK(tb::index(x, i, slice(0, 3), newaxis).sizes() == shape{2, 1, 3, 1, 5});
  CHECK(tb::index(x, slice(), i, 0).sizes() == shape{3, 2, 1});
  CHECK(tb::index(x, i, ellipsis, i).device() == tb::meta);
}

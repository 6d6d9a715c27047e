// Views written with other views: that they are the composition they stand for, and what they refuse.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
#include "support/views.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::shares;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;

namespace {

const tensor counted = tensor_of({0, 1, 2, 3, 4, 5}, {2, 3}, dtype::int64);
const tensor point = tensor_of({7}, {}, dtype::int64);
const tensor line = tensor_of({1, 2, 3}, {3}, dtype::int64);
const tensor empty_one = tensor_of({}, {0, 3});

template <class F>
std::string refused(F f) {
  return text_of<tb::shape_error>(f);
}

// The same element at the same address for each index.
bool same(const tensor& a, const tensor& b) {
  return a.sizes() == b.sizes() && support::views(a, b, [](const shape& i) { return i; });
}

}  // namespace

TEST_CASE("view: swapaxes, swapdims and the transposes swap two dimensions", "[ops][view]") {
  support::numbers source(21);
  for (int round = 0; round < 60; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() < 2) continue;
    CHECK(same(aten::swapaxes(x, 0, -1), aten::transpose_int(x, 0, -1)));
    CHECK(same(aten::swapdims(x, 1, 0), aten::transpose_int(x, 0, 1)));
    for (const tensor& y : {aten::mT(x), aten::mH(x), aten::adjoint(x)}) CHECK(same(y, aten::transpose_int(x, -1, -2)));
    if (x.dim() == 2) CHECK(same(aten::matrix_H(x), aten::t(x)));
    const tensor reversed = aten::numpy_T(x);
    CHECK(support::views(reversed, x, [](const shape& i) {
      shape j = i;
      for (std::size_t k = 0; k < i.size(); ++k) j[k] = i[i.size() - 1 - k];
      return j;
    }));
  }
  CHECK(aten::numpy_T(point).sizes() == shape{});
  CHECK(refused([] { aten::mT(line); }) == "aten::mT: found [3], wanted a matrix, or several of them");
  CHECK(refused([] { aten::mH(point); }) == "aten::mH: found [], wanted a matrix, or several of them");
  CHECK(refused([] { aten::adjoint(line); }) == "aten::adjoint: found [3], wanted a matrix, or several of them");
  CHECK(refused([] { aten::matrix_H(line); }) == "aten::matrix_H: found [3], wanted a matrix");
}

TEST_CASE("view: movedim moves source dimensions to their destinations, the others keep their order", "[ops][view]") {
  const tensor x = tb::author::make_tensor({2, 3, 4, 5}, dtype::float32, tb::cpu);
  const auto moved = [&](const shape& from, const shape& to) { return aten::movedim_intlist(x, from, to).sizes(); };
  CHECK(moved({0}, {2}) == shape{3, 4, 2, 5});
  CHECK(moved({3}, {0}) == shape{5, 2, 3, 4});
  CHECK(moved({0, 1}, {-1, -2}) == shape{4, 5, 3, 2});
  CHECK(moved({}, {}) == shape{2, 3, 4, 5});
  CHECK(moved({-1, 0, 2}, {1, 0, 3}) == shape{2, 5, 3, 4});
  CHECK(same(aten::movedim_intlist(x, shape{0, 1}, shape{2, 0}), aten::permute(x, shape{1, 2, 0, 3})));
  CHECK(same(aten::movedim_int(x, -1, 1), aten::permute(x, shape{0, 3, 1, 2})));
  CHECK(aten::movedim_int(point, 0, -1).sizes() == shape{});
  CHECK(refused([&] { aten::movedim_intlist(x, shape{0, 1}, shape{0}); }) ==
        "aten::movedim.intlist: found 2 source dimensions and 1 destinations, wanted as many of both");
  CHECK(refused([&] { aten::movedim_intlist(x, shape{0, -4}, shape{0, 1}); }) ==
        "aten::movedim.intlist: found dimension -4 twice in the source, wanted it once");
  CHECK(refused([&] { aten::movedim_intlist(x, shape{0, 1}, shape{2, 2}); }) ==
        "aten::movedim.intlist: found dimension 2 twice in the destination, wanted it once");
  CHECK(refused([&] { aten::movedim_int(x, 4, 0); }) == "aten::movedim.int: found dimension 4, wanted -4 to 3");
}

TEST_CASE("view: expand_as, view_as, reshape_as and aliases agree with expand, view and reshape", "[ops][view]") {
  const tensor row = tensor_of({1, 2, 3}, {3}), other = tb::author::make_tensor({2, 3}, dtype::boolean, tb::meta);
  CHECK(same(aten::broadcast_to(row, shape{2, 3}), aten::expand(row, shape{2, 3})));
  CHECK(same(aten::expand_as(row, other), aten::expand(row, shape{2, 3})));
  const tensor six = tensor_of({0, 1, 2, 3, 4, 5}, {6});
  CHECK(same(aten::view_as(six, other), aten::view(six, shape{2, 3})));
  CHECK(same(aten::reshape_as(six, other), aten::view(six, shape{2, 3})));
  CHECK(values(aten::reshape_as(aten::t(counted), other)) == std::vector<double>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("view: atleast adds dimensions as PyTorch does", "[ops][view]") {
  const tensor cube = tb::author::make_tensor({2, 3, 4}, dtype::float32, tb::cpu);
  CHECK(aten::atleast_1d(point).sizes() == shape{1});
  CHECK(aten::atleast_2d(point).sizes() == shape{1, 1});
  CHECK(aten::atleast_3d(point).sizes() == shape{1, 1, 1});
  CHECK(aten::atleast_1d(line).same_as(line));
  CHECK(aten::atleast_2d(line).sizes() == shape{1, 3});
  CHECK(aten::atleast_3d(line).sizes() == shape{1, 3, 1});
  CHECK(aten::atleast_2d(counted).same_as(counted));
  CHECK(aten::atleast_3d(counted).sizes() == shape{2, 3, 1});
  CHECK(aten::atleast_3d(cube).same_as(cube));
  CHECK(shares(aten::atleast_3d(line), line));
}

TEST_CASE("view: contiguous copies only if the tensor is not dense", "[ops][view]") {
  CHECK(aten::contiguous(counted).same_as(counted));
  const tensor transposed = aten::t(counted), copy = aten::contiguous(transposed);
  CHECK_FALSE(shares(copy, transposed));
  CHECK(copy.is_contiguous());
  CHECK(values(copy) == values(transposed));
  CHECK(text_of<tb::error>([] { aten::contiguous(counted, tb::memory_format::preserve); }) ==
        "aten::contiguous: found preserve_format, wanted contiguous_format");
}

TEST_CASE("view: flatten joins dimensions, ravel all, as views where the strides allow it", "[ops][view]") {
  const tensor x = tb::author::make_tensor({2, 3, 4, 5}, dtype::float32, tb::cpu);
  const auto flat = [&](std::int64_t from, std::int64_t to) { return aten::flatten_using_ints(x, from, to).sizes(); };
  CHECK(flat(0, -1) == shape{120});
  CHECK(flat(1, 2) == shape{2, 12, 5});
  CHECK(flat(-2, -1) == shape{2, 3, 20});
  CHECK(aten::flatten_using_ints(x, 2, 2).same_as(x));
  CHECK(aten::flatten_using_ints(point).sizes() == shape{1});
  CHECK(aten::flatten_using_ints(empty_one).sizes() == shape{0});
  CHECK(shares(aten::flatten_using_ints(aten::transpose_int(x, 2, 3), 0, 1), x));
  CHECK_FALSE(shares(aten::flatten_using_ints(aten::transpose_int(x, 1, 2), 0, 1), x));
  CHECK(values(aten::ravel(aten::t(counted))) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(aten::ravel(point).sizes() == shape{1});
  CHECK(aten::ravel(empty_one).sizes() == shape{0});
  CHECK(refused([&] { aten::flatten_using_ints(x, 2, 1); }) ==
        "aten::flatten.using_ints: found start_dim 2 behind end_dim 1 of a tensor [2, 3, 4, 5]");
  CHECK(refused([&] { aten::flatten_using_ints(x, 0, 4); }) ==
        "aten::flatten.using_ints: found dimension 4, wanted -4 to 3");
}

TEST_CASE("view: unflatten splits a dimension of any strides into several", "[ops][view]") {
  support::numbers source(23);
  for (int round = 0; round < 100; ++round) {
    const tensor x = support::random_view(source, 1);
    for (std::size_t d = 0; d < x.sizes().size(); ++d) {
      for (const shape& parts : support::shapes_of(x.sizes()[d], 3)) {
        if (parts.empty()) continue;
        shape wanted = support::without(x.sizes(), d), open = parts;
        for (std::size_t k = 0; k < parts.size(); ++k) wanted = support::with(wanted, d + k, parts[k]);
        open[parts.size() - 1] = -1;
        const tensor y = aten::unflatten_int(x, static_cast<std::int64_t>(d), parts);
        CHECK(y.sizes() == wanted);
        CHECK(shares(x, y));
        CHECK(values(y) == values(x));
        CHECK(aten::unflatten_int(x, static_cast<std::int64_t>(d), open).sizes() == wanted);
      }
    }
  }
  CHECK(aten::unflatten_int(empty_one, 0, shape{2, 0, 5}).sizes() == shape{2, 0, 5, 3});
  const auto text = [](const tensor& x, const shape& parts) {
    return refused([&] { aten::unflatten_int(x, 1, parts); });
  };
  const auto wanted = [](const shape& parts) {
    return "aten::unflatten.int: found the sizes " + tb::to_string(parts) +
           " for dimension 1 of a tensor [2, 3], wanted a product of 3";
  };
  for (const shape& parts : {shape{2, 2}, shape{2, -1}, shape{-1, -1}, shape{-3, -1}, shape{0, -1}}) {
    CHECK(text(counted, parts) == wanted(parts));
  }
  CHECK(text(counted, {}) == "aten::unflatten.int: found no sizes for dimension 1, wanted one or more");
  const shape many(tb::max_dims, 1);
  CHECK(text(counted, many) == "aten::unflatten.int: found " + tb::to_string(many) +
                                   " for dimension 1 of a tensor [2, 3], wanted at most " +
                                   std::to_string(tb::max_dims) + " dimensions in all");
  CHECK(refused([] { aten::unflatten_int(point, 0, shape{1}); }) ==
        "aten::unflatten.int: found dimension 0, wanted none, the tensor is a scalar");
}

TEST_CASE("view_composite: t of fewer than two dimensions is a view too, and is not recorded under no_grad",
          "[ops][view]") {
  for (const tensor& given : {tensor_of({1, 2}, {2}), tensor_of({7}, {})}) {
    const tensor x = tb::require_grad(given);
    CHECK(shares(x, aten::t(x)));
    CHECK(tb::requires_grad(aten::t(x)));
    const tb::no_grad off;
    CHECK_FALSE(tb::requires_grad(aten::t(x)));
  }
}

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
namespace ops = topbit::ops;
using support::shares;
using support::tensor_of;
using support::values;
using tb::dims;
using tb::dtype;
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
  return a.sizes() == b.sizes() && support::views(a, b, [](const dims& i) { return i; });
}

}  // namespace

TEST_CASE("view: swapaxes, swapdims and the transposes swap two dimensions", "[ops][view]") {
  support::numbers source(21);
  for (int round = 0; round < 60; ++round) {
    const tensor x = support::random_view(source);
    if (x.dim() < 2) continue;
    CHECK(same(ops::swapaxes(x, 0, -1), ops::transpose(x, 0, -1)));
    CHECK(same(ops::swapdims(x, 1, 0), ops::transpose(x, 0, 1)));
    for (const tensor& y : {ops::mT(x), ops::mH(x), ops::adjoint(x)}) CHECK(same(y, ops::transpose(x, -1, -2)));
    if (x.dim() == 2) CHECK(same(ops::matrix_H(x), ops::t(x)));
    const tensor reversed = ops::numpy_T(x);
    CHECK(support::views(reversed, x, [](const dims& i) {
      dims j = i;
      for (std::size_t k = 0; k < i.size(); ++k) j[k] = i[i.size() - 1 - k];
      return j;
    }));
  }
  CHECK(ops::numpy_T(point).sizes() == dims{});
  CHECK(refused([] { ops::mT(line); }) == "aten::mT: found [3], wanted a matrix, or several of them");
  CHECK(refused([] { ops::mH(point); }) == "aten::mH: found [], wanted a matrix, or several of them");
  CHECK(refused([] { ops::adjoint(line); }) == "aten::adjoint: found [3], wanted a matrix, or several of them");
  CHECK(refused([] { ops::matrix_H(line); }) == "aten::matrix_H: found [3], wanted a matrix");
}

TEST_CASE("view: movedim moves source dimensions to their destinations, the others keep their order", "[ops][view]") {
  const tensor x = tb::author::make_tensor({2, 3, 4, 5}, dtype::float32, tb::cpu);
  const auto moved = [&](const dims& from, const dims& to) { return ops::movedim(x, from, to).sizes(); };
  CHECK(moved({0}, {2}) == dims{3, 4, 2, 5});
  CHECK(moved({3}, {0}) == dims{5, 2, 3, 4});
  CHECK(moved({0, 1}, {-1, -2}) == dims{4, 5, 3, 2});
  CHECK(moved({}, {}) == dims{2, 3, 4, 5});
  CHECK(moved({-1, 0, 2}, {1, 0, 3}) == dims{2, 5, 3, 4});
  CHECK(same(ops::movedim(x, dims{0, 1}, dims{2, 0}), ops::permute(x, dims{1, 2, 0, 3})));
  CHECK(same(ops::movedim_int(x, -1, 1), ops::permute(x, dims{0, 3, 1, 2})));
  CHECK(ops::movedim_int(point, 0, -1).sizes() == dims{});
  CHECK(refused([&] { ops::movedim(x, dims{0, 1}, dims{0}); }) ==
        "aten::movedim.intlist: found 2 source dimensions and 1 destinations, wanted as many of both");
  CHECK(refused([&] { ops::movedim(x, dims{0, -4}, dims{0, 1}); }) ==
        "aten::movedim.intlist: found dimension -4 twice in the source, wanted it once");
  CHECK(refused([&] { ops::movedim(x, dims{0, 1}, dims{2, 2}); }) ==
        "aten::movedim.intlist: found dimension 2 twice in the destination, wanted it once");
  CHECK(refused([&] { ops::movedim_int(x, 4, 0); }) == "aten::movedim.int: found dimension 4, wanted -4 to 3");
}

TEST_CASE("view: expand_as, view_as, reshape_as and aliases agree with expand, view and reshape", "[ops][view]") {
  const tensor row = tensor_of({1, 2, 3}, {3}), other = tb::author::make_tensor({2, 3}, dtype::boolean, tb::meta);
  CHECK(same(ops::broadcast_to(row, dims{2, 3}), ops::expand(row, dims{2, 3})));
  CHECK(same(ops::expand_as(row, other), ops::expand(row, dims{2, 3})));
  const tensor six = tensor_of({0, 1, 2, 3, 4, 5}, {6});
  CHECK(same(ops::view_as(six, other), ops::view(six, dims{2, 3})));
  CHECK(same(ops::reshape_as(six, other), ops::view(six, dims{2, 3})));
  CHECK(values(ops::reshape_as(ops::t(counted), other)) == std::vector<double>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("view: atleast adds dimensions as PyTorch does", "[ops][view]") {
  const tensor cube = tb::author::make_tensor({2, 3, 4}, dtype::float32, tb::cpu);
  CHECK(ops::atleast_1d(point).sizes() == dims{1});
  CHECK(ops::atleast_2d(point).sizes() == dims{1, 1});
  CHECK(ops::atleast_3d(point).sizes() == dims{1, 1, 1});
  CHECK(ops::atleast_1d(line).same_as(line));
  CHECK(ops::atleast_2d(line).sizes() == dims{1, 3});
  CHECK(ops::atleast_3d(line).sizes() == dims{1, 3, 1});
  CHECK(ops::atleast_2d(counted).same_as(counted));
  CHECK(ops::atleast_3d(counted).sizes() == dims{2, 3, 1});
  CHECK(ops::atleast_3d(cube).same_as(cube));
  CHECK(shares(ops::atleast_3d(line), line));
}

TEST_CASE("view: contiguous copies only if the tensor is not dense", "[ops][view]") {
  CHECK(ops::contiguous(counted).same_as(counted));
  const tensor turned = ops::t(counted), copy = ops::contiguous(turned);
  CHECK_FALSE(shares(copy, turned));
  CHECK(copy.is_contiguous());
  CHECK(values(copy) == values(turned));
  CHECK(text_of<tb::error>([] { ops::contiguous(counted, tb::memory_format::preserve); }) ==
        "aten::contiguous: found preserve_format, wanted contiguous_format");
}

TEST_CASE("view: flatten joins dimensions, ravel all, as views where the strides allow it", "[ops][view]") {
  const tensor x = tb::author::make_tensor({2, 3, 4, 5}, dtype::float32, tb::cpu);
  const auto flat = [&](std::int64_t from, std::int64_t to) { return ops::flatten(x, from, to).sizes(); };
  CHECK(flat(0, -1) == dims{120});
  CHECK(flat(1, 2) == dims{2, 12, 5});
  CHECK(flat(-2, -1) == dims{2, 3, 20});
  CHECK(ops::flatten(x, 2, 2).same_as(x));
  CHECK(ops::flatten(point).sizes() == dims{1});
  CHECK(ops::flatten(empty_one).sizes() == dims{0});
  CHECK(shares(ops::flatten(ops::transpose(x, 2, 3), 0, 1), x));
  CHECK_FALSE(shares(ops::flatten(ops::transpose(x, 1, 2), 0, 1), x));
  CHECK(values(ops::ravel(ops::t(counted))) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(ops::ravel(point).sizes() == dims{1});
  CHECK(ops::ravel(empty_one).sizes() == dims{0});
  CHECK(refused([&] { ops::flatten(x, 2, 1); }) ==
        "aten::flatten.using_ints: found start_dim 2 behind end_dim 1 of a tensor [2, 3, 4, 5]");
  CHECK(refused([&] { ops::flatten(x, 0, 4); }) == "aten::flatten.using_ints: found dimension 4, wanted -4 to 3");
}

TEST_CASE("view: unflatten splits a dimension of any strides into several", "[ops][view]") {
  support::numbers source(23);
  for (int round = 0; round < 100; ++round) {
    const tensor x = support::random_view(source, 1);
    for (std::size_t d = 0; d < x.dim(); ++d) {
      for (const dims& parts : support::shapes_of(x.sizes()[d], 3)) {
        if (parts.empty()) continue;
        dims wanted = support::without(x.sizes(), d), open = parts;
        for (std::size_t k = 0; k < parts.size(); ++k) wanted = support::with(wanted, d + k, parts[k]);
        open[parts.size() - 1] = -1;
        const tensor y = ops::unflatten(x, static_cast<std::int64_t>(d), parts);
        CHECK(y.sizes() == wanted);
        CHECK(shares(x, y));
        CHECK(values(y) == values(x));
        CHECK(ops::unflatten(x, static_cast<std::int64_t>(d), open).sizes() == wanted);
      }
    }
  }
  CHECK(ops::unflatten(empty_one, 0, dims{2, 0, 5}).sizes() == dims{2, 0, 5, 3});
  const auto text = [](const tensor& x, const dims& parts) { return refused([&] { ops::unflatten(x, 1, parts); }); };
  const auto wanted = [](const dims& parts) {
    return "aten::unflatten.int: found the sizes " + tb::to_string(parts) +
           " for dimension 1 of a tensor [2, 3], wanted a product of 3";
  };
  for (const dims& parts : {dims{2, 2}, dims{2, -1}, dims{-1, -1}, dims{-3, -1}, dims{0, -1}}) {
    CHECK(text(counted, parts) == wanted(parts));
  }
  CHECK(text(counted, {}) == "aten::unflatten.int: found no sizes for dimension 1, wanted one or more");
  const dims many(tb::max_dims, 1);
  CHECK(text(counted, many) == "aten::unflatten.int: found " + tb::to_string(many) +
                                   " for dimension 1 of a tensor [2, 3], wanted at most " +
                                   std::to_string(tb::max_dims) + " dimensions in all");
  CHECK(refused([] { ops::unflatten(point, 0, dims{1}); }) ==
        "aten::unflatten.int: found dimension 0, wanted none, the tensor is a scalar");
}

TEST_CASE("view_composite: t of fewer than two dimensions is a view too, and is not recorded under no_grad",
          "[ops][view]") {
  for (const tensor& given : {tensor_of({1, 2}, {2}), tensor_of({7}, {})}) {
    const tensor x = tb::require_grad(given);
    CHECK(shares(x, ops::t(x)));
    CHECK(tb::requires_grad(ops::t(x)));
    const tb::no_grad off;
    CHECK_FALSE(tb::requires_grad(ops::t(x)));
  }
}

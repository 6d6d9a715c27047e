// Gradients of views: of each operator, of views of views, of elements that several views share, and of lists of views.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_gradients;
using support::values;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using list = std::vector<std::int64_t>;

namespace {

void check_view(const std::string& name, const tb::shape& sizes, tensor (*view)(const tensor&)) {
  check_gradients({name, {sizes}, [view](in x) { return out{view(x[0])}; }});
  // Of a result, each of whose elements has another slope.
  check_gradients({name + " of a result", {sizes}, [view](in x) { return out{view(x[0] * x[0])}; }});
}

}  // namespace

TEST_CASE("view gradients: the order of dimensions", "[gradients]") {
  check_view("transpose", {2, 3, 2}, [](auto& x) { return aten::transpose_int(x, 0, -1); });
  check_view("transpose, no dimensions", {}, [](auto& x) { return aten::transpose_int(x, 0, -1); });
  check_view("permute", {2, 3, 4}, [](auto& x) { return aten::permute(x, list{2, 0, 1}); });
  check_view("permute from behind", {2, 3, 4}, [](auto& x) { return aten::permute(x, list{-1, -3, -2}); });
  check_view("swapaxes", {2, 3}, [](auto& x) { return aten::swapaxes(x, 0, 1); });
  check_view("swapdims", {2, 3}, [](auto& x) { return aten::swapdims(x, 0, 1); });
  check_view("movedim", {2, 3, 2}, [](auto& x) { return aten::movedim_intlist(x, list{0, -1}, list{1, 0}); });
  check_view("movedim, one", {2, 3, 2}, [](auto& x) { return aten::movedim_int(x, 0, -1); });
  check_view("t", {2, 3}, [](auto& x) { return aten::t(x); });
  check_view("numpy_T", {2, 3, 2}, [](auto& x) { return aten::numpy_T(x); });
  check_view("mT", {2, 3, 2}, [](auto& x) { return aten::mT(x); });
  check_view("mH", {2, 3, 2}, [](auto& x) { return aten::mH(x); });
  check_view("adjoint", {2, 3, 2}, [](auto& x) { return aten::adjoint(x); });
  check_view("matrix_H", {2, 3}, [](auto& x) { return aten::matrix_H(x); });
}

TEST_CASE("view gradients: dimensions of size 1, and expanded dimensions", "[gradients]") {
  check_view("unsqueeze", {2, 3}, [](auto& x) { return aten::unsqueeze(x, 1); });
  check_view("unsqueeze behind", {2, 3}, [](auto& x) { return aten::unsqueeze(x, -1); });
  check_view("unsqueeze, no dimensions", {}, [](auto& x) { return aten::unsqueeze(x, 0); });
  check_view("squeeze", {1, 3, 1}, [](auto& x) { return aten::squeeze(x); });
  check_view("squeeze of nothing", {2, 3}, [](auto& x) { return aten::squeeze(x); });
  check_view("squeeze, one", {1, 3, 1}, [](auto& x) { return aten::squeeze_dim(x, -1); });
  check_view("expand", {2, 1, 3}, [](auto& x) { return aten::expand(x, list{4, 2, 2, -1}); });
  check_view("expand, no dimensions", {}, [](auto& x) { return aten::expand(x, list{2, 2}); });
  check_view("expand to nothing", {1, 3}, [](auto& x) { return aten::expand(x, list{0, 3}); });
  check_view("broadcast_to", {3}, [](auto& x) { return aten::broadcast_to(x, list{2, 3}); });
  check_view("expand_as", {3}, [](auto& x) { return aten::expand_as(x, aten::zeros(list{2, 3})); });
  check_view("atleast_1d", {}, [](auto& x) { return aten::atleast_1d(x); });
  check_view("atleast_2d", {3}, [](auto& x) { return aten::atleast_2d(x); });
  check_view("atleast_3d", {2, 3}, [](auto& x) { return aten::atleast_3d(x); });
}

TEST_CASE("view gradients: the same elements in another shape", "[gradients]") {
  check_view("view", {2, 3}, [](auto& x) { return aten::view(aten::contiguous(x), list{3, -1}); });
  check_view("view_as", {2, 3}, [](auto& x) { return aten::view_as(aten::contiguous(x), aten::zeros(list{6})); });
  check_view("reshape", {2, 6}, [](auto& x) { return aten::reshape(x, list{3, 4}); });
  check_view("reshape_as", {2, 3}, [](auto& x) { return aten::reshape_as(x, aten::zeros(list{3, 2})); });
  check_view("flatten", {2, 3, 2}, [](auto& x) { return aten::flatten_using_ints(x, 1); });
  check_view("ravel", {2, 3}, [](auto& x) { return aten::ravel(x); });
  check_view("unflatten", {2, 6}, [](auto& x) { return aten::unflatten_int(x, 1, list{2, -1}); });
  check_view("contiguous", {2, 3}, [](auto& x) { return aten::contiguous(aten::transpose_int(x, 0, 1)); });
  check_view("alias", {2, 3}, [](auto& x) { return aten::alias(x); });
  check_view("alias of nothing", {0, 3}, [](auto& x) { return aten::alias(x); });
}

TEST_CASE("view gradients: a part of the elements", "[gradients]") {
  check_view("select", {2, 3}, [](auto& x) { return aten::select_int(x, -1, -3); });
  check_view("slice", {2, 7}, [](auto& x) { return aten::slice_Tensor(x, -1, 1, 6, 2); });
  check_view("slice from behind", {5, 2}, [](auto& x) { return aten::slice_Tensor(x, 0, -4, -1); });
  check_view("slice of nothing", {2, 3}, [](auto& x) { return aten::slice_Tensor(x, 1, 2, 2); });
  check_view("narrow", {2, 5}, [](auto& x) { return aten::narrow(x, 1, -4, 2); });
  check_view("narrow, a tensor", {2, 5},
             [](auto& x) { return aten::narrow_Tensor(x, 1, support::tensor_of({2}, {}, tb::dtype::int64), 2); });
  check_view("diagonal", {3, 4}, [](auto& x) { return aten::diagonal(x); });
  check_view("diagonal above", {3, 2, 4}, [](auto& x) { return aten::diagonal(x, 2, 0, -1); });
  check_view("diagonal below", {4, 3}, [](auto& x) { return aten::diagonal(x, -2); });
  check_view("diagonal of nothing", {2, 2}, [](auto& x) { return aten::diagonal(x, 5); });
  check_view("unfold", {7, 2}, [](auto& x) { return aten::unfold(x, 0, 3, 2); });
  check_view("unfold, overlapping", {2, 5}, [](auto& x) { return aten::unfold(x, -1, 3, 1); });
  check_view("unfold, apart", {7}, [](auto& x) { return aten::unfold(x, 0, 2, 3); });
  check_view("unfold, no dimensions", {}, [](auto& x) { return aten::unfold(x, 0, 1, 1); });
}

TEST_CASE("view gradients: any strides, with elements visible once, twice, or not at all", "[gradients]") {
  const auto check = [](const std::string& name, const tb::shape& sizes, auto view) { check_view(name, sizes, +view); };
  check("as_strided", {3, 4},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{2, 2}, list{4, 2}, std::nullopt); });
  check("as_strided, from a place", {3, 4},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{3}, list{3}, 2); });
  check("as_strided, overlapping", {6},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{3, 3}, list{1, 1}, 1); });
  check("as_strided, overlapping apart", {12},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{2, 3, 2}, list{3, 2, 4}, 0); });
  check("as_strided, one element often", {4},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{2, 3}, list{0, 1}, 0); });
  check("as_strided of a view", {3, 4}, [](const tensor& x) {
    return aten::as_strided(aten::transpose_int(aten::contiguous(x), 0, 1), list{2, 2}, list{1, 5}, 1);
  });
  check("as_strided to no dimensions", {3},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{}, list{}, 2); });
  check("as_strided to nothing", {3},
        [](const tensor& x) { return aten::as_strided(aten::contiguous(x), list{0, 2}, list{1, 1}, 0); });
}

TEST_CASE("view gradients: copies in which a view is overwritten", "[gradients]") {
  const auto check = [](const std::string& name, const tb::shape& sizes, const tb::shape& src,
                        tensor (*f)(const tensor&, const tensor&)) {
    check_gradients({name, {sizes, src}, [=](in x) { return out{f(x[0], x[1])}; }});
    check_gradients({name + " of results", {sizes, src}, [=](in x) { return out{f(x[0] * x[0], x[1] * x[1])}; }});
  };
  using T = const tensor&;
  check("select_scatter", {2, 3}, {2}, [](T x, T y) { return aten::select_scatter(x, y, 1, -1); });
  check("select_scatter of a row", {3}, {}, [](T x, T y) { return aten::select_scatter(x, y, 0, 1); });
  check("slice_scatter", {2, 7}, {2, 3}, [](T x, T y) { return aten::slice_scatter(x, y, -1, 1, 6, 2); });
  check("slice_scatter of all", {3, 2}, {3, 2}, [](T x, T y) { return aten::slice_scatter(x, y); });
  check("slice_scatter of nothing", {2, 3}, {2, 0}, [](T x, T y) { return aten::slice_scatter(x, y, 1, 2, 2); });
  check("diagonal_scatter", {3, 4}, {3}, [](T x, T y) { return aten::diagonal_scatter(x, y); });
  check("diagonal_scatter above", {3, 2, 4}, {2, 2}, [](T x, T y) { return aten::diagonal_scatter(x, y, 2, 0, -1); });
  check("as_strided_scatter", {3, 4}, {2, 2}, [](T x, T y) {
    return aten::as_strided_scatter(aten::contiguous(x), y, list{2, 2}, list{4, 2}, std::nullopt);
  });
  check("as_strided_scatter, from a place", {3, 4}, {3},
        [](T x, T y) { return aten::as_strided_scatter(aten::contiguous(x), y, list{3}, list{3}, 2); });
  check("as_strided_scatter, transposed", {3, 4}, {2, 2}, [](T x, T y) {
    return aten::as_strided_scatter(aten::transpose_int(aten::contiguous(x), 0, 1), y, list{2, 2}, list{1, 5}, 1);
  });
  check("as_strided_scatter, also beside self", {3, 4}, {6}, [](T x, T y) {
    return aten::as_strided_scatter(aten::slice_Tensor(aten::contiguous(x), 1, 1, 3), y, list{6}, list{2}, 0);
  });
  check("as_strided_scatter, before self", {3, 4}, {2}, [](T x, T y) {
    return aten::as_strided_scatter(aten::select_int(aten::contiguous(x), 0, 2), y, list{2}, list{7}, 1);
  });
  check("as_strided_scatter of repeated elements", {3}, {4},
        [](T x, T y) { return aten::as_strided_scatter(aten::expand(x, list{2, 3}), y, list{4}, list{1}, 1); });
  check("as_strided_scatter of nothing", {3}, {0, 2},
        [](T x, T y) { return aten::as_strided_scatter(aten::contiguous(x), y, list{0, 2}, list{1, 1}, 5); });
}

// The argument's elements share memory, and so they share what arrives: PyTorch's rule, and its numbers.
TEST_CASE("view gradients: as_strided of elements that share memory", "[gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2, 3}, {3}));
  const tensor wide = aten::expand(x * 1, list{2, 3});
  const tensor y = aten::as_strided(wide, list{2, 2}, list{1, 1}, 0);
  const tensor total = aten::sum(y * support::tensor_of({1, 2, 3, 4}, {2, 2}));
  tb::backward(total);
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{1, 5, 4});
}

// What is not reached from the argument's elements has no gradient, of any order.
TEST_CASE("view gradients: as_strided beyond elements that share memory", "[gradients]") {
  const auto f = [](in x) {
    const tensor wide = aten::expand(x[0] * x[0], list{2, 3});
    return out{aten::as_strided(aten::slice_Tensor(wide, 1, 0, 2), list{2, 3}, list{0, 1}, 0)};
  };
  const std::vector<tensor> x{tb::require_grad(support::tensor_of({1, 2, 3}, {3}))};
  const tb::check_result twice = tb::gradgradcheck(f, x);
  INFO(twice.text);
  CHECK(twice.ok);
}

TEST_CASE("view gradients: views of views, and several of one tensor", "[gradients]") {
  check_view("a chain", {4, 3, 2}, [](auto& x) {
    return aten::select_int(aten::transpose_int(aten::slice_Tensor(aten::permute(x, list{2, 0, 1}), 1, 0, 4, 2), 0, 2),
                            0, 1);
  });
  check_gradients({"several", {{3, 4}}, [](in x) {
                     const tensor y = x[0] * x[0];
                     return out{aten::select_int(y, 0, 1) * aten::select_int(y, 0, 2), aten::diagonal(y) * 2,
                                aten::t(y)};
                   }});
}

TEST_CASE("view gradients: lists of views", "[gradients]") {
  check_gradients({"split", {{5, 2}}, [](in x) { return aten::split_Tensor(x[0] * x[0], 2, 0); }});
  check_gradients({"split by sizes", {{2, 5}}, [](in x) { return aten::split_with_sizes(x[0], list{1, 0, 4}, 1); }});
  check_gradients({"split.sizes", {{2, 5}}, [](in x) { return aten::split_sizes(x[0], list{2, 3}, -1); }});
  check_gradients({"chunk", {{5, 2}}, [](in x) { return aten::chunk(x[0], 3); }});
  check_gradients({"tensor_split", {{5, 2}}, [](in x) { return aten::tensor_split_sections(x[0], 3); }});
  check_gradients({"unbind", {{2, 3}}, [](in x) { return aten::unbind_int(x[0] * x[0], 1); }});
  check_gradients({"broadcast_tensors", {{2, 1}, {3}}, [](in x) { return aten::broadcast_tensors(x); }});
  check_gradients({"meshgrid", {{2}, {3}}, [](in x) { return aten::meshgrid(x); }});
  check_gradients({"atleast, lists", {{}, {3}}, [](in x) {
                     out all = aten::atleast_1d_Sequence(x);
                     for (auto f : {aten::atleast_2d_Sequence(x), aten::atleast_3d_Sequence(x)})
                       all.insert(all.end(), f.begin(), f.end());
                     return all;
                   }});
}

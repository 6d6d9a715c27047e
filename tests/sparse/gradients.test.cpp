// Gradients of conversions, views and selections: functions of the values of a sparse tensor, whose places are fixed.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/scale.h"

import topbit;
import topbit.sparse;

#include "sparse_values.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::layout;

namespace {

struct places {
  tb::tensor indices;
  tb::shape sizes;
};
// Entries out of order and at one place; without dense dimensions and with one.
const places flat{tb::tensor({{1, 0, 1, 2, 0}, {0, 2, 0, 1, 1}}), {3, 3}};
const places hybrid{tb::tensor({{1, 0, 1, 2, 0}, {0, 2, 0, 1, 1}}), {3, 3, 2}};
const places distinct{tb::tensor({{0, 0, 1, 2}, {1, 2, 0, 1}}), {3, 3}};

using function = std::function<tb::tensor(const tb::tensor&)>;

// Checks first and second derivatives of f(sparse tensor) for its values.
void check(const places& at, const function& f) {
  tb::shape sizes{at.indices.sizes()[1]};
  for (std::size_t d = static_cast<std::size_t>(at.indices.sizes()[0]); d < at.sizes.size(); ++d)
    sizes.push_back(at.sizes[d]);
  const tb::tensor v = tb::require_grad(random_tensors(3).values(sizes, tb::dtype::float64) * 0.7 + 0.1);
  const auto g = [&](std::span<const tb::tensor> in) {
    const tb::tensor y = f(tb::sparse_coo_tensor(at.indices, in[0], at.sizes));
    // Products, so that second derivatives are not zero.
    const tb::tensor dense = tb::to_dense(y);
    return std::vector<tb::tensor>{dense * dense};
  };
  const std::vector<tb::tensor> inputs{v};
  const tb::check_result first = tb::gradcheck(g, inputs);
  CHECK(first.text == "");
  CHECK(first.ok);
  const tb::check_result second = tb::gradgradcheck(g, inputs);
  CHECK(second.text == "");
  CHECK(second.ok);
}

}  // namespace

TEST_CASE("gradients: conversions and copies") {
  for (const places& at : {flat, distinct}) {
    check(at, [](const tb::tensor& s) { return s; });
    check(at, [](const tb::tensor& s) { return tb::coalesce(s); });
    check(at, [](const tb::tensor& s) { return tb::to_sparse_csr(s); });
    check(at, [](const tb::tensor& s) { return tb::to_sparse_csc(s); });
    check(at, [](const tb::tensor& s) { return tb::sparse::coo_from(tb::to_sparse_csc(s)); });
    check(at, [](const tb::tensor& s) { return tb::to_sparse_csr(tb::t(tb::to_sparse_csr(s))); });
    check(at, [](const tb::tensor& s) { return tb::to_sparse(tb::to_dense(s)); });
    check(at, [](const tb::tensor& s) { return tb::drop_zeros(s); });
    check(at, [](const tb::tensor& s) { return tb::clone(s); });
    check(at, [](const tb::tensor& s) { return tb::alias(s); });
    check(at, [](const tb::tensor& s) { return tb::values(tb::coalesce(s)); });
    check(at, [](const tb::tensor& s) { return tb::select(tb::to_sparse_csr(s), 0, 1); });
    check(at, [](const tb::tensor& s) { return tb::select(tb::to_sparse_csr(s), 1, 1); });
    check(at, [](const tb::tensor& s) { return tb::to_dense(s, std::nullopt, arg<"masked_grad"> = false); });
  }
  check(hybrid, [](const tb::tensor& s) { return tb::coalesce(s); });
}

TEST_CASE("gradients: views and selections") {
  const tb::tensor some = tb::tensor({2, 0, 0});
  for (const places& at : {flat, hybrid}) {
    check(at, [](const tb::tensor& s) { return tb::transpose(s, 0, 1); });
    check(at, [](const tb::tensor& s) { return tb::unsqueeze(s, 0); });
    check(at, [](const tb::tensor& s) { return tb::squeeze(tb::unsqueeze(s, -1), -1); });
    check(at, [](const tb::tensor& s) { return tb::select(s, 0, 1); });
    check(at, [](const tb::tensor& s) { return tb::select(tb::select(s, 0, 1), 0, 0); });
    check(at, [](const tb::tensor& s) { return tb::narrow(s, 1, 1, 2); });
    check(at, [&](const tb::tensor& s) { return tb::index_select(s, 0, some); });
    check(at, [](const tb::tensor& s) { return tb::cat(std::array{s, tb::coalesce(s)}, 0); });
    check(at, [](const tb::tensor& s) { return tb::stack(std::array{s, s}, 1); });
    check(at, [](const tb::tensor& s) { return tb::unbind(s, 1)[0]; });
  }
  check(hybrid, [](const tb::tensor& s) { return tb::select(s, 2, 1); });
  check(hybrid, [](const tb::tensor& s) { return tb::index_select(s, 2, tb::tensor({1, 1, 0})); });
  check(hybrid, [](const tb::tensor& s) { return tb::cat(std::array{s, s}, 2); });
}

TEST_CASE("gradients: of a sparse leaf are sparse with its pattern, unless masked_grad is False") {
  for (const bool compressed : {false, true}) {
    tb::tensor s = tb::sparse_coo_tensor(distinct.indices, tb::tensor({1.f, 2.f, 3.f, 4.f}), distinct.sizes);
    if (compressed) s = tb::to_sparse_csr(s);
    tb::require_grad(s);
    const tb::tensor weights = tb::reshape(tb::arange(9, arg<"dtype"> = tb::dtype::float32), {3, 3});
    const tb::tensor g = tb::grad(tb::sum(tb::to_dense(s) * weights), s);
    CHECK(g.layout() == s.layout());
    CHECK(tb::sparse::same_pattern(g, s));
    CHECK(same(tb::values(g), tb::tensor({1.f, 2.f, 3.f, 7.f})));
    const tb::tensor whole = tb::grad(tb::sum(tb::to_dense(s, std::nullopt, arg<"masked_grad"> = false) * weights), s);
    CHECK(same(whole, weights));
    const tb::tensor copied = tb::to(tb::clone(s), tb::dtype::float64);
    CHECK(tb::sparse::same_pattern(tb::grad(tb::sum(tb::values(copied)), s), s));
    CHECK_FALSE(tb::requires_grad(tb::detach(s)));
    CHECK_FALSE(tb::requires_grad(tb::_values(tb::sparse::coo_from(s))));
  }
}

TEST_CASE("gradients: of a sparse leaf with duplicates is that of their sum") {
  const tb::tensor s = tb::sparse_coo_tensor(tb::tensor({{1, 1, 0}}), tb::tensor({1.f, 2.f, 3.f}), {3});
  tb::require_grad(s);
  const tb::tensor weights = tb::tensor({5.f, 7.f, 9.f});
  const tb::tensor g = tb::grad(tb::sum(tb::to_dense(tb::clone(s)) * weights), s);
  CHECK(g.layout() == layout::sparse_coo);
  CHECK(same(tb::to_dense(g), tb::tensor({5.f, 7.f, 0.f})));
}

TEST_CASE("gradients: of the result of another pattern, and dense ones, are read at the tensor's places") {
  const tb::tensor v = tb::require_grad(tb::tensor({1.f, 2.f, 3.f, 4.f}));
  const tb::tensor s = tb::sparse_coo_tensor(distinct.indices, v, distinct.sizes);
  const tb::tensor other =
      tb::sparse_coo_tensor(tb::tensor({{2, 2, 0}, {1, 0, 2}}), tb::tensor({8.f, 9.f, 1.f}), {3, 3});
  CHECK(same(tb::sparse::values_at(other, tb::detach(s)), tb::tensor({0.f, 1.f, 0.f, 8.f})));
  CHECK(same(tb::sparse::values_at(tb::to_sparse_csc(other), tb::detach(s)), tb::tensor({0.f, 1.f, 0.f, 8.f})));
  CHECK(same(tb::sparse::values_at(tb::to_dense(other), tb::detach(s)), tb::tensor({0.f, 1.f, 0.f, 8.f})));
  CHECK(same(tb::sparse::values_at(other, tb::detach(tb::to_sparse_csc(s))), tb::tensor({0.f, 0.f, 8.f, 1.f})));
  // of the same pattern without a copy; entries at one place are added first
  const tb::tensor once = tb::coalesce(other);
  CHECK(tb::sparse::values_at(once, tb::clone(once)).data() == tb::values(once).data());
  CHECK(same(tb::sparse::values_at(other, tb::clone(other)), tb::tensor({8.f, 9.f, 1.f})));
  const tb::tensor twice = tb::sparse_coo_tensor(tb::tensor({{1, 1, 0}}), tb::tensor({1.f, 2.f, 3.f}), {2});
  CHECK(same(tb::sparse::values_at(twice, tb::clone(twice)), tb::tensor({3.f, 3.f, 3.f})));
  tb::backward(s, other);
  CHECK(same(tb::leaf_grad(v), tb::tensor({0.f, 1.f, 0.f, 8.f})));
}

TEST_CASE("gradients: in-place operators give self the history of their result") {
  const tb::tensor v = tb::require_grad(tb::tensor({1.0, 2.0}));
  const tb::tensor s = tb::sparse_coo_tensor(tb::tensor({{0, 2}}), v, {3});
  tb::tensor t = tb::clone(tb::to_sparse(tb::tensor({1.0, 1.0, 1.0})));
  tb::copy_(t, s);
  CHECK(same(tb::grad(tb::sum(tb::to_dense(t) * tb::tensor({3.0, 5.0, 7.0})), v), tb::tensor({3.0, 7.0})));
  tb::tensor dense = tb::ones({3}, arg<"dtype"> = tb::dtype::float64);
  tb::copy_(dense, s);
  CHECK(same(tb::grad(tb::sum(dense * tb::tensor({3.0, 5.0, 7.0})), v), tb::tensor({3.0, 7.0})));
  tb::tensor u = tb::clone(s);
  tb::zero_(u);
  CHECK_FALSE(tb::requires_grad(u));
  tb::tensor leaf = tb::require_grad(tb::to_sparse(tb::tensor({1.0, 2.0})));
  CHECK(throws<tb::error>([&] { tb::zero_(leaf); }));
  const tb::no_grad off;
  tb::zero_(leaf);
  CHECK(tb::nnz(leaf) == 0);
  CHECK(tb::requires_grad(leaf));
}

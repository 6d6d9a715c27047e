// First and second derivatives of operators for the values of sparse tensors and for strided ones. The gradient of a
// sparse tensor has its pattern, that of a strided one is strided.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/scale.h"

import topbit;
import topbit.sparse;

#include "operators.h"

namespace tb = topbit;
using namespace sparse_test;
using tb::arg, tb::dtype, tb::layout, tb::shape, tb::tensor;
using tensors = std::span<const tensor>;

namespace {

// Where the entries of the first argument are, and its layout.
struct pattern {
  tensor indices;
  shape sizes;
  layout how = layout::sparse_coo;

  tensor with(const tensor& values) const {
    return tb::to_sparse(tb::sparse_coo_tensor(indices, values, sizes), arg<"layout"> = how);
  }
  tensor uncoalesced(const tensor& values) const { return tb::sparse_coo_tensor(indices, values, sizes); }
  shape value_sizes() const {
    shape all{indices.sizes()[1]};
    for (std::size_t d = static_cast<std::size_t>(indices.sizes()[0]); d < sizes.size(); ++d) all.push_back(sizes[d]);
    return all;
  }
};
const tensor repeated{tb::tensor({{1, 0, 1, 2, 0}, {0, 2, 0, 1, 1}})},
    distinct{tb::tensor({{0, 0, 1, 2}, {1, 2, 0, 1}})};
const pattern coo{repeated, {3, 3}}, other{tb::tensor({{0, 1, 2, 2}, {2, 0, 0, 1}}), {3, 3}},
    hybrid{repeated, {3, 3, 2}}, csr{distinct, {3, 3}, layout::sparse_csr}, csc{distinct, {3, 3}, layout::sparse_csc};
const pattern matrices[] = {coo, csr, csc}, all_kinds[] = {coo, hybrid, csr, csc};

// Not at points without a derivative, and no two alike.
tensor numbers(const shape& sizes, std::uint64_t seed) {
  const std::int64_t count = tb::numel(sizes);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = std::sin(static_cast<double>(7 * i + seed)) * 1.1 + (static_cast<double>(i % 3) - 1) * 0.4;
  }
  return tb::require_grad(tb::from_values(all, sizes));
}

using function = std::function<tensor(tensors)>;

// Of f(strided tensors) squared, so that second derivatives are not zero.
void check(const std::vector<tensor>& inputs, const function& f) {
  const auto g = [&](tensors in) {
    const tensor y = tb::to_dense(f(in));
    return std::vector<tensor>{y * y};
  };
  const tb::check_result first = tb::gradcheck(g, inputs);
  CHECK(first.text == "");
  CHECK(first.ok);
  // Second derivatives cost ten times as much.
  static sampled_cases sampled;
  if (!sampled.is_drawn()) return;
  const tb::check_result second = tb::gradgradcheck(g, inputs);
  CHECK(second.text == "");
  CHECK(second.ok);
}
// f(sparse tensor, strided tensors...)
void check(const pattern& p, const std::vector<shape>& others, const function& f) {
  INFO(name_of(p.how) << " " << to_string(p.sizes));
  std::vector<tensor> inputs{numbers(p.value_sizes(), 1)};
  for (const shape& sizes : others) inputs.push_back(numbers(sizes, inputs.size() + 4));
  check(inputs, [&](tensors in) {
    std::vector<tensor> arguments(in.begin(), in.end());
    arguments[0] = p.how == layout::sparse_coo ? p.uncoalesced(in[0]) : p.with(in[0]);
    return f(arguments);
  });
}

}  // namespace

TEST_CASE("sparse gradients: elementwise functions", "[sparse][operators][gradients]") {
  const function functions[] = {
      [](tensors in) { return tb::sin(in[0]); },    [](tensors in) { return tb::square(in[0]); },
      [](tensors in) { return tb::abs(in[0]); },    [](tensors in) { return tb::relu(in[0]); },
      [](tensors in) { return tb::neg(in[0]); },    [](tensors in) { return tb::tanh(in[0]); },
      [](tensors in) { return tb::pow(in[0], 3); }, [](tensors in) { return tb::sqrt(tb::square(in[0])); },
      [](tensors in) { return in[0] * 3 / 2; },
  };
  for (const pattern& p : {coo, hybrid, csr}) {
    for (const function& f : functions) check(p, {}, f);
  }
}

TEST_CASE("sparse gradients: arithmetic with strided tensors", "[sparse][operators][gradients]") {
  for (const pattern& p : all_kinds) {
    const shape same = p.sizes, row{p.sizes[p.sizes.size() - 1]};
    check(p, {same}, [](tensors in) { return in[0] + in[1]; });
    check(p, {same}, [](tensors in) { return tb::sub(in[1], in[0], arg<"alpha"> = 2); });
    check(p, {same}, [](tensors in) { return in[0] * in[1]; });
    check(p, {row}, [](tensors in) { return in[1] * in[0]; });
    check(p, {shape{}}, [](tensors in) { return in[0] * in[1]; });
    check(p, {same}, [](tensors in) { return in[0] / (tb::square(in[1]) + 1); });
  }
}

TEST_CASE("sparse gradients: arithmetic of two sparse tensors", "[sparse][operators][gradients]") {
  for (const layout how : {layout::sparse_coo, layout::sparse_csr, layout::sparse_csc}) {
    const auto with_two = [&](auto f) {
      check({numbers({5}, 1), numbers({4}, 2)}, [&](tensors in) {
        const tensor a = coo.uncoalesced(in[0]), b = other.uncoalesced(in[1]);
        return f(tb::to_sparse(a, arg<"layout"> = how), tb::to_sparse(b, arg<"layout"> = how));
      });
    };
    with_two([](const tensor& a, const tensor& b) { return a + b; });
    with_two([](const tensor& a, const tensor& b) { return tb::sub(a, b, arg<"alpha"> = 3); });
    with_two([](const tensor& a, const tensor& b) { return a * b; });
    with_two([](const tensor& a, const tensor& b) { return tb::mm(a, b); });
    with_two([](const tensor& a, const tensor& b) { return a * a + b * tb::t(tb::t(b)); });
  }
  // Before they are coalesced.
  check({numbers({5}, 1), numbers({4}, 2)},
        [&](tensors in) { return coo.uncoalesced(in[0]) + other.uncoalesced(in[1]); });
}

TEST_CASE("sparse gradients: operators that write", "[sparse][operators][gradients]") {
  for (const pattern& p : {coo, hybrid, csr}) {
    check(p, {p.sizes}, [](tensors in) {
      tensor s = tb::clone(in[0]);
      tb::mul_(s, in[1]);
      tb::sin_(s);
      tb::add_(s, in[0]);
      return s;
    });
    check(p, {p.sizes}, [](tensors in) {
      tensor d = in[1] * 2;
      tb::add_(d, in[0], arg<"alpha"> = 3);
      tb::sub_(d, in[0] * in[0]);
      return d;
    });
  }
}

TEST_CASE("sparse gradients: reductions", "[sparse][operators][gradients]") {
  for (const pattern& p : all_kinds) {
    check(p, {}, [](tensors in) { return tb::sum(in[0]); });
    check(p, {}, [](tensors in) { return tb::mean(in[0]); });
    check(p, {}, [](tensors in) { return tb::norm(in[0]); });
    check(p, {}, [](tensors in) { return tb::norm(in[0], 3); });
    check(p, {}, [](tensors in) { return tb::amax(in[0]); });
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(p.sizes.size()); ++dim) {
      for (const bool keepdim : {false, true}) {
        check(p, {}, [&](tensors in) { return tb::sum(in[0], dim, keepdim); });
        check(p, {}, [&](tensors in) { return tb::amin(in[0], dim, keepdim); });
      }
      check(p, {}, [&](tensors in) { return tb::norm(in[0], 2, shape{dim}); });
    }
  }
}

TEST_CASE("sparse gradients: softmax and masks", "[sparse][operators][gradients]") {
  for (const pattern& p : all_kinds) {
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(p.sizes.size()); ++dim) {
      check(p, {}, [&](tensors in) { return tb::softmax(in[0], dim); });
      check(p, {}, [&](tensors in) { return tb::log_softmax(in[0], dim); });
    }
  }
  for (const pattern& p : matrices) {
    const tensor mask = tb::to_sparse(other.uncoalesced(tb::ones({4})), arg<"layout"> = p.how);
    check(p, {{3, 3}}, [&](tensors in) { return tb::sparse_mask(in[0], mask) + tb::sparse_mask(in[1], mask); });
  }
}

TEST_CASE("sparse gradients: products", "[sparse][operators][gradients]") {
  for (const pattern& p : matrices) {
    check(p, {{3, 2}}, [](tensors in) { return tb::mm(in[0], in[1]); });
    check(p, {{2, 3}}, [](tensors in) { return tb::mm(in[1], in[0]); });
    check(p, {{3}}, [](tensors in) { return tb::mv(in[0], in[1]); });
    check(p, {{3, 2}, {2}},
          [](tensors in) { return tb::addmm(in[2], in[0], in[1], arg<"beta"> = 2, arg<"alpha"> = 3); });
    check(p, {{2, 3}, {3}}, [](tensors in) { return tb::linear(in[1], in[0], in[2]); });
    check(p, {{3, 2}, {2, 3}}, [](tensors in) { return tb::sampled_addmm(in[0], in[1], in[2], arg<"beta"> = 2); });
    for (const char* how : {"sum", "mean", "amax", "amin"})
      check(p, {{3, 2}}, [&](tensors in) { return tb::mm_reduce(in[0], in[1], how); });
  }
  const pattern cube{tb::tensor({{0, 1, 1, 0}, {1, 0, 1, 1}, {2, 0, 2, 2}}), {2, 2, 3}};
  check(cube, {{2, 3, 2}}, [](tensors in) { return tb::bmm(in[0], in[1]); });
  check(cube, {{2, 2, 2}}, [](tensors in) { return tb::bmm(in[1], in[0]); });
}

TEST_CASE("sparse gradients: a sparse leaf gets one with its pattern, a strided leaf a strided one",
          "[sparse][operators][gradients]") {
  const function functions[] = {
      [](tensors in) { return tb::mm(in[0], in[1]); },
      [](tensors in) { return in[0] * in[1]; },
      [](tensors in) { return in[0] + in[1]; },
      [](tensors in) { return tb::softmax(in[0], 1) * in[1]; },
      [](tensors in) { return tb::sum(in[0], 1); },
      [](tensors in) { return tb::mm(in[0], in[0]); },
      [](tensors in) { return tb::sparse_mask(in[1], in[0]) * in[0]; },
  };
  for (const pattern& p : {pattern{distinct, {3, 3}}, csr, csc}) {
    for (const function& f : functions) {
      const tensor s = tb::require_grad(tb::detach(p.with(numbers({4}, 1)))), d = numbers({3, 3}, 2);
      const std::array<tensor, 2> in{s, d};
      const tensor y = tb::to_dense(f(in));
      const std::vector<tensor> g = tb::grad(std::array{tb::sum(y * y)}, in, {.allow_unused = true});
      CHECK(g[0].layout() == p.how);
      CHECK(integers(tb::_indices(tb::sparse::coo_from(g[0]))) == integers(tb::_indices(tb::sparse::coo_from(s))));
      if (g[1].defined()) CHECK(g[1].layout() == layout::strided);
    }
  }
}

// Random calls of products of matrices and vectors; see support/random_gradients.h.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/random_gradients.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_random_rules;
using support::drawn_call;
using support::random_rule;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using source = support::numbers;

namespace {

// 1 to 3, seldom 0.
std::int64_t size(source& s) { return s.whole(0, 14) == 0 ? 0 : s.whole(1, 3); }

// Shapes of a product of one kind.
using shapes = std::function<std::vector<shape>(source&)>;
random_rule product(const std::string& name, shapes of, std::function<tensor(in)> f) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call { return {of(s), [f](in x) { return out{f(x)}; }}; },
          .narrow = 4};
}

std::vector<shape> matrices(source& s) {
  const std::int64_t k = size(s);
  return {{size(s), k}, {k, size(s)}};
}
std::vector<shape> batches(source& s) {
  const std::int64_t b = size(s), k = size(s);
  return {{b, size(s), k}, {b, k, size(s)}};
}
// What is added first, of sizes that broadcast to the product's.
std::vector<shape> added(source& s, std::vector<shape> factors, const shape& result) {
  factors.insert(factors.begin(), s.narrowed(result));
  return factors;
}
std::vector<shape> matrices_and_more(source& s) {
  const std::vector<shape> m = matrices(s);
  return added(s, m, {m[0][0], m[1][1]});
}
std::vector<shape> batches_and_more(source& s) {
  const std::vector<shape> m = batches(s);
  return added(s, m, {m[0][0], m[0][1], m[1][2]});
}
std::vector<shape> summed_batches_and_more(source& s) {
  const std::vector<shape> m = batches(s);
  return added(s, m, {m[0][1], m[1][2]});
}
std::vector<shape> same_vectors(source& s) {
  const shape n{size(s)};
  return {n, n};
}
std::vector<shape> vectors(source& s) { return {{size(s)}, {size(s)}}; }
std::vector<shape> matrix_and_vector(source& s) {
  const std::int64_t k = size(s);
  return {{size(s), k}, {k}};
}
// Vectors, matrices or batches of them that broadcast.
std::vector<shape> any_factors(source& s) {
  const std::int64_t k = size(s);
  const shape batch = support::small_shape(s, 0, 2, false, 4);
  const auto factor = [&](const shape& alone, const shape& matrix) {
    if (s.whole(0, 3) == 0) return alone;
    shape all = s.whole(0, 1) == 0 ? batch : s.narrowed(batch);
    for (const std::int64_t n : matrix) all.push_back(n);
    return all;
  };
  return {factor({k}, {size(s), k}), factor({k}, {k, size(s)})};
}
// Input, weight and perhaps a bias.
std::vector<shape> layer(source& s) {
  const std::int64_t k = size(s), n = s.whole(1, 3);
  shape input = support::small_shape(s, 0, 2, true, 4);
  input.push_back(k);
  std::vector<shape> all{input, {n, k}};
  if (s.whole(0, 1) == 0) all.push_back({n});
  return all;
}
tensor linear(in x) { return x.size() == 3 ? aten::linear(x[0], x[1], x[2]) : aten::linear(x[0], x[1]); }

// self is written, so it has the sizes of the result.
random_rule added_in_place(const std::string& name, shapes factors,
                           std::function<shape(const shape&, const shape&)> sizes,
                           std::function<void(tensor&, in)> write) {
  return product(
      name,
      [=](source& s) {
        std::vector<shape> all = factors(s);
        all.insert(all.begin(), sizes(all[0], all[1]));
        return all;
      },
      [write](in x) {
        tensor y = aten::clone(x[0]);
        write(y, x);
        return y;
      });
}

// Of rows of two matrices, or of batches of them that broadcast; no row is one of the other's.
using distance_of = tensor (*)(const tensor&, const tensor&, double p);
random_rule distance(const std::string& name, bool of_pairs, distance_of f) {
  return {.name = name,
          .draw = [=](source& s) -> drawn_call {
            const double p = std::array{1.0, 2.0, 3.0}[static_cast<std::size_t>(s.whole(0, 2))];
            const std::int64_t k = size(s), rows = size(s);
            const shape batch = support::small_shape(s, 0, 2, true, 4);
            const auto matrix = [&](const shape& front, std::int64_t n) {
              shape all = front;
              all.push_back(n);
              all.push_back(k);
              return all;
            };
            return {{matrix(batch, rows), matrix(s.narrowed(batch), of_pairs ? rows : size(s))},
                    [=](in x) { return support::beside_sums({f(x[0], x[1], p)}, x); },
                    support::said("p", p)};
          },
          .narrow = 8};
}

const std::vector<random_rule> rules{
    product("mm", matrices, [](in x) { return aten::mm(x[0], x[1]); }),
    product("mm, transposed", matrices, [](in x) { return aten::mm(aten::t(x[1]), aten::t(x[0])); }),
    product("bmm", batches, [](in x) { return aten::bmm(x[0], x[1]); }),
    product("bmm, transposed", batches,
            [](in x) { return aten::bmm(aten::transpose_int(x[1], 1, 2), aten::transpose_int(x[0], 1, 2)); }),
    product("addmm", matrices_and_more,
            [](in x) { return aten::addmm(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); }),
    product("baddbmm", batches_and_more,
            [](in x) { return aten::baddbmm(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); }),
    product("addbmm", summed_batches_and_more,
            [](in x) { return aten::addbmm(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); }),
    product(
        "addmv",
        [](source& s) {
          const std::vector<shape> m = matrix_and_vector(s);
          return added(s, m, {m[0][0]});
        },
        [](in x) { return aten::addmv(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); }),
    product(
        "addr",
        [](source& s) {
          const std::vector<shape> v = vectors(s);
          return added(s, v, {v[0][0], v[1][0]});
        },
        [](in x) { return aten::addr(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); }),
    added_in_place(
        "addmm_", matrices, [](const shape& a, const shape& b) { return shape{a[0], b[1]}; },
        [](tensor& y, in x) { aten::addmm_(y, x[1], x[2], arg<"alpha"> = -2); }),
    added_in_place(
        "baddbmm_", batches, [](const shape& a, const shape& b) { return shape{a[0], a[1], b[2]}; },
        [](tensor& y, in x) { aten::baddbmm_(y, x[1], x[2], arg<"alpha"> = -2); }),
    added_in_place(
        "addbmm_", batches, [](const shape& a, const shape& b) { return shape{a[1], b[2]}; },
        [](tensor& y, in x) { aten::addbmm_(y, x[1], x[2], arg<"alpha"> = -2); }),
    added_in_place(
        "addmv_", matrix_and_vector, [](const shape& a, const shape&) { return shape{a[0]}; },
        [](tensor& y, in x) { aten::addmv_(y, x[1], x[2], arg<"alpha"> = -2); }),
    added_in_place(
        "addr_", vectors, [](const shape& a, const shape& b) { return shape{a[0], b[0]}; },
        [](tensor& y, in x) { aten::addr_(y, x[1], x[2], arg<"alpha"> = -2); }),
    product("_addmm_activation", matrices_and_more,
            [](in x) { return aten::_addmm_activation(x[0], x[1], x[2], arg<"use_gelu"> = true); }),
    product("dot", same_vectors, [](in x) { return aten::dot(x[0], x[1]); }),
    product("outer", vectors, [](in x) { return aten::outer(x[0], x[1]); }),
    product("mv", matrix_and_vector, [](in x) { return aten::mv(x[0], x[1]); }),
    product("matmul", any_factors, [](in x) { return aten::matmul(x[0], x[1]); }),
    product("linear", layer, linear),
    product(
        "inner",
        [](source& s) {
          const std::int64_t k = size(s);
          return std::vector<shape>{{size(s), k}, {size(s), k}};
        },
        [](in x) { return aten::inner(x[0], x[1]); }),
    product(
        "kron", [](source& s) { return std::vector<shape>{{size(s), size(s)}, {size(s)}}; },
        [](in x) { return aten::kron(x[0], x[1]); }),
    product(
        "einsum bij,bkj->ik",
        [](source& s) {
          const std::int64_t b = size(s), j = size(s);
          return std::vector<shape>{{b, size(s), j}, {b, size(s), j}};
        },
        [](in x) { return aten::einsum("bij,bkj->ik", x); }),
    product(
        "einsum i,ij,j->",
        [](source& s) {
          const std::int64_t i = size(s), j = size(s);
          return std::vector<shape>{{i}, {i, j}, {j}};
        },
        [](in x) { return aten::einsum("i,ij,j->", x); }),
    product(
        "tensordot",
        [](source& s) {
          const std::int64_t i = size(s), j = size(s);
          return std::vector<shape>{{size(s), i, j}, {j, i, size(s)}};
        },
        [](in x) { return aten::tensordot(x[0], x[1], shape{1, 2}, shape{1, 0}); }),
    product(
        "linalg_cross",
        [](source& s) {
          const shape sizes{size(s), 3, size(s)};
          return std::vector<shape>{{s.whole(0, 1) == 0 ? 1 : sizes[0], 3, sizes[2]}, sizes};
        },
        [](in x) { return aten::linalg_cross(x[0], x[1], arg<"dim"> = 1); }),
    distance("cdist", false, [](const tensor& x, const tensor& y, double p) { return aten::cdist(x, y, p); }),
    distance("pairwise_distance", true,
             [](const tensor& x, const tensor& y, double p) { return aten::pairwise_distance(x, y, p); }),
    distance("cosine_similarity", true,
             [](const tensor& x, const tensor& y, double) { return aten::cosine_similarity(x, y, -1); }),
    product(
        "cross",
        [](source& s) {
          const shape sizes{size(s), 3, size(s)};
          return std::vector<shape>{sizes, {s.whole(0, 1) == 0 ? 1 : sizes[0], 3, sizes[2]}};
        },
        [](in x) { return aten::cross(x[0], x[1], -2); }),
};

}  // namespace

TEST_CASE("random gradients: products", "[gradients][random]") { check_random_rules(rules, 100); }

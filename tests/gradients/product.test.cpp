// Gradients of products of matrices and vectors.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_gradients;
using tb::arg;
using tb::shape;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

tensor fixed(const shape& sizes, const tensor& like) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tb::numel(sizes); ++i) values.push_back(0.25 * static_cast<double>(i % 7) - 0.6);
  return tb::to(tb::from_values(values, sizes), like.dtype());
}

}  // namespace

TEST_CASE("product gradients: mm and bmm, of transposed and empty matrices too", "[gradients]") {
  check_gradients({"mm", {{2, 3}, {3, 4}}, [](in x) { return out{aten::mm(x[0], x[1])}; }});
  check_gradients(
      {"mm, transposed", {{3, 2}, {4, 3}}, [](in x) { return out{aten::mm(aten::t(x[0]), aten::t(x[1]))}; }});
  check_gradients({"mm of one tensor", {{3, 3}}, [](in x) { return out{aten::mm(x[0], x[0])}; }});
  check_gradients({"mm of a fixed one", {{2, 3}}, [](in x) { return out{aten::mm(x[0], fixed({3, 2}, x[0]))}; }});
  check_gradients({"mm with a fixed one", {{3, 2}}, [](in x) { return out{aten::mm(fixed({2, 3}, x[0]), x[0])}; }});
  check_gradients({"bmm", {{2, 2, 3}, {2, 3, 4}}, [](in x) { return out{aten::bmm(x[0], x[1])}; }});
  check_gradients({"bmm, transposed", {{2, 3, 2}, {2, 4, 3}}, [](in x) {
                     return out{aten::bmm(aten::transpose_int(x[0], 1, 2), aten::transpose_int(x[1], 1, 2))};
                   }});
  for (const auto& [a, b] :
       std::vector<std::pair<shape, shape>>{{{0, 3}, {3, 2}}, {{2, 0}, {0, 3}}, {{2, 3}, {3, 0}}, {{1, 1}, {1, 1}}}) {
    check_gradients({"mm", {a, b}, [](in x) { return out{aten::mm(x[0], x[1])}; }});
  }
}

TEST_CASE("product gradients: a product added to a broadcast tensor, with factors, in place too", "[gradients]") {
  for (const shape& self : std::vector<shape>{{2, 4}, {4}, {2, 1}, {}}) {
    for (const auto& [beta, alpha] : {std::pair(1.0, 1.0), {0.5, -2.0}, {0.0, 3.0}}) {
      check_gradients({"addmm", {self, {2, 3}, {3, 4}}, [=](in x) {
                         return out{aten::addmm(x[0], x[1], x[2], arg<"beta"> = beta, arg<"alpha"> = alpha)};
                       }});
      check_gradients({"baddbmm", {self, {2, 2, 3}, {2, 3, 4}}, [=](in x) {
                         return out{aten::baddbmm(x[0], x[1], x[2], arg<"beta"> = beta, arg<"alpha"> = alpha)};
                       }});
    }
    check_gradients({"addbmm", {self, {2, 2, 3}, {2, 3, 4}}, [](in x) {
                       return out{aten::addbmm(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = 3)};
                     }});
    check_gradients({"addr", {self, {2}, {4}}, [](in x) {
                       return out{aten::addr(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = 3)};
                     }});
  }
  for (const shape& self : std::vector<shape>{{2}, {1}, {}}) {
    check_gradients({"addmv", {self, {2, 3}, {3}}, [](in x) {
                       return out{aten::addmv(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = 3)};
                     }});
  }
  const auto in_place = [](const auto& op, const shape& self, const shape& a, const shape& b) {
    check_gradients({std::string(op.name()), {self, a, b}, [&op](in x) {
                       tensor y = aten::clone(x[0]);
                       op(y, x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2);
                       return out{y};
                     }});
  };
  in_place(aten::addmm_, {2, 4}, {2, 3}, {3, 4});
  in_place(aten::baddbmm_, {2, 2, 4}, {2, 2, 3}, {2, 3, 4});
  in_place(aten::addbmm_, {2, 4}, {2, 2, 3}, {2, 3, 4});
  in_place(aten::addmv_, {2}, {2, 3}, {3});
  in_place(aten::addr_, {2, 4}, {2}, {4});
  check_gradients({"addmm, fixed factors", {{2, 4}}, [](in x) {
                     return out{aten::addmm(x[0], fixed({2, 3}, x[0]), fixed({3, 4}, x[0]))};
                   }});
}

TEST_CASE("product gradients: an activation after a product", "[gradients]") {
  for (const bool gelu : {false, true}) {
    for (const shape& self : std::vector<shape>{{2, 4}, {4}}) {
      check_gradients({"_addmm_activation", {self, {2, 3}, {3, 4}}, [=](in x) {
                         return out{aten::_addmm_activation(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = 2,
                                                            arg<"use_gelu"> = gelu)};
                       }});
    }
  }
}

TEST_CASE("product gradients: vectors", "[gradients]") {
  check_gradients({"dot", {{3}, {3}}, [](in x) { return out{aten::dot(x[0], x[1])}; }});
  check_gradients({"vdot", {{3}, {3}}, [](in x) { return out{aten::vdot(x[0], x[1])}; }});
  check_gradients({"dot of one tensor", {{3}}, [](in x) { return out{aten::dot(x[0], x[0])}; }});
  check_gradients({"dot of nothing", {{0}, {0}}, [](in x) { return out{aten::dot(x[0], x[1])}; }});
  check_gradients({"mv", {{2, 3}, {3}}, [](in x) { return out{aten::mv(x[0], x[1])}; }});
  check_gradients({"outer", {{2}, {3}}, [](in x) { return out{aten::outer(x[0], x[1])}; }});
  check_gradients({"ger", {{2}, {3}}, [](in x) { return out{aten::ger(x[0], x[1])}; }});
  check_gradients({"kron", {{2, 2}, {3}}, [](in x) { return out{aten::kron(x[0], x[1])}; }});
  check_gradients({"trace", {{2, 3}}, [](in x) { return out{aten::trace(x[0])}; }});
  check_gradients({"inner", {{2, 3}, {2, 3}}, [](in x) { return out{aten::inner(x[0], x[1])}; }});
}

TEST_CASE("product gradients: matmul of all ranks, batches broadcast", "[gradients]") {
  const std::vector<std::pair<shape, shape>> shapes{
      {{3}, {3}},
      {{3}, {3, 2}},
      {{2, 3}, {3}},
      {{2, 3}, {3, 2}},
      {{2, 2, 3}, {3}},
      {{3}, {2, 3, 2}},
      {{2, 2, 3}, {3, 2}},
      {{2, 3}, {2, 3, 2}},
      {{2, 2, 3}, {2, 3, 2}},
      {{1, 2, 3}, {2, 3, 2}},
      {{2, 1, 2, 3}, {2, 3, 2}},
  };
  for (const auto& [a, b] : shapes) {
    check_gradients(
        {"matmul " + to_string(a) + to_string(b), {a, b}, [](in x) { return out{aten::matmul(x[0], x[1])}; }});
  }
  check_gradients({"linalg_matmul", {{2, 3}, {3, 2}}, [](in x) { return out{aten::linalg_matmul(x[0], x[1])}; }});
}

TEST_CASE("product gradients: linear, with and without a bias", "[gradients]") {
  for (const shape& input : std::vector<shape>{{3}, {2, 3}, {2, 2, 3}}) {
    check_gradients({"linear", {input, {4, 3}}, [](in x) { return out{aten::linear(x[0], x[1])}; }});
    check_gradients({"linear, bias", {input, {4, 3}, {4}}, [](in x) { return out{aten::linear(x[0], x[1], x[2])}; }});
    check_gradients({"linear, vector", {input, {3}}, [](in x) { return out{aten::linear(x[0], x[1])}; }});
  }
  check_gradients(
      {"linear, fixed weight", {{2, 3}, {4}}, [](in x) { return out{aten::linear(x[0], fixed({4, 3}, x[0]), x[1])}; }});
}

TEST_CASE("product gradients: einsum and tensordot", "[gradients]") {
  const auto einsum = [](const char* equation, const std::vector<shape>& shapes) {
    check_gradients({equation, shapes, [=](in x) { return out{aten::einsum(equation, x)}; }});
  };
  einsum("ij,jk->ik", {{2, 3}, {3, 2}});
  einsum("ij,ij->", {{2, 3}, {2, 3}});
  einsum("bij,bkj->bik", {{2, 2, 3}, {2, 2, 3}});
  einsum("...ij,jk", {{2, 2, 3}, {3, 2}});
  einsum("ii->i", {{3, 3}});
  einsum("ij->ji", {{2, 3}});
  einsum("ij->", {{2, 3}});
  einsum("i,ij,j->", {{2}, {2, 3}, {3}});
  check_gradients({"tensordot", {{2, 3, 2}, {3, 2, 2}}, [](in x) {
                     return out{aten::tensordot(x[0], x[1], shape{1, 2}, shape{0, -1})};
                   }});
}

TEST_CASE("product gradients: the gradient of a factor has the memory order of the factor", "[gradients]") {
  const tensor x = tb::require_grad(fixed({5, 3}, tb::from_values({0.0}, {1})));
  const tensor w = tb::require_grad(fixed({4, 3}, x)), many = tb::require_grad(fixed({2, 4, 3}, x));
  const auto gradient_of = [](const tensor& leaf, const tensor& result) {
    const tensor total = aten::sum(result);
    return tb::grad(std::span(&total, 1), std::span(&leaf, 1))[0];
  };
  CHECK(gradient_of(w, aten::mm(x, aten::t(w))).is_contiguous());
  CHECK(gradient_of(w, aten::linear(x, w, fixed({4}, x))).is_contiguous());
  CHECK(gradient_of(w, aten::mm(aten::t(w), fixed({4, 2}, x))).is_contiguous());
  CHECK(gradient_of(w, aten::mm(w, fixed({3, 2}, x))).is_contiguous());
  CHECK(gradient_of(x, aten::mm(fixed({2, 5}, x), x)).is_contiguous());
  CHECK(gradient_of(many, aten::bmm(fixed({2, 2, 3}, x), aten::transpose_int(many, 1, 2))).is_contiguous());
}

TEST_CASE("product gradients: a factor is saved only if the gradient of the other is needed", "[gradients]") {
  const tensor like = tb::from_values({0.0}, {1});
  const tensor x = tb::require_grad(fixed({2, 3}, like)), w = tb::require_grad(fixed({3, 2}, like));
  // Whether a call of `layer` keeps its argument.
  const auto keeps = [](const tensor& leaf, const auto& layer) {
    const tensor y = aten::clone(leaf);
    const tensor result = layer(y);
    return tb::author::record_of(y).references.load() != 1;
  };
  CHECK_FALSE(keeps(x, [&](const tensor& y) { return aten::mm(y, tb::detach(w)); }));
  CHECK(keeps(x, [&](const tensor& y) { return aten::mm(y, w); }));
  CHECK_FALSE(keeps(w, [&](const tensor& y) { return aten::mm(tb::detach(x), y); }));
  CHECK(keeps(w, [&](const tensor& y) { return aten::mm(x, y); }));
  const tensor start = tb::require_grad(fixed({2, 2}, like));
  CHECK_FALSE(keeps(start, [&](const tensor& y) { return aten::addmm(y, x, w); }));
  CHECK_FALSE(keeps(x, [&](const tensor& y) { return aten::addmm(start, y, tb::detach(w)); }));
  CHECK(keeps(x, [&](const tensor& y) { return aten::addmm(start, y, w); }));
}

// Writes in place to views: gradients of what was there, of what was written, of views made before the write, and of
// these gradients, in small programs that PyTorch was asked about.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
#include "support/raises.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::check_gradients;
using support::tensor_of;
using support::values;
using tb::tensor;
using T = const tensor&;
using in = std::span<const tensor>;
using out = support::tensor_list;
using list = std::vector<std::int64_t>;
using numbers = std::vector<double>;
using index_list = std::vector<std::optional<tensor>>;

namespace {

tensor at(const numbers& places) {
  return tensor_of(places, {static_cast<std::int64_t>(places.size())}, tb::dtype::int64);
}
tensor mask_of(const numbers& bits) {
  return tensor_of(bits, {static_cast<std::int64_t>(bits.size())}, tb::dtype::boolean);
}

// Of x = [[1, 2, 3], [4, 5, 6]] and w = [0.5, 0.25, 2]. Behind the loss stand its gradients for both, and the gradients
// of the sum of their squares; empty where there is none.
struct program {
  std::string name;
  tensor (*loss)(T x, T w);
  double value;
  numbers x, w, second_x, second_w;
};

numbers listed(T t) { return t.defined() ? values(t) : numbers{}; }

// As PyTorch 2.15 computes them.
const program programs[] = {
    {"a row, times numbers",
     [](T x, T w) {
       tensor y = x * 1;
       tensor row = aten::select_int(y, 0, 0);
       aten::mul_Tensor_(row, w);
       return aten::sum(y * y);
     },
     113.5,
     {0.5, 0.25, 24, 8, 10, 12},
     {1, 2, 36},
     {4.5, 8.0625, 2112, 32, 40, 48},
     {6, 33, 2448}},
    {"a view that was made before its base was written",
     [](T x, T w) {
       tensor y = x * 2;
       const tensor v = aten::select_int(y, 0, 1);
       aten::mul_Tensor_(y, w);
       return aten::sum(v * v);
     },
     598.25,
     {0, 0, 0, 8, 2.5, 192},
     {64, 50, 576},
     {0, 0, 0, 4128, 2002.5, 233472},
     {16896, 20100, 405504}},
    {"a view of a view, seen by another",
     [](T x, T w) {
       tensor y = x * 1;
       const tensor v = aten::t(y), row = aten::select_int(y, 0, 0);
       tensor part = aten::select_int(v, 0, 1);
       aten::copy_(part, aten::slice_Tensor(w, 0, 0, 2));
       return aten::sum(row * row * row) + aten::sum(v * v);
     },
     90.4375,
     {5, 0, 33, 8, 0, 12},
     {1.75, 0.5, 0},
     {80, 0, 1320, 32, 0, 48},
     {17.5, 2, 0}},
    {"a diagonal, twice",
     [](T x, T w) {
       tensor y = x * 1;
       tensor d = aten::diagonal(y);
       aten::add_Tensor_(d, aten::slice_Tensor(w, 0, 0, 2));
       aten::mul_Tensor_(d, aten::slice_Tensor(w, 0, 1, 3));
       return aten::sum(y * y);
     },
     175.390625,
     {0.1875, 4, 6, 8, 42, 12},
     {0.1875, 43.125, 110.25},
     {129.46875, 16, 24, 32, 10623, 48},
     {129.46875, 11012.25, 19305.5625}},
    {"rows of a tensor that was no result",
     [](T x, T w) {
       tensor y = aten::zeros(list{2, 3}, tb::arg<"dtype"> = tb::dtype::float64);
       const tensor first = aten::select_int(y, 0, 0);
       tensor top = aten::select_int(y, 0, 0), low = aten::select_int(y, 0, 1);
       aten::copy_(top, w);
       aten::copy_(low, aten::select_int(x, 0, 1) * 2);
       return aten::sum(y * y) + aten::sum(first * w);
     },
     316.625,
     {0, 0, 0, 32, 40, 48},
     {2, 1, 8},
     {0, 0, 0, 512, 640, 768},
     {16, 8, 64}},
    {"a mask, in a row of columns",
     [](T x, T) {
       tensor y = x * 1;
       const tensor a = aten::slice_Tensor(y, 1, 1);
       tensor b = aten::select_int(a, 0, 0);
       aten::masked_fill_Scalar_(b, mask_of({1, 0}), 7);
       return aten::sum(a * aten::slice_Tensor(y, 1, 0, 2));
     },
     78.0,
     {7, 0, 7, 5, 10, 5},
     {},
     {0, 0, 0, 20, 20, 20},
     {}},
    {"added at places, of which one repeats",
     [](T x, T w) {
       tensor y = x * 1;
       tensor line = aten::view(y, list{-1});
       aten::index_put_(line, index_list{at({0, 0, 5})}, w, true);
       return aten::sum(y * y);
     },
     121.0625,
     {3.5, 4, 6, 8, 10, 16},
     {3.5, 3.5, 16},
     {42, 16, 24, 32, 40, 128},
     {42, 42, 128}},
    {"a row and a column that cross",
     [](T x, T w) {
       tensor y = x * 1;
       tensor u = aten::select_int(y, 0, 0), v = aten::select_int(y, 1, 1);
       aten::mul_Tensor_(u, w);
       aten::add_Tensor_(v, aten::slice_Tensor(w, 0, 0, 2));
       aten::add_Tensor_(u, w);
       return aten::sum(y * y) + aten::sum(u * w) + aten::sum(v * v);
     },
     192.0625,
     {1.25, 1.3125, 36, 8, 21, 12},
     {11.25, 38, 80},
     {113.75, 669.15625, 6336, 32, 472, 48},
     {1363.125, 3978.8125, 8992}},
    {"filled with a number, and with zeros",
     [](T x, T) {
       tensor y = x * x;
       tensor row = aten::select_int(y, 0, 0), column = aten::select_int(y, 1, 2);
       aten::fill_Scalar_(row, 3);
       aten::zero_(column);
       return aten::sum(y * x);
     },
     198.0,
     {3, 3, 0, 48, 75, 0},
     {},
     {0, 0, 0, 2304, 4500, 0},
     {}},
    {"a copy that broadcasts and is of another dtype",
     [](T x, T w) {
       tensor y = x * 1;
       tensor part = aten::slice_Tensor(y, 1, 0, 2);
       aten::copy_(part, aten::unsqueeze(tb::to(aten::slice_Tensor(w, 0, 1), tb::dtype::float32), 1));
       return aten::sum(y * y);
     },
     53.125,
     {0, 0, 6, 0, 0, 12},
     {0, 1, 8},
     {0, 0, 24, 0, 0, 48},
     {0, 8, 64}},
    {"scattered into a transposed view",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = aten::t(y);
       aten::scatter_src_(v, 0, aten::view(at({2, 0}), list{1, 2}), aten::unsqueeze(aten::slice_Tensor(w, 0, 0, 2), 0));
       return aten::sum(y * y * y);
     },
     350.140625,
     {3, 12, 0, 0, 75, 108},
     {0.75, 0.1875, 0},
     {36, 288, 0, 0, 4500, 7776},
     {4.5, 0.5625, 0}},
    {"any strides",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = aten::as_strided(y, list{2, 2}, list{2, 1}, 1);
       aten::mul_Tensor_(v, aten::slice_Tensor(w, 0, 0, 2));
       return aten::sum(y * y);
     },
     44.125,
     {2, 1, 0.375, 2, 0.625, 12},
     {20, 17, 0},
     {8, 161, 102.09375, 322, 170.15625, 48},
     {1640, 2320.5, 0}},
    {"from one view of the base to another",
     [](T x, T w) {
       tensor y = x * 1;
       tensor top = aten::select_int(y, 0, 0), low = aten::select_int(y, 0, 1);
       aten::copy_(top, low + low);
       aten::mul_Tensor_(low, w);
       return aten::sum(y * y * y);
     },
     4977.953125,
     {0, 0, 0, 390, 601.171875, 1728},
     {48, 23.4375, 2592},
     {0, 0, 0, 155556, 289785.2783203125, 8709120},
     {46512, 25697.021484375, 17915904}},
    {"a write that is not recorded",
     [](T x, T w) {
       tensor y = x * 1;
       const tensor v = aten::select_int(y, 0, 0);
       {
         const tb::no_grad guard;
         aten::mul_Scalar_(y, 5);
       }
       return aten::sum(v * w);
     },
     35.0,
     {0.5, 0.25, 2, 0, 0, 0},
     {5, 10, 15},
     {10, 20, 30, 0, 0, 0},
     {1, 0.5, 4}},
    {"a triangle of a transposed view, and a column from a result",
     [](T x, T w) {
       tensor y = x * w;
       tensor v = aten::t(y), column = aten::select_int(y, 1, 0);
       aten::tril_(v);
       aten::fill_Tensor_(column, aten::select_int(w, 0, 2));
       return aten::sum(y * y);
     },
     189.8125,
     {0, 0.25, 24, 0, 0.625, 48},
     {0, 14.5, 188},
     {0, 58.0625, 9408, 0, 145.15625, 18816},
     {0, 1689.25, 41104}},
    {"slices added and filled at an index",
     [](T x, T w) {
       tensor y = x * 1;
       tensor low = aten::select_int(y, 0, 1);
       aten::index_add_(low, 0, at({0, 0, 2}), w, tb::arg<"alpha"> = 3);
       aten::index_fill_int_Tensor_(y, 1, at({1}), aten::select_int(w, 0, 0));
       return aten::sum(y * y * y);
     },
     2000.390625,
     {3, 0, 27, 117.1875, 0, 432},
     {353.0625, 351.5625, 1296},
     {36, 0, 972, 167329.6875, 0, 622080},
     {506225.8125, 501989.0625, 1866240}},
    {"a view that is used, written, used and written again",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = aten::select_int(y, 0, 0);
       tensor total = aten::sum(v + v + v);
       aten::mul_Tensor_(v, w);
       total = total + aten::sum(v + v);
       aten::zero_(v);
       return total + aten::sum(y * y);
     },
     109.0,
     {4, 3.5, 7, 8, 10, 12},
     {2, 4, 6},
     {8, 16, 24, 32, 40, 48},
     {16, 14, 28}},
    {"what a mask chooses, and a view that is the same shape again",
     [](T x, T w) {
       tensor y = x * 1;
       const tensor both[] = {w, w};
       aten::masked_scatter_(y, aten::gt_Scalar(tb::detach(y), 2), aten::cat(both));
       tensor part = aten::squeeze_dim(aten::unsqueeze(aten::slice_Tensor(y, 1, 1), 0), 0);
       aten::add_Tensor_(part, aten::slice_Tensor(w, 0, 0, 2));
       return aten::sum(y * y);
     },
     14.6875,
     {2, 5, 0, 0, 0, 0},
     {13, 3.5, 5},
     {8, 72, 0, 0, 0, 0},
     {276, 146, 72}},
};

}  // namespace

TEST_CASE("written views: small programs have PyTorch's gradients, and gradients of gradients", "[gradients]") {
  for (const program& p : programs) {
    INFO(p.name);
    const tensor both[] = {tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3})),
                           tb::require_grad(tensor_of({0.5, 0.25, 2}, {3}))};
    const tensor loss = p.loss(both[0], both[1]);
    CHECK(tb::item<double>(loss) == p.value);
    // Once in the ordinary way, and once recorded.
    const out plain = tb::grad(std::span(&loss, 1), both, {.retain_graph = true, .allow_unused = true});
    const out g = tb::grad(std::span(&loss, 1), both, {.create_graph = true, .allow_unused = true});
    CHECK(listed(plain[0]) == p.x);
    CHECK(listed(plain[1]) == p.w);
    CHECK(listed(g[0]) == p.x);
    CHECK(listed(g[1]) == p.w);
    tensor squares = aten::sum(g[0] * g[0]);
    if (g[1].defined()) squares = squares + aten::sum(g[1] * g[1]);
    const out second = tb::grad(std::span(&squares, 1), both, {.allow_unused = true});
    CHECK(listed(second[0]) == p.second_x);
    CHECK(listed(second[1]) == p.second_w);
  }
}

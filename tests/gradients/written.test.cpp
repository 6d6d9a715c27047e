// Writes in place to views: gradients of what was there, of what was written, of views made before the write, and of
// these gradients. What PyTorch says of small programs, and every kind of view with every kind of write.
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
namespace ops = topbit::ops;
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
       tensor row = ops::select(y, 0, 0);
       ops::mul_(row, w);
       return ops::sum(y * y);
     },
     113.5,
     {0.5, 0.25, 24, 8, 10, 12},
     {1, 2, 36},
     {4.5, 8.0625, 2112, 32, 40, 48},
     {6, 33, 2448}},
    {"a view that was made before its base was written",
     [](T x, T w) {
       tensor y = x * 2;
       const tensor v = ops::select(y, 0, 1);
       ops::mul_(y, w);
       return ops::sum(v * v);
     },
     598.25,
     {0, 0, 0, 8, 2.5, 192},
     {64, 50, 576},
     {0, 0, 0, 4128, 2002.5, 233472},
     {16896, 20100, 405504}},
    {"a view of a view, seen by another",
     [](T x, T w) {
       tensor y = x * 1;
       const tensor v = ops::t(y), row = ops::select(y, 0, 0);
       tensor part = ops::select(v, 0, 1);
       ops::copy_(part, ops::slice(w, 0, 0, 2));
       return ops::sum(row * row * row) + ops::sum(v * v);
     },
     90.4375,
     {5, 0, 33, 8, 0, 12},
     {1.75, 0.5, 0},
     {80, 0, 1320, 32, 0, 48},
     {17.5, 2, 0}},
    {"a diagonal, twice",
     [](T x, T w) {
       tensor y = x * 1;
       tensor d = ops::diagonal(y);
       ops::add_(d, ops::slice(w, 0, 0, 2));
       ops::mul_(d, ops::slice(w, 0, 1, 3));
       return ops::sum(y * y);
     },
     175.390625,
     {0.1875, 4, 6, 8, 42, 12},
     {0.1875, 43.125, 110.25},
     {129.46875, 16, 24, 32, 10623, 48},
     {129.46875, 11012.25, 19305.5625}},
    {"rows of a tensor that was no result",
     [](T x, T w) {
       tensor y = ops::zeros(list{2, 3}, tb::arg<"dtype"> = tb::dtype::float64);
       const tensor first = ops::select(y, 0, 0);
       tensor top = ops::select(y, 0, 0), low = ops::select(y, 0, 1);
       ops::copy_(top, w);
       ops::copy_(low, ops::select(x, 0, 1) * 2);
       return ops::sum(y * y) + ops::sum(first * w);
     },
     316.625,
     {0, 0, 0, 32, 40, 48},
     {2, 1, 8},
     {0, 0, 0, 512, 640, 768},
     {16, 8, 64}},
    {"a mask, in a row of columns",
     [](T x, T) {
       tensor y = x * 1;
       const tensor a = ops::slice(y, 1, 1);
       tensor b = ops::select(a, 0, 0);
       ops::masked_fill_(b, mask_of({1, 0}), 7);
       return ops::sum(a * ops::slice(y, 1, 0, 2));
     },
     78.0,
     {7, 0, 7, 5, 10, 5},
     {},
     {0, 0, 0, 20, 20, 20},
     {}},
    {"added at places, of which one repeats",
     [](T x, T w) {
       tensor y = x * 1;
       tensor line = ops::view(y, list{-1});
       ops::index_put_(line, index_list{at({0, 0, 5})}, w, true);
       return ops::sum(y * y);
     },
     121.0625,
     {3.5, 4, 6, 8, 10, 16},
     {3.5, 3.5, 16},
     {42, 16, 24, 32, 40, 128},
     {42, 42, 128}},
    {"a row and a column that cross",
     [](T x, T w) {
       tensor y = x * 1;
       tensor u = ops::select(y, 0, 0), v = ops::select(y, 1, 1);
       ops::mul_(u, w);
       ops::add_(v, ops::slice(w, 0, 0, 2));
       ops::add_(u, w);
       return ops::sum(y * y) + ops::sum(u * w) + ops::sum(v * v);
     },
     192.0625,
     {1.25, 1.3125, 36, 8, 21, 12},
     {11.25, 38, 80},
     {113.75, 669.15625, 6336, 32, 472, 48},
     {1363.125, 3978.8125, 8992}},
    {"filled with a number, and with zeros",
     [](T x, T) {
       tensor y = x * x;
       tensor row = ops::select(y, 0, 0), column = ops::select(y, 1, 2);
       ops::fill_(row, 3);
       ops::zero_(column);
       return ops::sum(y * x);
     },
     198.0,
     {3, 3, 0, 48, 75, 0},
     {},
     {0, 0, 0, 2304, 4500, 0},
     {}},
    {"a copy that broadcasts and is of another dtype",
     [](T x, T w) {
       tensor y = x * 1;
       tensor part = ops::slice(y, 1, 0, 2);
       ops::copy_(part, ops::unsqueeze(tb::to(ops::slice(w, 0, 1), tb::dtype::float32), 1));
       return ops::sum(y * y);
     },
     53.125,
     {0, 0, 6, 0, 0, 12},
     {0, 1, 8},
     {0, 0, 24, 0, 0, 48},
     {0, 8, 64}},
    {"scattered into a transposed view",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = ops::t(y);
       ops::scatter_(v, 0, ops::view(at({2, 0}), list{1, 2}), ops::unsqueeze(ops::slice(w, 0, 0, 2), 0));
       return ops::sum(y * y * y);
     },
     350.140625,
     {3, 12, 0, 0, 75, 108},
     {0.75, 0.1875, 0},
     {36, 288, 0, 0, 4500, 7776},
     {4.5, 0.5625, 0}},
    {"any strides",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = ops::as_strided(y, list{2, 2}, list{2, 1}, 1);
       ops::mul_(v, ops::slice(w, 0, 0, 2));
       return ops::sum(y * y);
     },
     44.125,
     {2, 1, 0.375, 2, 0.625, 12},
     {20, 17, 0},
     {8, 161, 102.09375, 322, 170.15625, 48},
     {1640, 2320.5, 0}},
    {"from one view of the base to another",
     [](T x, T w) {
       tensor y = x * 1;
       tensor top = ops::select(y, 0, 0), low = ops::select(y, 0, 1);
       ops::copy_(top, low + low);
       ops::mul_(low, w);
       return ops::sum(y * y * y);
     },
     4977.953125,
     {0, 0, 0, 390, 601.171875, 1728},
     {48, 23.4375, 2592},
     {0, 0, 0, 155556, 289785.2783203125, 8709120},
     {46512, 25697.021484375, 17915904}},
    {"a write that is not recorded",
     [](T x, T w) {
       tensor y = x * 1;
       const tensor v = ops::select(y, 0, 0);
       {
         const tb::no_grad guard;
         ops::mul_scalar_(y, 5);
       }
       return ops::sum(v * w);
     },
     35.0,
     {0.5, 0.25, 2, 0, 0, 0},
     {5, 10, 15},
     {10, 20, 30, 0, 0, 0},
     {1, 0.5, 4}},
    {"a triangle of a transposed view, and a column from a result",
     [](T x, T w) {
       tensor y = x * w;
       tensor v = ops::t(y), column = ops::select(y, 1, 0);
       ops::tril_(v);
       ops::fill_tensor_(column, ops::select(w, 0, 2));
       return ops::sum(y * y);
     },
     189.8125,
     {0, 0.25, 24, 0, 0.625, 48},
     {0, 14.5, 188},
     {0, 58.0625, 9408, 0, 145.15625, 18816},
     {0, 1689.25, 41104}},
    {"slices added and filled at an index",
     [](T x, T w) {
       tensor y = x * 1;
       tensor low = ops::select(y, 0, 1);
       ops::index_add_(low, 0, at({0, 0, 2}), w, tb::arg<"alpha"> = 3);
       ops::index_fill_tensor_(y, 1, at({1}), ops::select(w, 0, 0));
       return ops::sum(y * y * y);
     },
     2000.390625,
     {3, 0, 27, 117.1875, 0, 432},
     {353.0625, 351.5625, 1296},
     {36, 0, 972, 167329.6875, 0, 622080},
     {506225.8125, 501989.0625, 1866240}},
    {"a view that is used, written, used and written again",
     [](T x, T w) {
       tensor y = x * 1;
       tensor v = ops::select(y, 0, 0);
       tensor total = ops::sum(v + v + v);
       ops::mul_(v, w);
       total = total + ops::sum(v + v);
       ops::zero_(v);
       return total + ops::sum(y * y);
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
       ops::masked_scatter_(y, ops::gt_scalar(tb::detach(y), 2), ops::cat(both));
       tensor part = ops::squeeze_dim(ops::unsqueeze(ops::slice(y, 1, 1), 0), 0);
       ops::add_(part, ops::slice(w, 0, 0, 2));
       return ops::sum(y * y);
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
    tensor squares = ops::sum(g[0] * g[0]);
    if (g[1].defined()) squares = squares + ops::sum(g[1] * g[1]);
    const out second = tb::grad(std::span(&squares, 1), both, {.allow_unused = true});
    CHECK(listed(second[0]) == p.second_x);
    CHECK(listed(second[1]) == p.second_w);
  }
}

namespace {

// The index 0 for each element.
tensor first_of(T w) { return tensor_of(numbers(static_cast<std::size_t>(w.numel()), 0), w.sizes(), tb::dtype::int64); }

// The places of the first dimension from behind, for each element.
tensor turned(T w) {
  numbers places;
  support::each_index(w.sizes(),
                      [&](const tb::dims& i) { places.push_back(static_cast<double>(w.sizes()[0] - 1 - i[0])); });
  return tensor_of(places, w.sizes(), tb::dtype::int64);
}
tensor first_twice(T w) {
  const tensor first = ops::slice(w, 0, 0, 1), both[] = {first, first};
  return ops::cat(both);
}

struct some_view {
  const char* name;
  tensor (*of)(T base);
};
struct some_write {
  const char* name;
  void (*to)(tensor& v, T w);  // w has v's sizes
  std::size_t least_dimensions = 1;
};

// Of a base of sizes [2, 4], with elements of their own.
const some_view views[] = {
    {"the base", [](T y) { return y; }},
    {"alias", [](T y) { return ops::alias(y); }},
    {"select", [](T y) { return ops::select(y, 0, 1); }},
    {"select a column", [](T y) { return ops::select(y, -1, -2); }},
    {"slice", [](T y) { return ops::slice(y, 1, 1, 4, 2); }},
    {"narrow", [](T y) { return ops::narrow(y, 1, 1, 2); }},
    {"transpose", [](T y) { return ops::t(y); }},
    {"permute", [](T y) { return ops::permute(ops::unsqueeze(y, 0), list{2, 0, 1}); }},
    {"movedim", [](T y) { return ops::movedim_int(y, 0, 1); }},
    {"view", [](T y) { return ops::view(y, list{4, 2}); }},
    {"flatten", [](T y) { return ops::flatten(y); }},
    {"unflatten", [](T y) { return ops::unflatten(y, 1, list{2, 2}); }},
    {"squeeze", [](T y) { return ops::squeeze(ops::view(y, list{2, 1, 4})); }},
    {"diagonal", [](T y) { return ops::diagonal(y, 1); }},
    {"unfold", [](T y) { return ops::unfold(y, 1, 2, 2); }},
    {"expand", [](T y) { return ops::expand(y, list{1, -1, -1}); }},
    {"as_strided", [](T y) { return ops::as_strided(y, list{2, 2}, list{3, 2}, 1); }},
    {"a chain", [](T y) { return ops::select(ops::t(ops::slice(ops::view(y, list{4, 2}), 0, 0, 4, 2)), 0, 1); }},
};

const some_write writes[] = {
    {"copy_", [](tensor& v, T w) { ops::copy_(v, w); }},
    {"copy_, broadcast", [](tensor& v, T w) { ops::copy_(v, ops::select(w, 0, 0)); }},
    {"add_", [](tensor& v, T w) { ops::add_(v, w, tb::arg<"alpha"> = 3); }},
    {"sub_ of a part of itself", [](tensor& v, T w) { ops::sub_(v, ops::select(v, 0, 0) + w); }},
    {"mul_", [](tensor& v, T w) { ops::mul_(v, w); }},
    {"mul_ by itself", [](tensor& v, T) { ops::mul_(v, v); }},
    {"div_", [](tensor& v, T w) { ops::div_(v, w); }},
    {"exp_", [](tensor& v, T) { ops::exp_(v); }},
    {"fill_", [](tensor& v, T) { ops::fill_(v, 3); }},
    {"fill_, a tensor", [](tensor& v, T w) { ops::fill_tensor_(v, ops::sum(w)); }},
    {"zero_", [](tensor& v, T) { ops::zero_(v); }},
    {"tril_", [](tensor& v, T) { ops::tril_(v); }, 2},
    {"triu_", [](tensor& v, T) { ops::triu_(v, 1); }, 2},
    {"masked_fill_", [](tensor& v, T) { ops::masked_fill_(v, ops::gt_scalar(tb::detach(v), 0), 3); }},
    {"masked_fill_, a tensor",
     [](tensor& v, T w) { ops::masked_fill_tensor_(v, ops::gt_scalar(tb::detach(v), 0), ops::sum(w)); }},
    {"masked_scatter_", [](tensor& v, T w) { ops::masked_scatter_(v, ops::gt_scalar(tb::detach(v), 0), w); }},
    {"index_fill_", [](tensor& v, T) { ops::index_fill_(v, 0, at({-1}), 3); }},
    {"index_fill_, a tensor", [](tensor& v, T w) { ops::index_fill_tensor_(v, -1, at({0}), ops::sum(w)); }},
    {"index_copy_", [](tensor& v, T w) { ops::index_copy_(v, 0, at({0}), ops::slice(w, 0, 0, 1)); }},
    {"index_add_", [](tensor& v, T w) { ops::index_add_(v, 0, at({0}), ops::slice(w, 0, 0, 1)); }},
    {"index_reduce_", [](tensor& v, T w) { ops::index_reduce_(v, 0, at({0, 0}), first_twice(w), "prod"); }},
    {"index_put_", [](tensor& v, T w) { ops::index_put_(v, index_list{at({0})}, ops::select(w, 0, 0)); }},
    {"index_put_, adding", [](tensor& v, T w) { ops::index_put_(v, index_list{at({-1, -1})}, first_twice(w), true); }},
    {"scatter_", [](tensor& v, T w) { ops::scatter_(v, 0, turned(w), w); }},
    {"scatter_, a value", [](tensor& v, T w) { ops::scatter_value_(v, -1, first_of(w), 3); }},
    {"scatter_, add", [](tensor& v, T w) { ops::scatter_reduction_(v, 0, first_of(w), w, tb::arg<"reduce"> = "add"); }},
    {"scatter_, a value, multiply",
     [](tensor& v, T w) { ops::scatter_value_reduction_(v, 0, first_of(w), 2, tb::arg<"reduce"> = "multiply"); }},
    {"scatter_add_", [](tensor& v, T w) { ops::scatter_add_(v, -1, first_of(w), w); }},
    {"scatter_reduce_", [](tensor& v, T w) { ops::scatter_reduce_(v, 0, first_of(w), w, "amax"); }},
};

}  // namespace

// The base, the view, and another view that was made before the write: each sees it.
TEST_CASE("written views: every view with every write, against differences", "[gradients]") {
  for (const some_view& view : views) {
    const tensor shape = view.of(tensor_of(numbers(8, 0), {2, 4}));
    for (const some_write& write : writes) {
      if (shape.dim() < write.least_dimensions) continue;
      INFO(write.name << " to " << view.name);
      const auto f = [&](in x) {
        const tensor y = x[0] * x[0];
        const tensor before = ops::select(ops::t(y), 0, 1);
        tensor v = view.of(y);
        write.to(v, x[1]);
        return out{y * y, v * 2, before * ops::select(y, 1, 0)};
      };
      support::gradient_case c{"", {}, f, 0.4, 1.7};
      const out inputs{
          tb::require_grad(support::distinct_elements({2, 4}, c, support::arrangement::dense, 3)),
          tb::require_grad(support::distinct_elements(shape.sizes(), c, support::arrangement::transposed, 4))};
      const tb::check_result once = tb::gradcheck(f, inputs);
      INFO(once.text);
      CHECK(once.ok);
      const tb::check_result twice = tb::gradgradcheck(f, inputs);
      INFO(twice.text);
      CHECK(twice.ok);
    }
  }
}

// gradcheck needs deterministic masks: those above depend on the sign of elements that are far from 0.
TEST_CASE("written views: writes one after the other, in every arrangement of the leaf", "[gradients]") {
  check_gradients({"two views that cross", {{3, 3}, {3}}, [](in x) {
                     const tensor y = x[0] * 1, seen = ops::diagonal(y);
                     tensor row = ops::select(y, 0, 1), column = ops::select(y, 1, 1);
                     ops::mul_(row, x[1]);
                     ops::mul_(column, x[1]);
                     ops::add_(row, column);
                     return out{y * y, seen * row};
                   }});
  check_gradients({"a base that was no result", {{2, 3}, {3}}, [](in x) {
                     const tensor y = ops::zeros_like(tb::detach(x[0])), seen = ops::select(y, 1, 0);
                     tensor all = ops::view(y, list{2, 3}), row = ops::select(y, 0, 0);
                     ops::copy_(all, x[0]);
                     ops::mul_(row, x[1]);
                     return out{y * y, seen};
                   }});
  check_gradients({"in a loop", {{4}, {}}, [](in x) {
                     const tensor y = x[0] * 1;
                     for (std::int64_t i = 1; i < 4; ++i) {
                       tensor now = ops::select(y, 0, i);
                       ops::add_(now, ops::clone(ops::select(y, 0, i - 1)) * x[1]);
                     }
                     return out{y};
                   }});
  check_gradients({"to what broadcasts", {{3}, {2, 3}}, [](in x) {
                     const tensor y = ops::repeat(x[0], list{2, 1});
                     tensor v = ops::slice(ops::t(y), 0, 1);
                     ops::mul_(v, ops::slice(ops::t(x[1]), 0, 0, 2));
                     return out{y};
                   }});
}

TEST_CASE("written views: what was kept of an element that is written then is not used", "[gradients]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
  const tensor y = x * 1;
  tensor row = ops::select(y, 0, 0), column = ops::select(y, 1, 0);
  ops::exp_(row);
  ops::mul_scalar_(column, 2);
  CHECK(toy::text_of<tb::error>([&] {
          tb::backward(ops::sum(y));
        }).starts_with("aten::exp_: a tensor saved for backward, float64 [2], was written in place by aten::mul_"));
}

// split makes each part by a call of its own, so they need not be refused as PyTorch's are.
TEST_CASE("written views: a part of a split, and a view of a leaf, which is refused", "[gradients]") {
  check_gradients({"split", {{4, 2}, {2, 2}}, [](in x) {
                     const tensor y = x[0] * x[0];
                     out parts = ops::split(y, 2);
                     ops::mul_(parts[1], x[1]);
                     return out{y, parts[0] * parts[1]};
                   }});
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
  tensor row = ops::select(x, 0, 0);
  CHECK(toy::text_of<tb::error>([&] {
          ops::zero_(row);
        }).starts_with("aten::zero_: writes in place to a view of a leaf that requires its gradient"));
}

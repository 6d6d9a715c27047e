// Gradients of joins, of what is repeated, flipped, cut off and padded, and of what is filled and copied.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
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
using tb::arg;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using list = std::vector<std::int64_t>;

TEST_CASE("join gradients: cat with empty tensors, and its composites", "[gradients]") {
  check_gradients({"cat", {{2, 3}, {1, 3}, {0, 3}, {3, 3}}, [](in x) { return out{aten::cat(x, 0)}; }});
  check_gradients({"cat -1", {{2, 3}, {2, 1}}, [](in x) { return out{aten::cat(x, -1)}; }});
  check_gradients({"cat, one that fits everywhere", {{2, 3}, {0}, {2, 2}}, [](in x) { return out{aten::cat(x, 1)}; }});
  check_gradients({"cat of one twice", {{2, 3}}, [](in x) {
                     const tensor both[] = {x[0], x[0] * 2};
                     return out{aten::cat(both, 1)};
                   }});
  check_gradients({"cat, of which one needs none", {{2}}, [](in x) {
                     const tensor other = support::tensor_of({1, 2, 3}, {3}, x[0].dtype());
                     const tensor both[] = {other, x[0], other};
                     return out{aten::cat(both, 0)};
                   }});
  check_gradients({"stack", {{2, 3}, {2, 3}}, [](in x) { return out{aten::stack(x, 0), aten::stack(x, -1)}; }});
  check_gradients({"hstack, vstack, dstack, column_stack", {{3}, {3}}, [](in x) {
                     return out{aten::hstack(x), aten::vstack(x), aten::dstack(x), aten::column_stack(x)};
                   }});
}

TEST_CASE("join gradients: cat returns each gradient in its own dtype", "[gradients]") {
  const tensor a = tb::require_grad(support::tensor_of({1, 2}, {2}, tb::dtype::float32));
  const tensor b = tb::require_grad(support::tensor_of({3}, {1}));
  const tensor both[] = {a, b};
  tb::backward(aten::sum(aten::cat(both) * support::tensor_of({5, 6, 7}, {3})));
  CHECK(tb::leaf_grad(a).dtype() == tb::dtype::float32);
  CHECK(values(tb::leaf_grad(a)) == std::vector<double>{5, 6});
  CHECK(tb::leaf_grad(b).dtype() == tb::dtype::float64);
  CHECK(values(tb::leaf_grad(b)) == std::vector<double>{7});
}

TEST_CASE("join gradients: repeated elements sum their gradients", "[gradients]") {
  for (const list& repeats : {list{2, 3}, list{1, 1}, list{1, 2}, list{3, 1, 2}, list{2, 1, 1, 1}, list{1, 0}})
    check_gradients({"repeat " + tb::to_string(tb::shape(repeats)), {{2, 3}}, [&](in x) {
                       return out{aten::repeat(x[0], repeats)};
                     }});
  check_gradients({"repeat, no dimensions", {{}}, [](in x) {
                     return out{aten::repeat(x[0], list{2, 2}), aten::repeat(x[0], list{})};
                   }});
  // The gradient is a sum over more dimensions than a tensor has.
  check_gradients({"repeat, five dimensions", {{1, 2, 1, 1, 1}}, [](in x) {
                     return out{aten::repeat(x[0], list{2, 2, 2, 2, 2})};
                   }});
  check_gradients({"tile", {{2, 3}}, [](in x) { return out{aten::tile(x[0], list{2})}; }});
  check_gradients({"repeat_interleave", {{2, 3}}, [](in x) {
                     return out{aten::repeat_interleave_self_int(x[0], 2, 1),
                                aten::repeat_interleave_self_int(x[0], 3)};
                   }});
  check_gradients({"repeat_interleave, a number for each", {{2, 3}}, [](in x) {
                     const tensor each = support::tensor_of({2, 0, 1}, {3}, tb::dtype::int64);
                     return out{aten::repeat_interleave_self_Tensor(x[0], each, -1)};
                   }});
}

TEST_CASE("join gradients: flip, roll and rot90 are inverted", "[gradients]") {
  check_gradients({"flip", {{2, 3}}, [](in x) {
                     return out{aten::flip(x[0], list{0}), aten::flip(x[0], list{-1, 0}), aten::flip(x[0], list{})};
                   }});
  check_gradients({"roll", {{2, 3}}, [](in x) {
                     return out{aten::roll(x[0], list{1, -2}, list{0, 1}), aten::roll(x[0], list{4})};
                   }});
  for (const std::int64_t k : {-1, 0, 1, 2})
    check_gradients({"rot90 " + std::to_string(k), {{2, 3}}, [k](in x) { return out{aten::rot90(x[0], k)}; }});
}

TEST_CASE("join gradients: triangles and diagonals, in place too", "[gradients]") {
  for (const std::int64_t k : {-1, 0, 2}) {
    const std::string name = std::to_string(k);
    check_gradients({"tril " + name, {{2, 3, 4}}, [k](in x) { return out{aten::tril(x[0], k)}; }});
    check_gradients({"triu " + name, {{2, 3, 4}}, [k](in x) { return out{aten::triu(x[0], k)}; }});
    check_gradients({"tril_ and triu_ " + name, {{3, 4}}, [k](in x) {
                       tensor low = aten::clone(x[0]), high = x[0] * 2;
                       aten::tril_(low, k);
                       aten::triu_(high, k);
                       return out{low, high};
                     }});
    check_gradients({"diag of a vector " + name, {{3}}, [k](in x) { return out{aten::diag(x[0], k)}; }});
    check_gradients({"diag of a matrix " + name, {{3, 4}}, [k](in x) { return out{aten::diag(x[0], k)}; }});
  }
  check_gradients({"trace", {{3, 4}}, [](in x) { return out{aten::trace(x[0])}; }});
}

TEST_CASE("join gradients: padding, with constants and with elements", "[gradients]") {
  for (const list& pad : {list{1, 2}, list{-1, 2}, list{0, 1, 2, -1}})
    check_gradients({"constant_pad_nd " + tb::to_string(tb::shape(pad)), {{3, 4}}, [&](in x) {
                       return out{aten::constant_pad_nd(x[0], pad, 5)};
                     }});
  struct padding {
    tb::shape sizes;
    list pad;
  };
  for (const padding& p :
       {padding{{2, 4}, {2, 1}}, padding{{1, 3, 3}, {1, 2, 2, 0}}, padding{{1, 2, 3, 2}, {1, 0, 2, 1, 0, 1}}}) {
    for (const char* mode : {"reflect", "replicate", "circular"}) {
      check_gradients({std::string("pad, ") + mode + tb::to_string(tb::shape(p.pad)), {p.sizes}, [&](in x) {
                         return out{aten::pad(x[0], p.pad, mode)};
                       }});
    }
  }
  check_gradients({"pad, less than nothing", {{2, 5}}, [](in x) {
                     return out{aten::pad(x[0], list{-1, 2}, "replicate"), aten::pad(x[0], list{-2, 1}, "circular")};
                   }});
}

TEST_CASE("join gradients: a fill stops the gradient of the old elements, and its value gets the sum", "[gradients]") {
  check_gradients({"fill", {{2, 3}, {}}, [](in x) {
                     return out{aten::fill_Scalar(x[0], 3) * x[0], aten::fill_Tensor(x[0], x[1])};
                   }});
  check_gradients({"fill_", {{2, 3}}, [](in x) {
                     tensor y = x[0] * 2, z = x[0] * 3;
                     aten::fill_Scalar_(y, 3);
                     aten::zero_(z);
                     return out{y * x[0], z + x[0]};
                   }});
  check_gradients({"fill_, a tensor", {{2, 3}, {}}, [](in x) {
                     tensor y = x[0] * 2;
                     aten::fill_Tensor_(y, x[1]);
                     return out{y * x[0]};
                   }});
}

TEST_CASE("join gradients: copies, broadcast and to another dtype", "[gradients]") {
  check_gradients({"copy and contiguous", {{2, 3}, {3}}, [](in x) {
                     return out{aten::copy(x[0], x[1]), aten::contiguous(aten::transpose_int(x[0], 0, 1)),
                                aten::clone(x[0], tb::memory_format::contiguous)};
                   }});
  check_gradients({"copy_", {{2, 3}, {2, 1}}, [](in x) {
                     tensor y = x[0] * x[0];
                     aten::copy_(y, x[1]);
                     return out{y * x[0]};
                   }});
  const tensor narrow = tb::require_grad(support::tensor_of({1, 2}, {2}, tb::dtype::float32));
  const tensor wide = tb::require_grad(support::tensor_of({3, 4}, {2}));
  tensor y = wide * 1;
  aten::copy_(y, narrow * 3);
  tb::backward(aten::sum(y * wide));
  CHECK(tb::leaf_grad(narrow).dtype() == tb::dtype::float32);
  CHECK(values(tb::leaf_grad(narrow)) == std::vector<double>{9, 12});
  CHECK(values(tb::leaf_grad(wide)) == std::vector<double>{3, 6});
}

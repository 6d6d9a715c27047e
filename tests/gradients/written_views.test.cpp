// Every kind of view with every kind of write in place, against differences; views that were made before a write, and
// writes that are refused.
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
#include "support/scale.h"
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

tensor at(const numbers& indices) {
  return tensor_of(indices, {static_cast<std::int64_t>(indices.size())}, tb::dtype::int64);
}

// The index 0 for each element.
tensor first_of(T w) { return tensor_of(numbers(static_cast<std::size_t>(w.numel()), 0), w.sizes(), tb::dtype::int64); }

// The indices of the first dimension from the last, for each element.
tensor reversed_index(T w) {
  numbers indices;
  support::each_index(w.sizes(),
                      [&](const tb::shape& i) { indices.push_back(static_cast<double>(w.sizes()[0] - 1 - i[0])); });
  return tensor_of(indices, w.sizes(), tb::dtype::int64);
}
tensor first_twice(T w) {
  const tensor first = aten::slice_Tensor(w, 0, 0, 1), both[] = {first, first};
  return aten::cat(both);
}

struct some_view {
  const char* name;
  tensor (*of)(T base);
};
struct some_write {
  const char* name;
  void (*to)(tensor& v, T w);  // w has v's sizes
  std::int64_t least_dimensions = 1;
};

// Of a base of sizes [2, 4], with elements of their own.
const some_view views[] = {
    {"the base", [](T y) { return y; }},
    {"alias", [](T y) { return aten::alias(y); }},
    {"select", [](T y) { return aten::select_int(y, 0, 1); }},
    {"select a column", [](T y) { return aten::select_int(y, -1, -2); }},
    {"slice", [](T y) { return aten::slice_Tensor(y, 1, 1, 4, 2); }},
    {"narrow", [](T y) { return aten::narrow(y, 1, 1, 2); }},
    {"transpose", [](T y) { return aten::t(y); }},
    {"permute", [](T y) { return aten::permute(aten::unsqueeze(y, 0), list{2, 0, 1}); }},
    {"movedim", [](T y) { return aten::movedim_int(y, 0, 1); }},
    {"view", [](T y) { return aten::view(y, list{4, 2}); }},
    {"flatten", [](T y) { return aten::flatten_using_ints(y); }},
    {"unflatten", [](T y) { return aten::unflatten_int(y, 1, list{2, 2}); }},
    {"squeeze", [](T y) { return aten::squeeze(aten::view(y, list{2, 1, 4})); }},
    {"diagonal", [](T y) { return aten::diagonal(y, 1); }},
    {"unfold", [](T y) { return aten::unfold(y, 1, 2, 2); }},
    {"expand", [](T y) { return aten::expand(y, list{1, -1, -1}); }},
    {"as_strided", [](T y) { return aten::as_strided(y, list{2, 2}, list{3, 2}, 1); }},
    {"a chain",
     [](T y) { return aten::select_int(aten::t(aten::slice_Tensor(aten::view(y, list{4, 2}), 0, 0, 4, 2)), 0, 1); }},
};

// Masks have what is above 1, from which every element is far.
const some_write writes[] = {
    {"copy_", [](tensor& v, T w) { aten::copy_(v, w); }},
    {"copy_, broadcast", [](tensor& v, T w) { aten::copy_(v, aten::select_int(w, 0, 0)); }},
    {"add_", [](tensor& v, T w) { aten::add_Tensor_(v, w, tb::arg<"alpha"> = 3); }},
    {"sub_ of a part of itself", [](tensor& v, T w) { aten::sub_Tensor_(v, aten::select_int(v, 0, 0) + w); }},
    {"mul_", [](tensor& v, T w) { aten::mul_Tensor_(v, w); }},
    {"mul_ by itself", [](tensor& v, T) { aten::mul_Tensor_(v, v); }},
    {"div_", [](tensor& v, T w) { aten::div_Tensor_(v, w); }},
    {"exp_", [](tensor& v, T) { aten::exp_(v); }},
    {"fill_", [](tensor& v, T) { aten::fill_Scalar_(v, 3); }},
    {"fill_, a tensor", [](tensor& v, T w) { aten::fill_Tensor_(v, aten::sum(w)); }},
    {"zero_", [](tensor& v, T) { aten::zero_(v); }},
    {"normal_", [](tensor& v, T) { aten::normal_(v, 0, 1, tb::generator(3)); }},
    {"bernoulli_, a tensor", [](tensor& v, T w) { aten::bernoulli_Tensor_(v, aten::sigmoid(w), tb::generator(3)); }},
    {"tril_", [](tensor& v, T) { aten::tril_(v); }, 2},
    {"triu_", [](tensor& v, T) { aten::triu_(v, 1); }, 2},
    {"masked_fill_", [](tensor& v, T) { aten::masked_fill_Scalar_(v, aten::gt_Scalar(tb::detach(v), 1), 3); }},
    {"masked_fill_, a tensor",
     [](tensor& v, T w) { aten::masked_fill_Tensor_(v, aten::gt_Scalar(tb::detach(v), 1), aten::sum(w)); }},
    {"masked_scatter_", [](tensor& v, T w) { aten::masked_scatter_(v, aten::gt_Scalar(tb::detach(v), 1), w); }},
    {"index_fill_", [](tensor& v, T) { aten::index_fill_int_Scalar_(v, 0, at({-1}), 3); }},
    {"index_fill_, a tensor", [](tensor& v, T w) { aten::index_fill_int_Tensor_(v, -1, at({0}), aten::sum(w)); }},
    {"index_copy_", [](tensor& v, T w) { aten::index_copy_(v, 0, at({0}), aten::slice_Tensor(w, 0, 0, 1)); }},
    {"index_add_", [](tensor& v, T w) { aten::index_add_(v, 0, at({0}), aten::slice_Tensor(w, 0, 0, 1)); }},
    {"index_reduce_", [](tensor& v, T w) { aten::index_reduce_(v, 0, at({0, 0}), first_twice(w), "prod"); }},
    {"index_put_", [](tensor& v, T w) { aten::index_put_(v, index_list{at({0})}, aten::select_int(w, 0, 0)); }},
    {"index_put_, adding", [](tensor& v, T w) { aten::index_put_(v, index_list{at({-1, -1})}, first_twice(w), true); }},
    {"scatter_", [](tensor& v, T w) { aten::scatter_src_(v, 0, reversed_index(w), w); }},
    {"scatter_, a value", [](tensor& v, T w) { aten::scatter_value_(v, -1, first_of(w), 3); }},
    {"scatter_, add", [](tensor& v, T w) { aten::scatter_reduce_(v, 0, first_of(w), w, tb::arg<"reduce"> = "add"); }},
    {"scatter_, a value, multiply",
     [](tensor& v, T w) { aten::scatter_value_reduce_(v, 0, first_of(w), 2, tb::arg<"reduce"> = "multiply"); }},
    {"scatter_add_", [](tensor& v, T w) { aten::scatter_add_(v, -1, first_of(w), w); }},
    {"scatter_reduce_", [](tensor& v, T w) { aten::scatter_reduce_two_(v, 0, first_of(w), w, "amax"); }},
};

}  // namespace

// The base, the view, and another view that was made before the write: each sees it.
TEST_CASE("written views: every view with every write, against finite differences", "[gradients]") {
  sampled_cases cases;
  for (const some_view& view : views) {
    const tensor given_shape = view.of(tensor_of(numbers(8, 0), {2, 4}));
    for (const some_write& write : writes) {
      if (given_shape.dim() < write.least_dimensions || !cases.is_drawn()) continue;
      INFO(write.name << " to " << view.name);
      const auto f = [&](in x) {
        const tensor y = x[0] * x[0];
        const tensor before = aten::select_int(aten::t(y), 0, 1);
        tensor v = view.of(y);
        write.to(v, x[1]);
        return out{y * y, v * 2, before * aten::select_int(y, 1, 0)};
      };
      support::gradient_case c{"", {}, f, 0.4, 1.7};
      const out inputs{
          tb::require_grad(support::distinct_elements({2, 4}, c, support::arrangement::dense, 3)),
          tb::require_grad(support::distinct_elements(given_shape.sizes(), c, support::arrangement::transposed, 4))};
      const tb::check_result once = tb::gradcheck(f, inputs);
      INFO(once.text);
      CHECK(once.ok);
      const tb::check_result along = tb::jvpcheck(f, inputs);
      INFO(along.text);
      CHECK(along.ok);
      const tb::check_result twice = tb::gradgradcheck(f, inputs);
      INFO(twice.text);
      CHECK(twice.ok);
    }
  }
}

TEST_CASE("written views: successive writes, in every memory layout of the leaf", "[gradients]") {
  check_gradients({"two views that cross", {{3, 3}, {3}}, [](in x) {
                     const tensor y = x[0] * 1, seen = aten::diagonal(y);
                     tensor row = aten::select_int(y, 0, 1), column = aten::select_int(y, 1, 1);
                     aten::mul_Tensor_(row, x[1]);
                     aten::mul_Tensor_(column, x[1]);
                     aten::add_Tensor_(row, column);
                     return out{y * y, seen * row};
                   }});
  support::gradient_case plain_base{"a base that was no result", {{2, 3}, {3}}, [](in x) {
                                      const tensor y = aten::zeros_like(tb::detach(x[0])),
                                                   seen = aten::select_int(y, 1, 0);
                                      tensor all = aten::view(y, list{2, 3}), row = aten::select_int(y, 0, 0);
                                      aten::copy_(all, x[0]);
                                      aten::mul_Tensor_(row, x[1]);
                                      return out{y * y, seen};
                                    }};
  plain_base.along = false;  // views of what is not dual yet
  check_gradients(plain_base);
  check_gradients({"in a loop", {{4}, {}}, [](in x) {
                     const tensor y = x[0] * 1;
                     for (std::int64_t i = 1; i < 4; ++i) {
                       tensor now = aten::select_int(y, 0, i);
                       aten::add_Tensor_(now, aten::clone(aten::select_int(y, 0, i - 1)) * x[1]);
                     }
                     return out{y};
                   }});
  check_gradients({"to what broadcasts", {{3}, {2, 3}}, [](in x) {
                     const tensor y = aten::repeat(x[0], list{2, 1});
                     tensor v = aten::slice_Tensor(aten::t(y), 0, 1);
                     aten::mul_Tensor_(v, aten::slice_Tensor(aten::t(x[1]), 0, 0, 2));
                     return out{y};
                   }});
}

TEST_CASE("written views: assignments to an index, with tensors in it and without", "[gradients]") {
  check_gradients({"", {{3, 4}, {4}}, [](in x) {
                     const tensor y = x[0] * 1, seen = aten::select_int(y, 1, 3);
                     tb::assign(y, x[1], 1);
                     tb::assign(y, 7, tb::slice(0, 2), -1);
                     tb::assign(y, aten::slice_Tensor(x[1], 0, 0, 2), at({0, 2}), at({3, 0}));
                     return out{y * y, seen};
                   }});
}

TEST_CASE("written views: a view that was made before sees the write, also of elements visible twice", "[gradients]") {
  tensor (*const before[])(T) = {
      [](T y) { return aten::expand(aten::select_int(y, 0, 0), list{2, 4}); },
      [](T y) { return aten::unfold(y, 1, 3, 1); },
      [](T y) { return aten::as_strided(y, list{3, 3}, list{1, 2}, 1); },
      [](T y) { return aten::diagonal(aten::unfold(y, 1, 2, 1), 0, 1, 2); },
      [](T y) { return aten::slice_Tensor(y, 1, 2, 2); },
  };
  for (const auto view : before) {
    check_gradients({"", {{2, 4}, {4}}, [view](in x) {
                       const tensor y = x[0] * 1;
                       // A copy gives as_strided the indices that a dense tensor has.
                       tensor dense = aten::clone(y, tb::memory_format::contiguous);
                       const tensor seen = view(dense);
                       aten::mul_Tensor_(dense, x[1]);
                       tensor row = aten::select_int(dense, 0, 0), nothing = aten::slice_Tensor(dense, 1, 3, 3);
                       aten::mul_Tensor_(row, x[1]);
                       aten::add_Tensor_(nothing, nothing);
                       return out{seen * seen};
                     }});
  }
}

TEST_CASE("written views: of a base that is part of a storage", "[gradients]") {
  support::gradient_case part{"", {{2, 3}, {3}}, [](in x) {
                                const tensor storage = aten::zeros(list{4, 8}, tb::arg<"dtype"> = x[0].dtype());
                                const tensor y =
                                    tb::detach(aten::slice_Tensor(aten::slice_Tensor(storage, 0, 1, 3), 1, 2, 8, 2));
                                const tensor seen = aten::select_int(aten::t(y), 0, 1);
                                tensor low = aten::select_int(y, 0, 1), column = aten::slice_Tensor(y, 1, 1, 2);
                                aten::copy_(low, aten::select_int(x[0], 0, 0));
                                aten::mul_Tensor_(low, x[1]);
                                aten::add_Tensor_(column, aten::slice_Tensor(x[0], 1, 2));
                                return out{y * y, seen};
                              }};
  part.along = false;  // views of what is not dual yet
  check_gradients(part);
}

TEST_CASE("written views: gradients of the third order", "[gradients]") {
  const auto gradients = [](in x) {
    const tensor y = x[0] * 1, seen = aten::select_int(y, 1, 1);
    tensor row = aten::select_int(y, 0, 0);
    aten::mul_Tensor_(row, x[1]);
    const tensor total = aten::sum(y * y * y) + aten::sum(seen * seen);
    return tb::grad(std::span(&total, 1), x, {.create_graph = true});
  };
  const out x{tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3})),
              tb::require_grad(tensor_of({0.5, 0.25, 2}, {3}))};
  const tb::check_result found = tb::gradgradcheck(gradients, x);
  INFO(found.text);
  CHECK(found.ok);
}

TEST_CASE("written views: a write in another dtype returns each gradient in its own dtype", "[gradients]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}));
  const tensor w = tb::require_grad(tensor_of({0.5, 0.25, 2}, {3}));
  const tensor y = tb::to(x, tb::dtype::float32);
  tensor row = aten::select_int(y, 0, 0);
  aten::mul_Tensor_(row, w);
  tb::backward(aten::sum(y * y));
  CHECK(tb::leaf_grad(x).dtype() == tb::dtype::float64);
  CHECK(values(tb::leaf_grad(x)) == numbers{0.5, 0.25, 24, 8, 10, 12});
  CHECK(tb::leaf_grad(w).dtype() == tb::dtype::float64);
  CHECK(values(tb::leaf_grad(w)) == numbers{1, 2, 36});
}

TEST_CASE("written views: a view and its write must be in the same gradient mode", "[gradients]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
  const tensor w = tb::require_grad(tensor_of({5, 6}, {2}));
  const auto refused = [&](tensor view) { return toy::text_of<tb::error>([&] { aten::mul_Tensor_(view, w); }); };
  const tensor y = x * 1;
  const tensor silent = [&] {
    const tb::no_grad guard;
    return aten::select_int(y, 0, 0);
  }();
  const std::string text =
      "aten::mul_.Tensor: writes in place to a view that was made without recording; make the view and write to it in "
      "the same gradient mode";
  CHECK(refused(silent) == text);
  CHECK(refused(aten::alias(silent)) == text);
  const tensor inferred = [&] {
    const tb::inference_mode guard;
    return aten::select_int(y, 0, 0);
  }();
  CHECK(refused(inferred).starts_with("aten::mul_.Tensor: writes in place to a view that was made in inference mode"));
  CHECK(values(y) == numbers{1, 2, 3, 4});
  // Both in one.
  {
    const tb::no_grad guard;
    tensor view = silent;
    aten::mul_Tensor_(view, w);
  }
  tb::backward(aten::sum(y * y));
  CHECK(values(tb::leaf_grad(x)) == numbers{10, 24, 6, 8});
  CHECK(!tb::leaf_grad(w).defined());
}

TEST_CASE("written views: saved elements that are written later are not used", "[gradients]") {
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
  const tensor y = x * 1;
  tensor row = aten::select_int(y, 0, 0), column = aten::select_int(y, 1, 0);
  aten::exp_(row);
  aten::mul_Scalar_(column, 2);
  CHECK(toy::text_of<tb::error>([&] {
          tb::backward(aten::sum(y));
        }).starts_with("aten::exp_: a tensor saved for backward, float64 [2], was written in place by aten::mul_"));
}

// split makes each part by a call of its own, so they need not be refused as PyTorch's are.
TEST_CASE("written views: a part of a split, and a view of a leaf, which is refused", "[gradients]") {
  check_gradients({"split", {{4, 2}, {2, 2}}, [](in x) {
                     const tensor y = x[0] * x[0];
                     out parts = aten::split_Tensor(y, 2);
                     aten::mul_Tensor_(parts[1], x[1]);
                     return out{y, parts[0] * parts[1]};
                   }});
  const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2}));
  tensor row = aten::select_int(x, 0, 0);
  CHECK(toy::text_of<tb::error>([&] {
          aten::zero_(row);
        }).starts_with("aten::zero_: writes in place to a view of a leaf that requires a gradient"));
}

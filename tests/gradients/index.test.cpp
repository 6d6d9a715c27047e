// Gradients of what takes, puts and moves elements.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
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
using tb::arg;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;
using index_list = std::vector<std::optional<tensor>>;
using numbers = std::vector<double>;

namespace {

tensor at(const numbers& places, tb::shape sizes = {-1}) {
  if (sizes == tb::shape{-1}) sizes = {static_cast<std::int64_t>(places.size())};
  return tensor_of(places, sizes, tb::dtype::int64);
}
tensor mask_of(const numbers& bits, const tb::shape& sizes) { return tensor_of(bits, sizes, tb::dtype::boolean); }

// Writes to a copy of the first tensor.
template <class Write>
auto in_place(Write write) {
  return [write](in x) {
    tensor y = aten::clone(x[0]);
    write(y, x);
    return out{y};
  };
}

struct slopes {
  numbers first, second;
};
// Gradients of the sum of what f gives.
template <class F>
slopes slopes_of(F f, const numbers& a, const numbers& b) {
  const tensor x = tb::require_grad(tensor_of(a, {static_cast<std::int64_t>(a.size())}));
  const tensor y = tb::require_grad(tensor_of(b, {static_cast<std::int64_t>(b.size())}));
  const tensor total = aten::sum(f(x, y));
  const tensor both[] = {x, y};
  const std::vector<tensor> g = tb::grad(std::span(&total, 1), both, {.allow_unused = true});
  return {values(g[0]), values(g[1])};
}

}  // namespace

TEST_CASE("index gradients: lists of indices, some repeated, negative or missing", "[gradients]") {
  const std::vector<std::pair<std::string, index_list>> lists{
      {"one", {at({0, 2, 0})}},
      {"negative", {at({-1, 1})}},
      {"two that broadcast", {at({0, 2}, {2, 1}), at({1, 3, 1})}},
      {"the second alone", {std::nullopt, at({3, 0, 3})}},
      {"without dimensions", {at({1}, {})}},
      {"a mask", {mask_of({1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, {3, 4})}},
      {"a mask of a dimension", {std::nullopt, mask_of({1, 0, 0, 1}, {4})}},
      {"none", {at({}, {0})}},
  };
  for (const auto& [name, list] : lists) {
    check_gradients({"index, " + name, {{3, 4}}, [&](in x) { return out{aten::index_Tensor(x[0], list)}; }});
  }
  check_gradients({"index, three dimensions", {{2, 3, 2}}, [](in x) {
                     return out{aten::index_Tensor(x[0], index_list{at({0, 1}), std::nullopt, at({1, 1})})};
                   }});
}

TEST_CASE("index gradients: index_put, adding and writing, in place too", "[gradients]") {
  const std::vector<std::pair<index_list, tb::shape>> lists{
      {{at({0, 2})}, {2, 4}},
      {{at({0, 2})}, {4}},
      {{at({0, -1})}, {}},
      {{at({0, 2}, {2, 1}), at({1, 3, 0})}, {2, 3}},
      {{std::nullopt, at({3, 0})}, {3, 1}},
      {{mask_of({1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, {3, 4})}, {6}},
      {{at({}, {0})}, {0, 4}},
  };
  for (const auto& [list, given_shape] : lists) {
    for (const bool adds : {false, true}) {
      const std::string name = tb::to_string(given_shape) + (adds ? ", adding" : "");
      check_gradients({"index_put " + name, {{3, 4}, given_shape}, [&](in x) {
                         return out{aten::index_put(x[0], list, x[1], adds)};
                       }});
      check_gradients({"index_put_ " + name, {{3, 4}, given_shape}, in_place([&](tensor& y, in x) {
                         aten::index_put_(y, list, x[1], adds);
                       })});
    }
  }
  check_gradients({"index_put adds to one place twice", {{3, 4}, {3, 4}}, [](in x) {
                     return out{aten::index_put(x[0], index_list{at({1, 0, 1})}, x[1], true)};
                   }});
  check_gradients({"index_put of itself", {{3}}, [](in x) {
                     tensor y = x[0] * x[0];
                     aten::index_put_(y, index_list{at({2, 0, 1})}, y, false);
                     return out{y};
                   }});
}

TEST_CASE("index gradients: gather, take and their composites", "[gradients]") {
  check_gradients(
      {"gather 0", {{3, 4}}, [](in x) { return out{aten::gather(x[0], 0, at({0, 2, 1, 0, 2, 2}, {2, 3}))}; }});
  check_gradients(
      {"gather -1", {{3, 4}}, [](in x) { return out{aten::gather(x[0], -1, at({0, 3, 0, 1, 2, 2}, {3, 2}))}; }});
  check_gradients({"gather, no dimensions", {{}}, [](in x) { return out{aten::gather(x[0], 0, at({0}, {}))}; }});
  check_gradients({"gather, none", {{3, 4}}, [](in x) { return out{aten::gather(x[0], 1, at({}, {3, 0}))}; }});
  check_gradients({"take", {{3, 4}}, [](in x) { return out{aten::take(x[0], at({0, -1, 5, 0}, {2, 2}))}; }});
  check_gradients({"take, no dimensions", {{}}, [](in x) { return out{aten::take(x[0], at({0, 0}))}; }});
  check_gradients(
      {"take_along_dim", {{3, 4}}, [](in x) { return out{aten::take_along_dim(x[0], at({2, 0, 1}, {3, 1}), 1)}; }});
  check_gradients(
      {"take_along_dim, all", {{3, 4}}, [](in x) { return out{aten::take_along_dim(x[0], at({2, 11, 2}))}; }});
  check_gradients({"index_select", {{3, 4}}, [](in x) {
                     return out{aten::index_select(x[0], 0, at({2, 0, 2})), aten::index_select(x[0], -1, at({1}, {})),
                                aten::index_select(x[0], 1, at({}, {0}))};
                   }});
  check_gradients(
      {"index_select, no dimensions", {{}}, [](in x) { return out{aten::index_select(x[0], 0, at({0}))}; }});
}

TEST_CASE("index gradients: slices added and copied at an index, in place too", "[gradients]") {
  check_gradients({"index_add", {{3, 4}, {2, 4}}, [](in x) {
                     return out{aten::index_add(x[0], 0, at({2, 2}), x[1], arg<"alpha"> = -1.5)};
                   }});
  check_gradients(
      {"index_add_", {{3, 4}, {3, 2}}, in_place([](tensor& y, in x) { aten::index_add_(y, -1, at({3, 0}), x[1]); })});
  check_gradients({"index_add, no dimensions", {{}, {}}, [](in x) {
                     return out{aten::index_add(x[0], 0, at({0}), x[1], arg<"alpha"> = 2)};
                   }});
  check_gradients(
      {"index_copy", {{3, 4}, {2, 4}}, [](in x) { return out{aten::index_copy(x[0], 0, at({2, 0}), x[1])}; }});
  check_gradients(
      {"index_copy_", {{3, 4}, {3, 2}}, in_place([](tensor& y, in x) { aten::index_copy_(y, -1, at({3, 0}), x[1]); })});
  check_gradients(
      {"index_fill", {{3, 4}}, [](in x) { return out{aten::index_fill_int_Scalar(x[0], 1, at({0, -1}), 7)}; }});
  check_gradients(
      {"index_fill_", {{3, 4}}, in_place([](tensor& y, in) { aten::index_fill_int_Scalar_(y, 0, at({1, 1}), 7); })});
  check_gradients({"index_fill, a tensor", {{3, 4}, {}}, [](in x) {
                     return out{aten::index_fill_int_Tensor(x[0], 1, at({0, 2}), x[1])};
                   }});
  check_gradients({"index_fill, a tensor, one place twice", {{3, 4}, {}}, [](in x) {
                     return out{aten::index_fill_int_Tensor(x[0], 1, at({0, -4, 2}), x[1])};
                   }});
  check_gradients({"index_fill_, a tensor", {{3, 4}, {}}, in_place([](tensor& y, in x) {
                     aten::index_fill_int_Tensor_(y, -2, at({0, 2, 0}), x[1]);
                   })});
}

TEST_CASE("index gradients: scatter, in place too, of a source that is longer than its index", "[gradients]") {
  const tensor index = at({0, 2, 1, 2, 1, 0}, {2, 3});
  for (const tb::shape& source : {tb::shape{2, 3}, tb::shape{4, 3}, tb::shape{2, 5}, tb::shape{3, 4}}) {
    const std::string name = tb::to_string(source);
    check_gradients(
        {"scatter " + name, {{3, 4}, source}, [&](in x) { return out{aten::scatter_src(x[0], 0, index, x[1])}; }});
    check_gradients({"scatter_ " + name, {{3, 4}, source}, in_place([&](tensor& y, in x) {
                       aten::scatter_src_(y, 0, index, x[1]);
                     })});
    check_gradients(
        {"scatter_add " + name, {{3, 4}, source}, [&](in x) { return out{aten::scatter_add(x[0], 1, index, x[1])}; }});
    check_gradients({"scatter_add_ " + name, {{3, 4}, source}, in_place([&](tensor& y, in x) {
                       aten::scatter_add_(y, -1, index, x[1]);
                     })});
  }
  check_gradients(
      {"scatter, no dimensions", {{}, {}}, [](in x) { return out{aten::scatter_src(x[0], 0, at({0}, {}), x[1])}; }});
  check_gradients(
      {"scatter, none", {{3}, {0}}, [](in x) { return out{aten::scatter_src(x[0], 0, at({}, {0}), x[1])}; }});
  check_gradients({"scatter_add to one place", {{3}, {4}}, [](in x) {
                     return out{aten::scatter_add(x[0], 0, at({1, 1, 0, 1}), x[1])};
                   }});
  check_gradients({"scatter a value", {{3, 4}}, [&](in x) { return out{aten::scatter_value(x[0], 0, index, 5)}; }});
  check_gradients(
      {"scatter_ a value", {{3, 4}}, in_place([&](tensor& y, in) { aten::scatter_value_(y, 1, index, 5); })});
}

TEST_CASE("index gradients: several sources written to one element each get the gradient", "[gradients]") {
  const tensor twice = at({0, 0});
  const auto check = [](const slopes& s) {
    CHECK(s.first == numbers{0, 1, 1});
    CHECK(s.second == numbers{1, 1});
  };
  // PyTorch 2.15's numbers.
  check(slopes_of([&](auto& x, auto& y) { return aten::scatter_src(x, 0, twice, y); }, {1, 2, 3}, {4, 5}));
  check(slopes_of([&](auto& x, auto& y) { return aten::index_copy(x, 0, twice, y); }, {1, 2, 3}, {4, 5}));
  check(slopes_of([&](auto& x, auto& y) { return aten::index_put(x, index_list{twice}, y); }, {1, 2, 3}, {4, 5}));
}

TEST_CASE("index gradients: sources with one destination are summed", "[gradients]") {
  const tensor index = at({0, 2, 0, 2, 1, 0, 0, 2}, {4, 2});
  for (const bool include : {true, false}) {
    for (const char* how : {"sum", "prod", "mean", "amax", "amin"}) {
      const std::string name = std::string(how) + (include ? "" : " without self");
      check_gradients({"scatter_reduce " + name, {{3, 2}, {4, 2}}, [&](in x) {
                         return out{aten::scatter_reduce_two(x[0], 0, index, x[1], how, arg<"include_self"> = include)};
                       }});
      check_gradients({"scatter_reduce_ " + name, {{5, 3}, {5, 2}}, in_place([&](tensor& y, in x) {
                         aten::scatter_reduce_two_(y, -1, index, x[1], how, arg<"include_self"> = include);
                       })});
      if (std::string(how) == "sum") continue;
      check_gradients({"index_reduce " + name, {{3, 2}, {4, 2}}, [&](in x) {
                         return out{
                             aten::index_reduce(x[0], 0, at({0, 2, 0, 0}), x[1], how, arg<"include_self"> = include)};
                       }});
      check_gradients({"index_reduce_ " + name, {{2, 3}, {2, 4}}, in_place([&](tensor& y, in x) {
                         aten::index_reduce_(y, -1, at({0, 2, 0, 0}), x[1], how, arg<"include_self"> = include);
                       })});
    }
  }
  for (const char* how : {"add", "multiply"}) {
    const std::string name = how;
    check_gradients({"scatter, " + name, {{3, 2}, {4, 2}}, [&](in x) {
                       return out{aten::scatter_reduce(x[0], 0, index, x[1], arg<"reduce"> = how)};
                     }});
    check_gradients({"scatter_, " + name, {{3, 2}, {4, 2}}, in_place([&](tensor& y, in x) {
                       aten::scatter_reduce_(y, 0, index, x[1], arg<"reduce"> = how);
                     })});
    check_gradients({"scatter a value, " + name, {{3, 2}}, [&](in x) {
                       return out{aten::scatter_value_reduce(x[0], 0, index, 3, arg<"reduce"> = how)};
                     }});
    check_gradients({"scatter_ a value, " + name, {{3, 2}}, in_place([&](tensor& y, in) {
                       aten::scatter_value_reduce_(y, 0, index, 3, arg<"reduce"> = how);
                     })});
  }
}

TEST_CASE("index gradients: equal extremes share, and products with a zero", "[gradients]") {
  const auto reduced = [](const numbers& self, const numbers& source, const tensor& index, const char* how,
                          bool include) {
    return slopes_of(
        [&](auto& x, auto& y) { return aten::scatter_reduce_two(x, 0, index, y, how, arg<"include_self"> = include); },
        self, source);
  };
  const auto by_slices = [](const numbers& self, const numbers& source, const tensor& index, const char* how,
                            bool include) {
    return slopes_of(
        [&](auto& x, auto& y) { return aten::index_reduce(x, 0, index, y, how, arg<"include_self"> = include); }, self,
        source);
  };
  // PyTorch 2.15's numbers.
  slopes s = reduced({3, 1}, {3, 2, 1}, at({0, 0, 1}), "amax", true);
  CHECK(s.first == numbers{0.5, 0.5});
  CHECK(s.second == numbers{0.5, 0, 0.5});
  s = by_slices({3, 1}, {3, 3, 1}, at({0, 0, 1}), "amax", true);
  CHECK(s.first == numbers{1. / 3, 0.5});
  CHECK(s.second == numbers{1. / 3, 1. / 3, 0.5});
  for (const auto& way : {reduced({5, 0}, {0, 2, 0, 0}, at({0, 0, 1, 1}), "prod", true),
                          by_slices({5, 0}, {0, 2, 0, 0}, at({0, 0, 1, 1}), "prod", true)}) {
    CHECK(way.first == numbers{0, 0});
    CHECK(way.second == numbers{10, 0, 0, 0});
  }
  s = reduced({5, 0}, {0, 2, 0, 0}, at({0, 0, 1, 1}), "prod", false);
  CHECK(s.first == numbers{0, 0});
  CHECK(s.second == numbers{2, 0, 0, 0});
  // PyTorch gives half of the gradient to self here, and then takes it away, though self is not there.
  s = reduced({3, 1, 7}, {3, 2, 1}, at({0, 0, 1}), "amax", false);
  CHECK(s.first == numbers{0, 0, 1});
  CHECK(s.second == numbers{1, 0, 1});
}

TEST_CASE("index gradients: sums and means save no elements, which may be written", "[gradients]") {
  for (const char* how : {"sum", "mean"}) {
    const tensor x = tb::require_grad(tensor_of({1, 2}, {2}));
    tensor self = x * 1, source = x * 1;
    const tensor y = aten::scatter_reduce_two(self, 0, at({0, 0}), source, how);
    CHECK(tb::author::record_of(self).references.load() == 1);
    CHECK(tb::author::record_of(source).references.load() == 1);
    aten::zero_(self);
    aten::zero_(source);
    tb::backward(aten::sum(y));
    const bool mean = how[0] == 'm';
    CHECK(values(tb::leaf_grad(x)) == (mean ? numbers{2. / 3, 4. / 3} : numbers{2, 2}));
  }
}

TEST_CASE("index gradients: products with a zero have gradients of gradients", "[gradients]") {
  const auto f = [](in x) { return out{aten::scatter_reduce_two(x[0], 0, at({0, 0, 1, 1, 1}), x[1], "prod")}; };
  const auto twice = [&](const numbers& source) {
    const std::vector<tensor> x{tb::require_grad(tensor_of({5, 0.5}, {2})), tb::require_grad(tensor_of(source, {5}))};
    return tb::gradgradcheck(f, x);
  };
  const tb::check_result one = twice({0, 2, 3, 0, 1.5});
  INFO(one.text);
  CHECK(one.ok);
  CHECK(toy::text_of<tb::error>([&] { twice({0, 0, 1, 2, 3}); }) ==
        "aten::scatter_reduce.two: found two zeros of the source at one index, whose product has no second gradient; "
        "wanted at most one");
}

TEST_CASE("index gradients: masks that broadcast", "[gradients]") {
  const std::vector<tensor> masks{mask_of({1, 0, 1, 1, 0, 0}, {2, 3}), mask_of({0, 1, 1}, {3}), mask_of({1, 0}, {2, 1}),
                                  mask_of({1}, {})};
  for (const tensor& mask : masks) {
    const std::string name = tb::to_string(mask.sizes());
    check_gradients(
        {"masked_fill " + name, {{2, 3}}, [&](in x) { return out{aten::masked_fill_Scalar(x[0], mask, 3)}; }});
    check_gradients(
        {"masked_fill_ " + name, {{2, 3}}, in_place([&](tensor& y, in) { aten::masked_fill_Scalar_(y, mask, 3); })});
    check_gradients({"masked_fill, a tensor " + name, {{2, 3}, {}}, [&](in x) {
                       return out{aten::masked_fill_Tensor(x[0], mask, x[1])};
                     }});
    check_gradients({"masked_fill_, a tensor " + name, {{2, 3}, {}}, in_place([&](tensor& y, in x) {
                       aten::masked_fill_Tensor_(y, mask, x[1]);
                     })});
    check_gradients({"masked_select " + name, {{2, 3}}, [&](in x) { return out{aten::masked_select(x[0], mask)}; }});
    check_gradients({"masked_scatter " + name, {{2, 3}, {2, 4}}, [&](in x) {
                       return out{aten::masked_scatter(x[0], mask, x[1])};
                     }});
    check_gradients({"masked_scatter_ " + name, {{2, 3}, {6}}, in_place([&](tensor& y, in x) {
                       aten::masked_scatter_(y, mask, x[1]);
                     })});
  }
  const tensor wide = mask_of({1, 0, 1, 1, 0, 0}, {2, 3});
  check_gradients({"masked_fill, self broadcasts", {{3}, {}}, [&](in x) {
                     return out{aten::masked_fill_Tensor(x[0], wide, x[1]), aten::masked_fill_Scalar(x[0], wide, 1)};
                   }});
  check_gradients(
      {"masked_select, self broadcasts", {{2, 1}}, [&](in x) { return out{aten::masked_select(x[0], wide)}; }});
  check_gradients({"masked_scatter, self broadcasts", {{3}, {4}}, [&](in x) {
                     return out{aten::masked_scatter(x[0], wide, x[1])};
                   }});
}

TEST_CASE("index gradients: bags of rows of an embedding", "[gradients]") {
  const tensor indices = at({0, 3, 3, 1, 3, 2}), offsets = at({0, 2, 2, 5});
  for (const std::int64_t mode : {0, 1, 2}) {
    for (const std::int64_t padding : {-1, 3}) {
      for (const bool ends : {false, true}) {
        const auto bags = [=](const tensor& w, const std::optional<tensor>& factors) {
          return out{
              std::get<0>(aten::_embedding_bag(w, indices, offsets, false, mode, false, factors, ends, padding))};
        };
        check_gradients({"embedding_bag", {{4, 3}}, [=](in x) { return bags(x[0], std::nullopt); }});
        if (mode == 0) {
          check_gradients({"embedding_bag, factors", {{4, 3}, {6}}, [=](in x) { return bags(x[0], x[1]); }});
        }
      }
    }
  }
  const tensor none = at({}, {0});
  check_gradients({"embedding_bag, no indices", {{4, 2}}, [=](in x) {
                     return out{std::get<0>(aten::embedding_bag(x[0], none, at({0, 0})))};
                   }});
  check_gradients({"embedding_bag, no bags", {{4, 2}}, [=](in x) {
                     return out{std::get<0>(aten::embedding_bag(x[0], indices, none))};
                   }});
}

TEST_CASE("index gradients: bags of rows, PyTorch 2.15's numbers", "[gradients]") {
  const tensor indices = at({0, 3, 3, 1, 3}), offsets = at({0, 2, 2});
  const tensor weight = tb::require_grad(tensor_of({0.5, -1, 2, 3, 1, 0, -2, 4}, {4, 2}, tb::dtype::float64));
  const tensor c = tensor_of({1, 2, 3, 4, 5, 6}, {3, 2}, tb::dtype::float64);
  const auto gradient = [&](std::int64_t mode, bool by_frequency, std::int64_t padding) {
    const tensor bags = std::get<0>(
        aten::_embedding_bag(weight, indices, offsets, by_frequency, mode, false, std::nullopt, false, padding));
    return values(tb::grad(aten::sum(bags * c), weight));
  };
  const auto near = [](const numbers& found, const numbers& wanted) {
    return support::difference(found, wanted, 1e-14) == "";
  };
  CHECK(gradient(0, false, -1) == numbers{1, 2, 5, 6, 0, 0, 11, 14});
  CHECK(gradient(0, false, 3) == numbers{1, 2, 5, 6, 0, 0, 0, 0});
  CHECK(near(gradient(0, true, -1), {1, 2, 5, 6, 0, 0, 11. / 3, 14. / 3}));
  CHECK(near(gradient(1, false, -1), {0.5, 1, 5. / 3, 2, 0, 0, 23. / 6, 5}));
  CHECK(gradient(1, false, 3) == numbers{1, 2, 5, 6, 0, 0, 0, 0});
  CHECK(near(gradient(1, true, -1), {0.5, 1, 5. / 3, 2, 0, 0, 23. / 18, 5. / 3}));
  CHECK(gradient(2, false, -1) == numbers{1, 0, 5, 0, 0, 0, 0, 8});
  CHECK(gradient(2, false, 3) == numbers{1, 2, 5, 6, 0, 0, 0, 0});
  const tensor factors = tb::require_grad(tensor_of({1, 2, 3, 4, 5}, {5}, tb::dtype::float64));
  for (const std::int64_t padding : {-1, 3}) {
    const tensor bags =
        std::get<0>(aten::_embedding_bag(weight, indices, offsets, false, 0, false, factors, false, padding));
    const tensor total = aten::sum(bags * c);
    const bool none = padding < 0;
    CHECK(values(tb::grad(total, weight, {.retain_graph = true})) ==
          numbers{1, 2, 20, 24, 0, 0, none ? 42. : 0, none ? 52. : 0});
    CHECK(values(tb::grad(total, factors)) == (none ? numbers{-1.5, 6, 14, 28, 14} : numbers{-1.5, 0, 0, 28, 0}));
  }
}

TEST_CASE("index gradients: rows of an embedding", "[gradients]") {
  const tensor indices = at({0, 3, 0, 1, 1, 0}, {2, 3});
  check_gradients({"embedding", {{4, 2}}, [&](in x) { return out{aten::embedding(x[0], indices)}; }});
  check_gradients({"embedding, one", {{4, 2}}, [&](in x) { return out{aten::embedding(x[0], at({2}, {}))}; }});
  check_gradients({"embedding, none", {{4, 2}}, [&](in x) { return out{aten::embedding(x[0], at({}, {0}))}; }});
  for (const std::int64_t padding : {-1, 1}) {
    for (const bool by_frequency : {false, true}) {
      check_gradients({"embedding_dense_backward", {{2, 3, 2}}, [&](in x) {
                         return out{aten::embedding_dense_backward(x[0], indices, 5, padding, by_frequency)};
                       }});
    }
  }
  // PyTorch 2.15's numbers: the padding's row has none, and rows that are there twice half of it.
  const tensor weight = tb::require_grad(tensor_of({0, 1, 2, 3, 4, 5, 6, 7}, {4, 2}));
  const tensor total = aten::sum(aten::embedding(weight, at({0, 1, 1, 3}), 3, true));
  tb::backward(total);
  CHECK(values(tb::leaf_grad(weight)) == numbers{1, 1, 1, 1, 0, 0, 0, 0});
}

// vmap itself: arguments, results, levels, and what is refused.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const tb::error& e) {
    return e.what();
  }
  return "no error";
}

struct layer {
  tb::tensor weight, bias;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
  }
};

bool same(const tb::tensor& a, const tb::tensor& b) { return a.sizes() == b.sizes() && tb::equal(a, b); }

inline constexpr tb::op<"mapped::exchange_(Tensor(a!) self, Tensor(b!) other) -> (Tensor(b!), Tensor(a!))"> exchange_;
inline constexpr tb::op<"mapped::twice_(Tensor(a|b!) self) -> (Tensor(b|a!), Tensor(b!))"> twice_;
std::tuple<tb::tensor&, tb::tensor&> exchange_cpu(tb::tensor& a, tb::tensor& b) {
  const tb::tensor kept = tb::clone(a);
  tb::copy_(a, b);
  tb::copy_(b, kept);
  return {b, a};
}
std::tuple<tb::tensor&, tb::tensor&> twice_cpu(tb::tensor& self) {
  self += self;
  return {self, self};
}
const auto mapped_kernels = tb::library("mapped")
                                .def(exchange_)
                                .impl<&exchange_cpu>(exchange_, tb::key::CPU)
                                .def(twice_)
                                .impl<&twice_cpu>(twice_, tb::key::CPU);

const tb::tensor rows = tb::tensor({{1.f, 2, 3}, {4, 5, 6}});

}  // namespace

TEST_CASE("vmap: the function sees the sizes of one example, and is called once", "[transform]") {
  int calls = 0;
  const tb::tensor y = tb::vmap([&](const tb::tensor& x) {
    ++calls;
    CHECK(x.sizes() == tb::shape{3});
    CHECK(x.dim() == 1);
    CHECK(tb::author::is_batched(x));
    return x * 2.0 + tb::sum(x);
  })(rows);
  CHECK(calls == 1);
  CHECK(same(y, tb::tensor({{8.f, 10, 12}, {23, 25, 27}})));
  CHECK(!tb::author::is_batched(y));
}

TEST_CASE("vmap: batch dimensions of arguments and results", "[transform]") {
  const auto f = [](const tb::tensor& a, const tb::tensor& b) { return std::tuple(a * b, a + 1.0); };
  const tb::tensor columns = tb::transpose(rows, 0, 1), w = tb::tensor({1.f, 10, 100});
  const auto [product, sum] = tb::vmap(f, {.in = {1, tb::unmapped}, .out = {-1, 0}})(columns, w);
  CHECK(same(product, tb::transpose(rows * w, 0, 1)));
  CHECK(same(sum, rows + 1.0));
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::sum(x); }, {.in = -2})(rows), tb::tensor({6.f, 15})));
  // What is the same for all examples is expanded, or required to be so.
  const auto constant = [&](const tb::tensor&) { return w; };
  CHECK(same(tb::vmap(constant)(rows), tb::expand(w, {2, 3})));
  CHECK(same(tb::vmap(constant, {.out = tb::unmapped})(rows), w));
}

TEST_CASE("vmap: structures of tensors", "[transform]") {
  const layer l{tb::ones({4, 3, 2}), tb::zeros({4, 2})};
  const auto f = [](const layer& l, const tb::tensor& x) { return std::vector{tb::matmul(x, l.weight) + l.bias, x}; };
  const std::vector<tb::tensor> y = tb::vmap(f, {.in = {0, tb::unmapped}})(l, tb::tensor({1.f, 2, 3}));
  CHECK(same(y.at(0), tb::full({4, 2}, 6.0)));
  CHECK(y.at(1).sizes() == tb::shape{4, 3});
}

TEST_CASE("vmap: nests, and inner levels see outer examples", "[transform]") {
  const auto outer = [](const tb::tensor& a, const tb::tensor& b) {
    return tb::vmap([&](const tb::tensor& x) { return x * tb::sum(b); })(a);
  };
  const tb::tensor a = tb::reshape(tb::arange(12.0), {2, 3, 2}), b = tb::tensor({{1.f, 2}, {3, 4}});
  CHECK(same(tb::vmap(outer)(a, b), a * tb::reshape(tb::sum(b, 1), {2, 1, 1})));
}

TEST_CASE("vmap: in chunks the results are the same", "[transform]") {
  const auto f = [](const tb::tensor& x) { return tb::softmax(x, 0); };
  const tb::tensor x = tb::reshape(tb::arange(21.0), {7, 3});
  for (const std::int64_t chunk : {1, 2, 3, 7, 100})
    CHECK(same(tb::vmap(f, {.out = 1, .chunk = chunk})(x), tb::vmap(f, {.out = 1})(x)));
}

TEST_CASE("vmap: of no examples", "[transform]") {
  const auto f = [](const tb::tensor& x) { return tb::matmul(x, tb::ones({3, 4})) + tb::max(x); };
  CHECK(tb::vmap(f)(tb::zeros({0, 2, 3})).sizes() == tb::shape{0, 2, 4});
  CHECK(tb::vmap(f, {.chunk = 2})(tb::zeros({0, 2, 3})).sizes() == tb::shape{0, 2, 4});
}

TEST_CASE("vmap: gradients are recorded through it", "[transform]") {
  tb::tensor w = tb::tensor({1.f, 2, 3});
  tb::require_grad(w);
  const tb::tensor y = tb::vmap([&](const tb::tensor& x) { return tb::sum(tb::exp(x * w)); })(rows);
  CHECK(tb::requires_grad(y));
  tb::backward(tb::sum(y));
  CHECK(tb::allclose(tb::leaf_grad(w), tb::sum(rows * tb::exp(rows * tb::detach(w)), 0)));
}

TEST_CASE("vmap: writing to a mapped argument writes to the caller's tensor", "[transform]") {
  const tb::tensor x = tb::clone(rows);
  tb::vmap([](tb::tensor a) { tb::mul_(a, 2.0); })(x);
  CHECK(same(x, rows * 2.0));
}

TEST_CASE("vmap: a written result is the argument of its alias set", "[transform]") {
  tb::vmap([](tb::tensor a, tb::tensor b) {
    const auto [first, second] = exchange_(a, b);
    CHECK((&first == &b && &second == &a));
    const auto [once, again] = twice_(a);
    CHECK((&once == &a && &again == &a));
  })(tb::clone(rows), rows + 3.0);
}

TEST_CASE("vmap: a copy for each example can be written", "[transform]") {
  const tb::tensor all = tb::vmap([](const tb::tensor& x) {
    tb::tensor sums = tb::per_example(tb::ones({3}) * 2.0);
    tb::add_(sums, x);
    return sums;
  })(rows);
  CHECK(same(all, rows + 2.0));
}

TEST_CASE("vmap: a tensor made inside is batched when a batched value is written", "[transform]") {
  CHECK(same(tb::vmap([](const tb::tensor& x) {
               tb::tensor all = tb::zeros({3});
               const tb::tensor another_handle = all;
               tb::add_(all, 1.0);
               tb::add_(all, x);
               CHECK(tb::author::is_batched(all));
               return another_handle;
             })(rows),
             rows + 1.0));
  // Through a view of it.
  CHECK(same(tb::vmap([](const tb::tensor& x) {
               tb::tensor all = tb::ones({2, 3});
               tb::copy_(tb::select(all, 0, 1), x);
               tb::mul_(tb::select(all, 0, 0), 2.0);
               return all;
             })(rows),
             tb::stack({tb::full({2, 3}, 2.0), rows}, 1)));
  // With gradients, and in two levels.
  tb::tensor w = tb::tensor({1.f, 2, 3});
  tb::require_grad(w);
  const auto running = [&](const tb::tensor& x) {
    tb::tensor sums = tb::zeros({2, 3});
    for (std::int64_t i = 0; i < 2; ++i) tb::copy_(tb::select(sums, 0, i), x * w * static_cast<double>(i + 1));
    return sums;
  };
  const tb::tensor all = tb::vmap([&](const tb::tensor& r) { return tb::vmap(running)(tb::unsqueeze(r, 0)); })(rows);
  CHECK(same(tb::detach(all), tb::unsqueeze(tb::stack({rows * tb::detach(w), rows * tb::detach(w) * 2.0}, 1), 1)));
  tb::backward(tb::sum(all));
  CHECK(same(tb::leaf_grad(w), tb::sum(rows, 0) * 3.0));
}

TEST_CASE("vmap: a tensor made inside may be several arguments of the call that batches it", "[transform]") {
  CHECK(same(tb::vmap([](const tb::tensor& x) {
               tb::tensor y = tb::ones({3});
               tb::addcmul_(y, y, x);
               return y;
             })(rows),
             rows + 1.0));
  CHECK(same(tb::vmap([](const tb::tensor& x) {
               tb::tensor y = tb::ones({3});
               tb::add(y, x, tb::arg<"out"> = y);
               return y;
             })(rows),
             rows + 1.0));
}

// As a loop has it, whatever the memory of the batch looks like.
TEST_CASE("vmap: as_strided_scatter refers to the memory of an example", "[transform]") {
  const std::vector<std::int64_t> two{2}, apart{2};
  const auto scatter = [&](const tb::tensor& x, const tb::tensor& y, std::optional<std::int64_t> offset) {
    return tb::as_strided_scatter(x, y, two, apart, offset);
  };
  const tb::tensor parts = tb::tensor({{-1.f, -2}, {-3, -4}});
  const auto each = [&](const tb::tensor& x, std::optional<std::int64_t> offset, bool batched = true) {
    std::vector<tb::tensor> all;
    for (std::int64_t i = 0; i < 2; ++i) {
      const tb::tensor one = batched ? tb::clone(tb::select(x, 0, i)) : x;
      all.push_back(scatter(one, parts[i], offset));
    }
    return tb::stack(all);
  };
  const auto mapped = [&](const tb::tensor& x, std::optional<std::int64_t> offset, std::optional<std::int64_t> in = 0) {
    return tb::vmap([&](const tb::tensor& a, const tb::tensor& b) { return scatter(a, b, offset); }, {.in = {in, 0}})(
        x, parts);
  };
  CHECK(same(mapped(rows, std::nullopt), tb::tensor({{-1.f, 2, -2}, {-3, 5, -4}})));
  CHECK(same(mapped(rows, 0), each(rows, 0)));
  // Examples with elements of others between their own, which a write there does not reach.
  const tb::tensor columns = tb::tensor({{1.f, 2}, {3, 4}, {5, 6}});
  CHECK(same(mapped(columns, 0, 1), tb::tensor({{-1.f, -2, 5}, {-3, -4, 6}})));
  CHECK(same(mapped(columns, 2, 1), tb::tensor({{1.f, -1, -2}, {2, -3, -4}})));
  const auto neighbours = [](const tb::tensor& a, const tb::tensor& b) {
    return tb::as_strided_scatter(a, b, {2}, {1}, 0);
  };
  CHECK(same(tb::vmap(neighbours, {.in = {1, 0}})(columns, parts), tb::tensor({{-1.f, 3, 5}, {-3, 4, 6}})));
  // One that all share has its own offset, and memory before it.
  CHECK(same(mapped(rows[1], std::nullopt, std::nullopt), each(rows[1], std::nullopt, false)));
  CHECK(same(mapped(rows[1], 2, std::nullopt), tb::tensor({{4.f, -2, 6}, {4, -4, 6}})));
  // Repeated elements are copied first.
  const tb::tensor repeated = tb::expand(tb::tensor({{7.f}, {8}}), {2, 3});
  CHECK(same(mapped(repeated, std::nullopt), tb::tensor({{-1.f, 7, -2}, {-3, 8, -4}})));
  CHECK(same(mapped(repeated, 0, std::nullopt), each(repeated, 0, false)));
}

TEST_CASE("vmap: zero-dimensional operands promote as those of an example", "[transform]") {
  const tb::tensor n = tb::tensor(std::int64_t{1} << 40), few = tb::to(tb::tensor({5, 6}), tb::dtype::int32);
  const tb::tensor y = tb::vmap([&](const tb::tensor& a) { return tb::maximum(a, n); })(few);
  CHECK(same(y, tb::full({2}, static_cast<double>(std::int64_t{1} << 40), tb::arg<"dtype"> = tb::dtype::int64)));
}

TEST_CASE("vmap: a result has its elements in the order of an example's", "[transform]") {
  const tb::tensor x = tb::expand(tb::reshape(rows, {1, 6, 1}), {3, 6, 2});
  const auto f = [](const tb::tensor& a) { return tb::view(a + a, {6}); };
  CHECK(same(tb::vmap(f, {.in = 1})(x), tb::reshape(tb::transpose(x, 0, 1) * 2.0, {6, 6})));
}

TEST_CASE("vmap: results of several parts", "[transform]") {
  const std::array<tb::tensor, 2> both =
      tb::vmap([](const tb::tensor& x) { return std::array{x, x + 1.0}; }, {.out = {0, 1}})(rows);
  CHECK(same(both[0], rows));
  CHECK(same(both[1], tb::transpose(rows + 1.0, 0, 1)));
}

TEST_CASE("vmap: dimensions that are counted from the end are those of an example", "[transform]") {
  const tb::tensor all = tb::reshape(tb::arange(24), {2, 3, 4});
  const auto transposed = tb::vmap([](const tb::tensor& x) { return tb::permute(x, {-1, -2}); });
  CHECK(same(transposed(all), tb::transpose(all, 1, 2)));
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::movedim(x, -1, -2); })(all), tb::transpose(all, 1, 2)));
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::cumsum(x, -2); })(all), tb::cumsum(all, 1)));
  // Of a number too.
  const tb::tensor numbers = tb::tensor({1.f, 2, 3});
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::sum(x, {-1}, true); })(numbers), numbers));
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::argmax(x, -1, true); })(numbers), tb::tensor({0, 0, 0})));
}

TEST_CASE("vmap: an example does not reach into another one", "[transform][errors]") {
  const auto text = [](auto f, const auto&... of) { return error_of([&] { tb::vmap(f)(of...); }); };
  const auto is_of_example = [](const std::string& found) {
    return found.find("in example 0 of 2 examples") != found.npos;
  };
  // Row 3 of three, which would be the next example's first.
  const tb::tensor weights = tb::reshape(tb::arange(12.0), {2, 3, 2}), places = tb::tensor({{0, 3}, {1, 2}});
  CHECK(is_of_example(
      text([](const tb::tensor& w, const tb::tensor& i) { return tb::embedding(w, i); }, weights, places)));
  CHECK(is_of_example(
      text([](const tb::tensor& w, const tb::tensor& i) { return tb::index_add(w, 0, i, tb::ones({2, 2})); }, weights,
           places)));
  CHECK(text([](const tb::tensor& x) { return tb::as_strided(x, {2}, {1}, 2); }, rows)
            .starts_with("found elements outside of the example"));
  CHECK(same(tb::vmap([](const tb::tensor& x) { return tb::as_strided(x, {2}, {1}, 1); })(rows),
             tb::slice(rows, 1, 1, 3)));
  // Batches within the examples do not broadcast.
  CHECK(is_of_example(text([](const tb::tensor& a, const tb::tensor& b) { return tb::bmm(a, b); },
                           tb::ones({2, 1, 2, 2}), tb::ones({2, 3, 2, 2}))));
}

TEST_CASE("vmap: examples without dimensions or elements", "[transform]") {
  const tb::tensor numbers = tb::tensor({1.f, 2, 3});
  const auto unfolded = [](const tb::tensor& x) { return tb::unfold(x, 0, 1, 1); };
  CHECK(same(tb::vmap(unfolded)(numbers),
             tb::stack(std::vector{unfolded(numbers[0]), unfolded(numbers[1]), unfolded(numbers[2])}, 0)));
  // An empty vector takes no part.
  const auto joined = [](const tb::tensor& x) { return tb::cat(std::vector<tb::tensor>{tb::zeros({0}), x}, 1); };
  const tb::tensor matrices = tb::ones({2, 2, 3});
  CHECK(same(tb::vmap(joined)(matrices), matrices));
  // A result that is the same for all is expanded, along any dimension.
  const auto constant = tb::vmap([](const tb::tensor&) { return tb::tensor({1.f, 2}); }, {.out = 1});
  CHECK(same(constant(numbers), tb::tensor({{1.f, 1, 1}, {2, 2, 2}})));
}

TEST_CASE("vmap: an argument that is returned as it is stays one tensor", "[transform]") {
  CHECK(same(tb::vmap([](const tb::tensor& x) {
               const tb::tensor y = x * 1.0;
               tb::tensor as_it_is = tb::contiguous(y);
               CHECK(as_it_is.same_as(y));
               tb::add_(as_it_is, 1.0);
               return y;
             })(rows),
             rows + 1.0));
}

TEST_CASE("vmap: what an example refuses is refused", "[transform]") {
  const auto in_place = [](const tb::tensor& a) {
    tb::tensor x = tb::per_example(a);
    return tb::add_(x, tb::ones({1, 3}));
  };
  CHECK(error_of([&] { tb::vmap(in_place)(rows); }).find("in example 0 of 2 examples") != std::string::npos);
  const auto put = [](const tb::tensor& a) {
    const std::vector<std::optional<tb::tensor>> places{tb::tensor({0, 2})};
    return tb::index_put(a, places, tb::ones({2, 2}));
  };
  CHECK(error_of([&] { tb::vmap(put)(rows); }).find("in example 0 of 2 examples") != std::string::npos);
}

TEST_CASE("vmap: what is refused", "[transform][errors]") {
  const auto id = [](const tb::tensor& x) { return x; };
  const auto first = [](const tb::tensor& a, const tb::tensor&) { return a; };
  CHECK(error_of([&] { tb::vmap(first)(rows, tb::zeros({3})); }) ==
        "vmap: mapped sizes differ: argument 0 has 2 in dimension 0, argument 1 has 3 in dimension 0");
  CHECK(error_of([&] { tb::vmap(id, {.in = 2})(rows); }) ==
        "vmap: found batch dimension 2 for argument 0 of sizes [2, 3], wanted -2 to 1");
  CHECK(error_of([&] { tb::vmap(id)(tb::tensor(1.f)); }) ==
        "vmap: found batch dimension 0 for argument 0 of sizes [], which has no dimension to map");
  CHECK(error_of([&] { tb::vmap(id, {.in = tb::unmapped})(rows); }) ==
        "vmap: found no mapped argument with a tensor, wanted at least one");
  CHECK(error_of([&] { tb::vmap(first, {.in = {0}})(rows, rows); }) ==
        "vmap: found 1 batch dimensions in 'in', wanted one for each of 2 arguments, or one for all");
  CHECK(error_of([&] { tb::vmap(id, {.out = {0, 0}})(rows); }) ==
        "vmap: found 2 batch dimensions in 'out', wanted one for each of 1 results, or one for all");
  CHECK(error_of([&] { tb::vmap(id, {.chunk = 0})(rows); }) == "vmap: found a chunk of 0 examples, wanted at least 1");
  CHECK(error_of([&] { tb::vmap(id, {.out = tb::unmapped})(rows); }) ==
        "vmap: found a batched result (2 examples, level 1) for an unmapped `out`, wanted one that is the same for all "
        "examples");
  CHECK(
      error_of([&] { tb::vmap([](const tb::tensor& x) { return x * tb::item(tb::sum(x)); })(rows); }) ==
      "aten::_local_scalar_dense: the tensor is batched (2 examples, level 1), so it has no single value; use where() "
      "to choose, index_select() or gather() to look up");
  CHECK(error_of([&] { tb::vmap([](const tb::tensor& x) { return x.data_ptr<float>(), x; })(rows); }) ==
        "data of a tensor: the tensor is batched (2 examples, level 1), so it has no single value; use where() to "
        "choose, index_select() or gather() to look up");
  CHECK(error_of([&] { tb::vmap([](const tb::tensor& x) { return tb::nonzero(x); })(rows); }) ==
        "aten::nonzero: the size of its result depends on elements, and examples may differ (2 examples, level 1); use "
        "where(condition, a, b) or a mask");
  // Statistics that all examples share cannot be those of each.
  const tb::tensor mean = tb::zeros({2}), variance = tb::ones({2}), batches = tb::ones({3, 4, 2, 5});
  const auto normalised = [&](bool training) {
    return tb::vmap([&](const tb::tensor& x) {
      return tb::batch_norm(x, std::nullopt, std::nullopt, mean, variance, training, 0.1, 0.0, false);
    })(batches);
  };
  CHECK(error_of([&] { normalised(true); }) ==
        "aten::batch_norm: would update running_mean, which is the same for all examples; pass training = false, or "
        "statistics for each example");
  CHECK(same(normalised(false), batches));
  // A write to examples that are one in memory.
  CHECK(error_of([&] {
          tb::vmap([](const tb::tensor& x) {
            tb::tensor written = x;
            return tb::tensor(tb::mul_(written, 2.0));
          })(tb::expand(tb::ones({1, 3}), {2, 3}));
        }).find("elements share memory") != std::string::npos);
  // Optimizers write lists.
  const tb::tensor rate = tb::ones({3});
  const auto step = [](const tb::tensor& p, const tb::tensor& g) {
    std::vector<tb::tensor> parameters{p}, gradients{g}, momenta;
    tb::aten::_fused_sgd_(parameters, gradients, momenta, 0.0, 0.0, 0.5, 0.0, false, false, true, std::nullopt,
                          std::nullopt);
    return p;
  };
  CHECK(
      error_of([&] { tb::vmap(step, {.in = {tb::unmapped, 0}})(rate, rows); })
          .starts_with("aten::_fused_sgd_: argument 1 'grads' is batched (2 examples, level 1), and argument 0 'self' "
                       "[3], which is written, is one tensor for all examples"));
  CHECK(same(tb::vmap(step)(tb::ones({2, 3}), rows), 1.0 - rows * 0.5));
  tb::tensor outside = tb::zeros({3});
  CHECK(
      error_of([&] { tb::vmap([&](const tb::tensor& x) { return tb::add_(outside, x); })(rows); }) ==
      "aten::add_.Tensor: argument 1 'other' is batched (2 examples, level 1), and argument 0 'self' [3], which is "
      "written, is one tensor for all examples (made outside of the vmap, or seen by other views); write to a copy of "
      "it, per_example(), or map it");
  CHECK(error_of([&] {
          tb::vmap([&](const tb::tensor& x) {
            tb::tensor all = tb::zeros({2, 3});
            const tb::tensor first = tb::select(all, 0, 0), second = tb::select(all, 0, 1);
            return tb::add_(all, x);
          })(rows);
        }).find("seen by other views") != std::string::npos);
}

TEST_CASE("vmap: a tensor from outside is not written once for all examples", "[transform][errors]") {
  tb::tensor count = tb::zeros({}), outside = tb::ones({3});
  const auto text = [&](auto f) {
    return error_of([&] {
      tb::vmap([&](const tb::tensor& x) {
        f(x);
        return x;
      })(rows);
    });
  };
  CHECK(
      text([&](const tb::tensor&) { tb::add_(count, 1.0); }) ==
      "aten::add_.Scalar: argument 0 'self' [], which is written, is from outside of the vmap (2 examples, level 1), "
      "and what is written is the same for all examples: it would be written once, and by a loop for each; write to a "
      "clone(), or outside of the vmap");
  const auto refused = [](const std::string& found) { return found.find("is from outside of the vmap") != found.npos; };
  CHECK(refused(text([&](const tb::tensor&) { tb::mul_(outside, outside); })));
  CHECK(refused(text([&](const tb::tensor&) { tb::exp_(outside); })));
  CHECK(refused(text([&](const tb::tensor&) {
    tb::tensor view = tb::slice(outside, 0, 0, 2);
    tb::add_(view, 1.0);
  })));
  // The outer function's example, for each of the inner ones; and a tensor made there.
  CHECK(refused(text([&](const tb::tensor& x) {
    tb::vmap([&](const tb::tensor& y) {
      tb::tensor same = x;
      tb::add_(same, 1.0);
      return y;
    })(tb::ones({2}));
  })));
  const auto of_inner = [&](bool made_inside) {
    return text([&](const tb::tensor&) {
      tb::tensor made = tb::ones({3});
      tb::add_(made, 1.0);
      tb::vmap([&](const tb::tensor& y) {
        tb::tensor written = made_inside ? tb::clone(made) : made;
        tb::add_(written, 1.0);
        return y;
      })(tb::ones({2}));
    });
  };
  CHECK(refused(of_inner(false)));
  CHECK(of_inner(true) == "no error");
  // What gives the same however often it runs.
  CHECK(text([&](const tb::tensor&) {
          tb::zero_(outside);
          tb::fill_(outside, 2.0);
          tb::copy_(outside, tb::ones({3}) * 3.0);
        }) == "no error");
  CHECK(same(outside, tb::full({3}, 3.0)));
  CHECK(same(count, tb::zeros({})));
  tb::add_(count, 1.0);
  CHECK(same(count, tb::ones({})));
}

TEST_CASE("vmap: errors are those of one example", "[transform]") {
  CHECK(error_of([&] { tb::vmap([](const tb::tensor& x) { return tb::mm(x, tb::ones({2, 2})); })(rows); }) ==
        error_of([&] { tb::mm(tb::tensor({1.f, 2, 3}), tb::ones({2, 2})); }) +
            " (in example 0 of 2 examples, level 1)");
}

TEST_CASE("vmap: a tensor that is kept cannot be used", "[transform]") {
  tb::tensor kept;
  tb::vmap([&](const tb::tensor& x) { return kept = x; })(rows);
  CHECK(
      error_of([&] { tb::exp(kept); }) ==
      "aten::exp: argument 0 'self' is batched by a vmap that has ended, or runs on another thread; return it from the "
      "mapped function instead of keeping it");
  // Nor in another vmap of the same depth.
  CHECK(error_of([&] {
          tb::vmap([&](const tb::tensor& x) { return x + kept; })(rows);
        }).starts_with("aten::add.Tensor: argument 1 'other' is batched by a vmap that has ended"));
}

TEST_CASE("vmap: however a tensor is kept, it cannot be used", "[transform]") {
  tb::tensor kept;
  const auto fails = [&](const tb::tensor& x) -> tb::tensor {
    kept = x;
    throw tb::error("stopped");
  };
  CHECK(error_of([&] { tb::vmap(fails)(rows); }) == "stopped");
  CHECK(error_of([&] { tb::vmap([&](const tb::tensor& x) { return x * kept; })(rows); }).find("has ended") !=
        std::string::npos);
  CHECK(same(tb::vmap([](const tb::tensor& x) { return x + 1.0; })(rows), rows + 1.0));
  // In a hook, which runs when the vmap has ended.
  tb::tensor w = tb::ones({2, 3});
  tb::require_grad(w);
  const tb::tensor y = tb::vmap([](const tb::tensor& x) {
    const tb::tensor z = x * 2.0;
    tb::add_hook(z, [x](const tb::tensor& g) { return g * x; });
    return z;
  })(w);
  CHECK(error_of([&] { tb::backward(tb::sum(y)); }).find("by a vmap that has ended") != std::string::npos);
}

TEST_CASE("vmap: a batched tensor is printed with its level", "[transform]") {
  tb::vmap([](const tb::tensor& x) {
    CHECK(tb::to_string(x, {.one_line = true}) ==
          "batched (2 examples, level 1, batch dimension 0) [[1, 2, 3], [4, 5, 6]] (float32 [2, 3])");
    return x;
  })(rows);
}

// Every gradient formula against central differences in float64, for leaves in every arrangement of memory.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::arrangement;
using tb::arg;
using tb::tensor;

namespace {

using inputs = std::vector<tensor>;

tensor copied(const tensor& x) { return aten::clone(x, arg<"memory_format"> = tb::memory_format::contiguous); }

// A function of tensors, the shapes it takes, and what numbers it takes.
struct formula {
  std::string name;
  std::vector<tb::shape> shapes;
  std::function<tensor(const inputs&)> run;
  bool positive = false;
};

template <class... D>
std::vector<std::int64_t> list(D... d) {
  return {d...};
}

const std::vector<formula>& formulas() {
  using shape = tb::shape;
  static const std::vector<formula> all = [] {
    std::vector<formula> out;
    const std::vector<std::pair<shape, shape>> pairs{{{2, 3}, {2, 3}}, {{2, 3}, {3}},       {{3}, {2, 3}},
                                                     {{2, 1}, {1, 4}}, {{}, {2, 2}},        {{2, 2}, {}},
                                                     {{}, {}},         {{2, 1, 3}, {4, 1}}, {{0, 3}, {1, 3}}};
    for (const auto& [a, b] : pairs) {
      const std::string shapes = " " + tb::to_string(a) + " " + tb::to_string(b);
      out.push_back({"add" + shapes, {a, b}, [](const inputs& x) { return aten::add_Tensor(x[0], x[1]); }});
      out.push_back({"add alpha" + shapes, {a, b}, [](const inputs& x) {
                       return aten::add_Tensor(x[0], x[1], arg<"alpha"> = -2.5);
                     }});
      out.push_back({"sub" + shapes, {a, b}, [](const inputs& x) { return aten::sub_Tensor(x[0], x[1]); }});
      out.push_back({"sub alpha" + shapes, {a, b}, [](const inputs& x) {
                       return aten::sub_Tensor(x[0], x[1], arg<"alpha"> = 3);
                     }});
      out.push_back({"mul" + shapes, {a, b}, [](const inputs& x) { return aten::mul_Tensor(x[0], x[1]); }});
      out.push_back({"div" + shapes, {a, b}, [](const inputs& x) { return aten::div_Tensor(x[0], x[1]); }, true});
    }
    const auto one = [&](std::string name, shape given_shape, tensor (*run)(const tensor&), bool positive = false) {
      out.push_back({std::move(name), {given_shape}, [run](const inputs& x) { return run(x[0]); }, positive});
    };
    one("a number on the right", {2, 3}, [](const tensor& x) { return (((x + 2) - 0.5) * 3) / 4; });
    one("a number on the left", {2, 3}, [](const tensor& x) { return 3 * x; });
    one("the same tensor twice", {3}, [](const tensor& x) { return x * x + x; });
    one("neg", {2, 3}, [](const tensor& x) { return -x; });
    one("exp", {2, 3}, [](const tensor& x) { return aten::exp(x); });
    one("log", {2, 3}, [](const tensor& x) { return aten::log(x); }, true);
    one("relu", {3, 3}, [](const tensor& x) { return aten::relu(x); });
    one("sum", {2, 3}, [](const tensor& x) { return aten::sum(x); });
    one("sum of a scalar", {}, [](const tensor& x) { return aten::sum(x); });
    one("sum [0]", {2, 3, 2}, [](const tensor& x) { return tb::sum(x, {0}); });
    one("sum [-1, 0]", {2, 3, 2}, [](const tensor& x) { return tb::sum(x, {-1, 0}); });
    one("sum [1] keepdim", {2, 3, 2}, [](const tensor& x) { return tb::sum(x, {1}, true); });
    one("sum [] keepdim", {2, 3}, [](const tensor& x) { return tb::sum(x, {}, true); });
    one("mean", {2, 3}, [](const tensor& x) { return aten::mean(x); });
    one("transpose", {2, 3, 4}, [](const tensor& x) { return aten::transpose_int(x, 0, -1); });
    one("t", {2, 3}, [](const tensor& x) { return aten::t(x); });
    one("t of a vector", {3}, [](const tensor& x) { return aten::t(x); });
    one("expand", {3, 1}, [](const tensor& x) { return aten::expand(x, list(2, -1, 4)); });
    one("expand a scalar", {}, [](const tensor& x) { return aten::expand(x, list(2, 3)); });
    one("expand to nothing", {1, 3}, [](const tensor& x) { return aten::expand(x, list(0, 3)); });
    one("view", {2, 3}, [](const tensor& x) { return aten::view(copied(x), list(3, -1)); });
    one("reshape", {2, 3}, [](const tensor& x) { return aten::reshape(aten::transpose_int(x, 0, 1), list(6)); });
    one("slice", {5, 2}, [](const tensor& x) { return aten::slice_Tensor(x, 0, 1, -1, 2); });
    one("slice nothing", {5}, [](const tensor& x) { return aten::slice_Tensor(x, 0, 3, 3, 1); });
    one("overlapping slices", {5},
        [](const tensor& x) { return aten::slice_Tensor(x, 0, 0, 4, 1) * aten::slice_Tensor(x, 0, 1, 5, 1); });
    one("permute", {2, 3, 4}, [](const tensor& x) { return aten::permute(x, list(-1, 0, 1)); });
    one("movedim", {2, 3, 4}, [](const tensor& x) { return aten::movedim_int(x, 0, 2); });
    one("unsqueeze", {2, 3}, [](const tensor& x) { return aten::unsqueeze(x, -2); });
    one("squeeze", {1, 3, 1}, [](const tensor& x) { return aten::squeeze(x); });
    one("squeeze one dimension", {1, 3, 1}, [](const tensor& x) { return aten::squeeze_dim(x, -1); });
    one("squeeze a dimension that stays", {2, 3}, [](const tensor& x) { return aten::squeeze_dim(x, 0); });
    one("alias", {2, 3}, [](const tensor& x) { return aten::alias(x); });
    one("select", {2, 3, 2}, [](const tensor& x) { return aten::select_int(x, 1, -1); });
    one("diagonal", {3, 2, 4}, [](const tensor& x) { return aten::diagonal(x, 1, -1, 0); });
    one("diagonal of nothing", {2, 2}, [](const tensor& x) { return aten::diagonal(x, 2); });
    one("unfold", {2, 5}, [](const tensor& x) { return aten::unfold(x, 1, 2, 2); });
    one("unfold into windows that overlap", {5, 2}, [](const tensor& x) { return aten::unfold(x, 0, 3, 1); });
    one("unfold a scalar", {}, [](const tensor& x) { return aten::unfold(x, 0, 1, 1); });
    one("unfold into empty windows", {3}, [](const tensor& x) { return aten::unfold(x, 0, 0, 1); });
    // Of row-major copies: what lies between the elements of a sliced leaf is no number to compute with.
    one("as_strided", {2, 3}, [](const tensor& x) { return aten::as_strided(copied(x), list(2, 2), list(3, 1)); });
    one("as_strided into places that overlap", {2, 3},
        [](const tensor& x) { return aten::as_strided(copied(x), list(2, 3, 2), list(1, 1, 0)); });
    one("as_strided of nothing", {2, 3},
        [](const tensor& x) { return aten::as_strided(copied(x), list(0, 2), list(1, 1), std::int64_t{1} << 50); });
    one("as_strided of a transposed part", {3, 4}, [](const tensor& x) {
      const tensor part = aten::slice_Tensor(aten::transpose_int(copied(x), 0, 1), 0, 1, 4, 1);
      return aten::as_strided(part, list(2, 2), list(4, 1), 2);
    });
    one("flatten", {2, 3, 2},
        [](const tensor& x) { return aten::flatten_using_ints(aten::transpose_int(x, 0, 1), 0, 1); });
    one("unflatten", {2, 6}, [](const tensor& x) { return aten::unflatten_int(x, -1, list(2, 3)); });
    one("the parts of a split", {5, 2}, [](const tensor& x) {
      const auto parts = aten::split_Tensor(x, 2);
      return parts[0] * parts[1] + aten::exp(parts[2]);
    });
    one("elements unbound", {3, 2}, [](const tensor& x) {
      const auto rows = aten::unbind_int(x);
      return rows[0] * rows[2];
    });
    one("an index", {3, 4}, [](const tensor& x) { return tb::index(x, -1, tb::newaxis, tb::slice(1, tb::none, 2)); });
    one("clone", {2, 3}, [](const tensor& x) { return aten::clone(x); });
    one("log_softmax", {3, 4}, [](const tensor& x) { return aten::log_softmax_int(x, -1); });
    one("log_softmax of three dimensions", {2, 2, 3}, [](const tensor& x) { return aten::log_softmax_int(x, 2); });
    one("log_softmax of a scalar", {}, [](const tensor& x) { return aten::log_softmax_int(x, 0); });
    one("nll_loss", {3, 4},
        [](const tensor& x) { return aten::nll_loss(x, support::tensor_of({2, 0, 3}, {3}, tb::dtype::int64)); });
    one("a classifier's loss", {3, 4}, [](const tensor& x) {
      const tensor h = aten::relu(aten::matmul(x, aten::transpose_int(x, 0, 1)));
      return aten::nll_loss(aten::log_softmax_int(h, 1), support::tensor_of({2, 0, 1}, {3}, tb::dtype::int64));
    });
    out.push_back({"mm", {{2, 3}, {3, 4}}, [](const inputs& x) { return aten::mm(x[0], x[1]); }});
    out.push_back({"mm of transposed", {{3, 2}, {4, 3}}, [](const inputs& x) {
                     return aten::matmul(aten::transpose_int(x[0], 0, 1), aten::t(x[1]));
                   }});
    out.push_back({"mm of an empty middle", {{2, 0}, {0, 4}}, [](const inputs& x) { return aten::mm(x[0], x[1]); }});
    const auto many = [&](std::string name, std::vector<shape> shapes, tensor (*run)(const inputs&)) {
      out.push_back({std::move(name), std::move(shapes), run});
    };
    many("bmm", {{2, 2, 3}, {2, 3, 4}}, [](const inputs& x) { return aten::bmm(x[0], x[1]); });
    many("matmul of batches", {{2, 1, 2, 3}, {3, 3, 2}}, [](const inputs& x) { return aten::matmul(x[0], x[1]); });
    many("matmul of vectors", {{3}, {2, 3, 2}}, [](const inputs& x) { return aten::matmul(x[0], x[1]); });
    many("dot", {{3}, {3}}, [](const inputs& x) { return aten::dot(x[0], x[1]); });
    many("addmm", {{1, 4}, {2, 3}, {3, 4}},
         [](const inputs& x) { return aten::addmm(x[0], x[1], x[2], arg<"beta"> = 0.5, arg<"alpha"> = -2); });
    many("baddbmm", {{2, 1}, {2, 2, 3}, {2, 3, 4}},
         [](const inputs& x) { return aten::baddbmm(x[0], x[1], x[2], arg<"beta"> = 3, arg<"alpha"> = 0.5); });
    many("where", {{2, 3}, {3}}, [](const inputs& x) {
      return aten::where_self(support::tensor_of({1, 0, 1, 0, 0, 1}, {2, 3}, tb::dtype::boolean), x[0], x[1]);
    });
    many("addmv", {{2}, {2, 3}, {3}}, [](const inputs& x) { return aten::addmv(x[0], x[1], x[2]); });
    many("linear", {{2, 3}, {4, 3}, {4}}, [](const inputs& x) { return aten::linear(x[0], x[1], x[2]); });
    many("linear of three dimensions", {{2, 2, 3}, {4, 3}, {4}},
         [](const inputs& x) { return aten::linear(x[0], x[1], x[2]); });
    many("linear of one row", {{3}, {2, 3}, {1}}, [](const inputs& x) { return aten::linear(x[0], x[1], x[2]); });
    many("linear by a vector", {{2, 2, 3}, {3}, {}}, [](const inputs& x) { return aten::linear(x[0], x[1], x[2]); });
    many("linear of no rows", {{0, 3}, {2, 3}, {2}}, [](const inputs& x) { return aten::linear(x[0], x[1], x[2]); });
    many("linear without a bias", {{2, 3}, {4, 3}}, [](const inputs& x) { return aten::linear(x[0], x[1]); });
    many("einsum", {{2, 3, 3}, {2, 3, 4}, {4}},
         [](const inputs& x) { return aten::einsum("bii,bij,j->ib", std::span<const tensor>(x)); });
    many("tensordot", {{2, 3, 2}, {3, 2, 4}},
         [](const inputs& x) { return aten::tensordot(x[0], x[1], list(1, 2), list(0, 1)); });
    many("kron", {{2, 2}, {3}}, [](const inputs& x) { return aten::kron(x[0], x[1]); });
    one("trace", {2, 3}, [](const tensor& x) { return aten::trace(x); });
    many("conv2d", {{2, 4, 5, 4}, {4, 2, 3, 2}, {4}},
         [](const inputs& x) { return aten::conv2d(x[0], x[1], x[2], list(2, 1), list(1, 2), list(1, 2), 2); });
    many("conv1d", {{2, 2, 5}, {3, 2, 3}}, [](const inputs& x) { return aten::conv1d(x[0], x[1]); });
    many("conv2d same", {{1, 1, 3, 4}, {2, 1, 2, 3}},
         [](const inputs& x) { return aten::conv2d_padding(x[0], x[1], std::nullopt, list(1), "same"); });
    one("constant_pad_nd", {3, 4}, [](const tensor& x) { return aten::constant_pad_nd(x, list(-1, 2, 1, -1), 7); });
    one("max_pool2d", {2, 5, 4}, [](const tensor& x) { return aten::max_pool2d(x, list(3, 2), list(2, 1), list(1)); });
    one("avg_pool2d", {2, 5, 4}, [](const tensor& x) { return aten::avg_pool2d(x, list(3, 2), list(2, 1), list(1)); });
    one("adaptive_avg_pool2d", {2, 5, 4}, [](const tensor& x) { return aten::adaptive_avg_pool2d(x, list(3, 2)); });
    one("rsqrt", {2, 3}, [](const tensor& x) { return aten::rsqrt(x); }, true);
    many("batch_norm", {{3, 2, 4}, {2}, {2}}, [](const inputs& x) {
      return aten::batch_norm(x[0], x[1], x[2], std::nullopt, std::nullopt, true, 0.1, 1e-5, false);
    });
    many("instance_norm", {{2, 2, 4}, {2}, {2}}, [](const inputs& x) {
      return aten::instance_norm(x[0], x[1], x[2], std::nullopt, std::nullopt, true, 0.1, 1e-5, false);
    });
    many("layer_norm", {{2, 3, 4}, {3, 4}, {3, 4}},
         [](const inputs& x) { return aten::layer_norm(x[0], list(3, 4), x[1], x[2]); });
    one("layer_norm alone", {3, 4}, [](const tensor& x) { return aten::layer_norm(x, list(4)); });
    many("conv_transpose2d", {{2, 4, 2, 3}, {4, 1, 3, 2}, {2}}, [](const inputs& x) {
      return aten::conv_transpose2d_input(x[0], x[1], x[2], list(2, 1), list(1, 0), list(1, 0), 2, list(1, 2));
    });
    one("reflection_pad2d", {2, 3, 4}, [](const tensor& x) { return aten::reflection_pad2d(x, list(3, -1, 2, 1)); });
    one("replication_pad1d", {2, 3}, [](const tensor& x) { return aten::replication_pad1d(x, list(2, 4)); });
    one("circular pad", {2, 3, 4}, [](const tensor& x) { return aten::pad(x, list(4, 1, -1, 2), "circular"); });
    many("indexing by tensors", {{3, 4}}, [](const inputs& x) {
      return tb::index(x[0], tb::from_values<std::int64_t>({2, 0, 2}, {3}), tb::slice(1, 3));
    });
    many("group_norm", {{2, 4, 3}, {4}, {4}}, [](const inputs& x) { return aten::group_norm(x[0], 2, x[1], x[2]); });
    many("attention", {{2, 3, 4}, {2, 5, 4}, {2, 5, 2}},
         [](const inputs& x) { return aten::scaled_dot_product_attention(x[0], x[1], x[2]); });
    many("a small CNN's loss", {{3, 1, 6, 6}, {2, 1, 3, 3}, {2}, {3, 8}}, [](const inputs& x) {
      const tensor h = aten::max_pool2d(aten::relu(aten::conv2d(x[0], x[1], x[2])), list(2));
      const tensor scores = aten::linear(aten::reshape(h, list(3, 8)), x[3]);
      return aten::nll_loss(aten::log_softmax_int(scores, 1), support::tensor_of({2, 0, 1}, {3}, tb::dtype::int64));
    });
    out.push_back({"float64 with an integer", {{2, 3}}, [](const inputs& x) {
                     return x[0] * support::tensor_of({1, 2, 3}, {3}, tb::dtype::int64);
                   }});
    return out;
  }();
  return all;
}

// The sum of the elements, weighted so that no two of them count the same.
double weighted(const tensor& t, const tensor& weights) {
  const auto x = support::values(t), w = support::values(weights);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * w[i];
  return sum;
}

std::vector<double> central_differences(const formula& f, const inputs& x, std::size_t which, const tensor& weights) {
  const tb::no_grad guard;
  constexpr double h = 1e-6;
  std::vector<double> out;
  support::each_index(x[which].sizes(), [&](const tb::shape& index) {
    const double old = support::get(x[which], index);
    support::set(x[which], index, old + h);
    const double above = weighted(f.run(x), weights);
    support::set(x[which], index, old - h);
    const double below = weighted(f.run(x), weights);
    support::set(x[which], index, old);
    out.push_back((above - below) / (2 * h));
  });
  return out;
}

inputs leaves(const formula& f, arrangement how, unsigned seed) {
  support::numbers source(seed);
  inputs x;
  for (const tb::shape& given_shape : f.shapes) {
    x.push_back(f.positive ? source.positive(given_shape, tb::dtype::float64, how)
                           : source.tensor(given_shape, tb::dtype::float64, how));
  }
  return x;
}

}  // namespace

TEST_CASE("gradients: every rule agrees with central differences", "[autograd][gradients]") {
  const arrangement how = GENERATE(arrangement::dense, arrangement::transposed, arrangement::sliced);
  for (const formula& f : formulas()) {
    INFO(f.name << ", " << support::name_of(how));
    const inputs x = leaves(f, how, 11);
    for (const tensor& t : x) tb::require_grad(t);
    const tensor y = f.run(x);
    const tensor weights = support::numbers(5).tensor(y.sizes(), tb::dtype::float64);
    REQUIRE(tb::requires_grad(y));
    tb::backward(y, weights);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const tensor found = tb::leaf_grad(x[i]);
      REQUIRE(found.defined());
      CHECK(found.sizes() == x[i].sizes());
      CHECK(found.dtype() == tb::dtype::float64);
      CHECK(support::difference(support::values(found), central_differences(f, x, i, weights), 1e-7) == "");
    }
  }
}

TEST_CASE("gradients: only arguments that require a gradient get one", "[autograd][gradients]") {
  for (const formula& f : formulas()) {
    if (f.shapes.size() != 2) continue;
    INFO(f.name);
    for (std::size_t i : {0U, 1U}) {
      const inputs x = leaves(f, arrangement::dense, 11);
      tb::require_grad(x[i]);
      const tensor y = f.run(x);
      const tensor weights = support::numbers(5).tensor(y.sizes(), tb::dtype::float64);
      tb::backward(y, weights);
      CHECK_FALSE(tb::leaf_grad(x[1 - i]).defined());
      CHECK(support::difference(support::values(tb::leaf_grad(x[i])), central_differences(f, x, i, weights), 1e-7) ==
            "");
    }
  }
}

TEST_CASE("gradients: a gradient that is not dense is accepted", "[autograd][gradients]") {
  for (const formula& f : formulas()) {
    INFO(f.name);
    const inputs x = leaves(f, arrangement::dense, 11);
    for (const tensor& t : x) tb::require_grad(t);
    const tensor y = f.run(x);
    const tensor weights = support::numbers(5).tensor(y.sizes(), tb::dtype::float64, arrangement::transposed);
    tb::backward(y, weights);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(support::difference(support::values(tb::leaf_grad(x[i])), central_differences(f, x, i, weights), 1e-7) ==
            "");
    }
  }
}

TEST_CASE("gradients: elements that share memory share the gradient of as_strided", "[autograd][gradients]") {
  const tensor memory = support::tensor_of({1, 2, 3}, {3});
  const tensor x = tb::author::make_view(memory, {2, 2}, {1, 1}, 0);  // the middle one twice
  tb::require_grad(x);
  tb::backward(aten::as_strided(x, list(3), list(1)), support::tensor_of({1, 10, 100}, {3}));
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{1, 5, 5, 100});
}

TEST_CASE("gradients: as_strided can reach elements outside its argument, whose gradient is dropped",
          "[autograd][gradients]") {
  const tensor memory = support::tensor_of({1, 2, 3}, {3});
  const tensor x = tb::author::make_view(memory, {2}, {1}, 1);
  tb::require_grad(x);
  tb::backward(aten::as_strided(x, list(2), list(1), 0), support::tensor_of({1, 10}, {2}));
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{10, 0});
}

TEST_CASE("gradients: each has the dtype of its argument", "[autograd][gradients]") {
  const tensor narrow = tb::require_grad(support::tensor_of({1, 2, 3}, {3}, tb::dtype::float32));
  const tensor wide = tb::require_grad(support::tensor_of({4, 5, 6}, {3}, tb::dtype::float64));
  const tensor number = tb::require_grad(support::tensor_of({2}, {}, tb::dtype::float64));
  tb::backward(aten::sum(narrow * wide) + aten::sum(narrow * number));
  CHECK(tb::leaf_grad(narrow).dtype() == tb::dtype::float32);
  CHECK(tb::leaf_grad(wide).dtype() == tb::dtype::float64);
  CHECK(tb::leaf_grad(number).dtype() == tb::dtype::float64);
  CHECK(support::values(tb::leaf_grad(narrow)) == std::vector<double>{6, 7, 8});
  CHECK(support::values(tb::leaf_grad(wide)) == std::vector<double>{1, 2, 3});
  CHECK(support::values(tb::leaf_grad(number)) == std::vector<double>{6});
}

TEST_CASE("gradients: the gradient of a conversion has the old dtype", "[autograd][gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2, 3}, {3}, tb::dtype::float32));
  tb::backward(aten::sum(tb::to(x, tb::dtype::float64) * 0.5));
  CHECK(tb::leaf_grad(x).dtype() == tb::dtype::float32);
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{0.5, 0.5, 0.5});
}

TEST_CASE("gradients: sum and mean in another dtype have gradients in the argument's", "[autograd][gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2, 3, 4}, {2, 2}, tb::dtype::float32));
  tb::backward(aten::sum(x, arg<"dtype"> = tb::dtype::float64));
  tb::backward(aten::mean(x, arg<"dtype"> = tb::dtype::float64));
  CHECK(tb::leaf_grad(x).dtype() == tb::dtype::float32);
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{1.25, 1.25, 1.25, 1.25});
}

TEST_CASE("gradients: relu passes nothing at zero, and nothing below", "[autograd][gradients]") {
  const tensor x = tb::require_grad(support::tensor_of({-1, -0.0, 0, 2}, {4}));
  tb::backward(aten::sum(aten::relu(x)));
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{0, 0, 0, 1});
}

// Optimizers, clipping and loss scaling with sparse gradients.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;
import topbit.sparse;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using numbers = std::vector<double>;

namespace {

constexpr tb::dtype f64 = tb::dtype::float64;

tensor index_of(const numbers& all, const tb::shape& sizes) { return tensor_of(all, sizes, tb::dtype::int64); }
tensor table(tb::dtype type = f64) {
  return tb::require_grad(tensor_of({1, -2, 0.5, 3, -1, 4, 2, 0.25}, {4, 2}, type));
}
void add_gradient(const tensor& table, const numbers& rows, bool sparse) {
  const tensor found = tb::embedding(table, index_of(rows, {3}), -1, false, sparse);
  const tensor weights = tensor_of({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, {3, 2}, table.dtype());
  tb::backward(tb::sum(found * weights) + tb::sum(found * found) * 0.05);
}
// Three steps with some rows, of which one is never there.
template <class Optimizer>
void three_steps(Optimizer& optimizer, const tensor& table, bool sparse) {
  for (const numbers& rows : {numbers{1, 3, 1}, {0, 3, 3}, {1, 1, 1}}) {
    optimizer.zero_grad();
    add_gradient(table, rows, sparse);
    optimizer.step();
  }
}

}  // namespace

TEST_CASE("sparse gradients: sgd, adagrad and sparse_adam agree with PyTorch", "[sparse][optimizer]") {
  // torch 2.15, float64
  tensor x = table();
  tb::sgd sgd({x}, {.learning_rate = 0.5});
  three_steps(sgd, x, true);
  CHECK(support::difference(values(x), {0.9, -2, -0.3225, 1.355, -1, 4, 1.175, -0.46625}, 1e-14) == "");

  x = table();
  tb::adagrad adagrad({x}, {.learning_rate = 0.1});
  three_steps(adagrad, x, true);
  CHECK(support::difference(
            values(x),
            {0.90000000005, -2, 0.3175486647564594, 2.8171661969215327, -1, 4, 1.80792482795968, 0.05756009510845349},
            1e-14) == "");

  // which adds epsilon elsewhere
  x = table();
  tb::sparse_adam adam({x}, {.learning_rate = 0.1, .epsilon = 1e-300});
  three_steps(adam, x, true);
  CHECK(support::difference(values(x),
                            {0.9255863176433018, -2, 0.31478321300054657, 2.814861928990455, -1, 4, 1.805347086126092,
                             0.05566016500986447},
                            1e-14) == "");
}

TEST_CASE("sparse gradients: sgd and adagrad compute the bits of strided gradients", "[sparse][optimizer]") {
  for (const tb::dtype type : {tb::dtype::float32, f64, tb::dtype::bfloat16}) {
    INFO(name_of(type));
    for (const bool maximize : {false, true}) {
      const tensor a = table(type), b = table(type);
      tb::sgd by_rows({a}, {.learning_rate = 0.3, .maximize = maximize});
      tb::sgd whole({b}, {.learning_rate = 0.3, .maximize = maximize});
      tb::adagrad by_rows_too({tb::require_grad(table(type))}), whole_too({tb::require_grad(table(type))});
      const auto steps = [&](auto& optimizer, const tensor& x, bool sparse) {
        for (const numbers& rows : {numbers{1, 3, 0}, {0, 3, 2}, {1, 2, 3}}) {
          optimizer.zero_grad();
          add_gradient(x, rows, sparse);
          optimizer.step();
        }
      };
      steps(by_rows, a, true);
      steps(whole, b, false);
      CHECK(values(a) == values(b));
      steps(by_rows_too, by_rows_too.parameters()[0], true);
      steps(whole_too, whole_too.parameters()[0], false);
      CHECK(values(by_rows_too.parameters()[0]) == values(whole_too.parameters()[0]));
    }
  }
}

TEST_CASE("sparse gradients: sparse_adam is adam where every row has a gradient", "[sparse][optimizer]") {
  const tensor a = table(), b = table(), c = table();
  tb::sparse_adam by_rows({a}), strided({b});
  tb::adam whole({c});
  for (int step = 0; step < 3; ++step) {
    for (const tensor* x : {&a, &b, &c}) {
      tb::zero_grad(*x);
      const tensor rows = tb::embedding(*x, index_of({2, 0, 3, 1}, {4}), -1, false, x == &a);
      tb::backward(tb::sum(rows * rows));
    }
    by_rows.step();
    strided.step();
    whole.step();
  }
  CHECK(values(a) == values(c));
  CHECK(values(b) == values(c));
}

TEST_CASE("sparse gradients: state has the rows that had gradients, and is saved as ever", "[sparse][optimizer]") {
  const tensor x = table(), y = table();
  tb::sparse_adam one({x}), two({y});
  add_gradient(x, {1, 3, 1}, true);
  one.step();
  const std::vector<tb::named_tensor> state = one.state();
  REQUIRE(state.size() == 5);
  CHECK(state[2].name == "0.exp_avg");
  const numbers averages = values(state[2].value);
  for (const std::size_t untouched : {0, 1, 4, 5}) CHECK(averages[untouched] == 0);
  CHECK(averages[2] != 0);

  two.load_state(state);
  tensor elements = tb::detach(y);
  tb::aten::copy_(elements, tb::detach(x));
  for (const tensor* t : {&x, &y}) {
    tb::zero_grad(*t);
    add_gradient(*t, {3, 0, 0}, true);
  }
  one.step();
  two.step();
  CHECK(values(x) == values(y));
}

TEST_CASE("sparse gradients: those of gather update elements, of a parameter with any strides", "[sparse][optimizer]") {
  const tensor base = tensor_of({1, 2, 3, 4, 5, 6}, {3, 2}, f64);
  const tensor x = tb::require_grad(tb::detach(tb::aten::t(base)));
  REQUIRE_FALSE(x.is_contiguous());
  tb::sgd optimizer({x}, {.learning_rate = 1});
  const tensor at = index_of({2, 0, 0, 0}, {2, 2});
  tb::backward(tb::sum(tb::gather(x, 1, at, tb::arg<"sparse_grad"> = true)));
  optimizer.step();
  CHECK(values(x) == numbers{0, 3, 4, 0, 4, 6});
}

TEST_CASE("sparse gradients: one without entries is a step", "[sparse][optimizer]") {
  const tensor x = table();
  tb::sparse_adam optimizer({x});
  tb::backward(tb::sum(tb::embedding(x, index_of({0, 0}, {2}), 0, false, true)));
  CHECK(tb::nnz(tb::leaf_grad(x)) == 0);
  optimizer.step();
  CHECK(optimizer.steps() == 1);
  CHECK(values(x) == values(table()));
  CHECK(tb::clip_gradient_norm(std::vector{x}, 1.0, {.p = std::numeric_limits<double>::infinity()}) == 0);
}

TEST_CASE("sparse gradients: other optimizers refuse them before they change anything", "[sparse][optimizer]") {
  constexpr const char* const ways =
      "; use an optimizer that updates rows, as sgd without momentum, adagrad or sparse_adam, or gradients that are "
      "not sparse, as those of embedding with sparse=False";
  const tensor dense = table(), x = table();
  const auto refused = [&](auto& optimizer) {
    tb::zero_grad(dense);
    tb::zero_grad(x);
    add_gradient(dense, {0, 1, 2}, false);
    add_gradient(x, {0, 1, 2}, true);
    const std::string text = text_of<tb::layout_error>([&] { optimizer.step(); });
    CHECK(values(dense) == values(table()));
    CHECK(optimizer.steps() == 0);
    return text;
  };
  tb::adam adam({dense, x});
  CHECK(refused(adam) == std::string("adam: found a gradient of layout sparse_coo, of parameter 1 of group 0, wanted a "
                                     "strided one") +
                             ways);
  tb::adamw adamw({dense});
  adamw.add_group({x});
  CHECK(refused(adamw) == std::string("adamw: found a gradient of layout sparse_coo, of parameter 0 of group 1, wanted "
                                      "a strided one") +
                              ways);
  tb::sgd momentum({dense, x}, {.momentum = 0.9});
  CHECK(refused(momentum) ==
        std::string("sgd: found a gradient of layout sparse_coo, of parameter 1 of group 0, wanted "
                    "a strided one with momentum=0.9") +
            ways);
  tb::sgd decay({dense, x}, {.weight_decay = 0.5});
  CHECK(refused(decay) == std::string("sgd: found a gradient of layout sparse_coo, of parameter 1 of group 0, wanted a "
                                      "strided one with weight_decay=0.5") +
                              ways);
  tb::adagrad adagrad({dense, x}, {.weight_decay = 0.5});
  CHECK(refused(adagrad) == std::string("adagrad: found a gradient of layout sparse_coo, of parameter 1 of group 0, "
                                        "wanted a strided one with weight_decay=0.5") +
                                ways);
}

TEST_CASE("sparse gradients: a parameter must be strided", "[sparse][optimizer]") {
  const tensor s =
      tb::require_grad(tb::sparse_coo_tensor(index_of({1}, {1, 1}), tensor_of({5}, {1}, f64), tb::shape{3}));
  CHECK(text_of<tb::layout_error>([&] { const tb::sgd optimizer({s}); }) ==
        "sgd: found that parameter 0 is of layout sparse_coo, wanted strided; make its values the parameter, and the "
        "tensor of them in each step");
}

TEST_CASE("sparse gradients: clipping adds duplicate entries up first", "[sparse][clipping]") {
  for (const double p : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
    const tensor x = table(), y = table();
    add_gradient(x, {1, 3, 1}, true);
    add_gradient(y, {1, 3, 1}, false);
    const tensor held = tb::leaf_grad(x);
    const numbers before = values(tb::_values(held));
    CHECK(support::difference({tb::clip_gradient_norm(std::vector{x}, 0.25, {.p = p})},
                              {tb::clip_gradient_norm(std::vector{y}, 0.25, {.p = p})}, 1e-15) == "");
    CHECK(tb::is_coalesced(tb::leaf_grad(x)));
    CHECK(support::difference(values(tb::to_dense(tb::leaf_grad(x))), values(tb::leaf_grad(y)), 1e-15) == "");
    CHECK(values(tb::_values(held)) == before);
  }
  const tensor x = table(), y = table();
  add_gradient(x, {1, 3, 1}, true);
  add_gradient(y, {1, 3, 1}, false);
  tb::clip_gradient_value(std::vector{x}, 0.3);
  tb::clip_gradient_value(std::vector{y}, 0.3);
  CHECK(values(tb::to_dense(tb::leaf_grad(x))) == values(tb::leaf_grad(y)));
}

TEST_CASE("sparse gradients: a loss scaler divides them, and skips steps with infinite ones", "[sparse][loss_scaler]") {
  const tensor x = table(), y = table();
  tb::sgd with({x}, {.learning_rate = 0.5}), without({y}, {.learning_rate = 0.5});
  tb::loss_scaler scaler({.scale = 1024});
  const auto loss = [](const tensor& t) {
    const tensor rows = tb::embedding(t, index_of({1, 3, 1}, {3}), -1, false, true);
    return tb::sum(rows * rows);
  };
  tb::backward(scaler.scale(loss(x)));
  scaler.step(with);
  scaler.update();
  tb::backward(loss(y));
  without.step();
  CHECK(values(x) == values(y));

  tb::adagrad adagrad({x}), unscaled({y});
  for (const tensor* t : {&x, &y}) tb::zero_grad(*t);
  tb::backward(scaler.scale(loss(x)));
  CHECK(scaler.step(adagrad) == tb::step_result::stepped);
  scaler.update();
  tb::backward(loss(y));
  unscaled.step();
  CHECK(support::difference(values(x), values(y), 1e-15) == "");

  tb::zero_grad(x);
  tb::backward(scaler.scale(loss(x) * std::numeric_limits<double>::infinity()));
  CHECK(scaler.step(adagrad) == tb::step_result::skipped);
  CHECK(support::difference(values(x), values(y), 1e-15) == "");
}

TEST_CASE("sparse gradients: nn::embedding trains its rows", "[sparse][optimizer]") {
  const tb::nn::embedding words(6, 3, tb::generator(1), {.sparse = true});
  const numbers before = values(words.weight);
  tb::sparse_adam optimizer(tb::parameters(words));
  const tensor found = words(index_of({4, 1}, {2}));
  tb::backward(tb::sum(found * found));
  CHECK(tb::leaf_grad(words.weight).layout() == tb::layout::sparse_coo);
  optimizer.step();
  const numbers after = values(words.weight);
  for (std::size_t i = 0; i < after.size(); ++i) CHECK((after[i] != before[i]) == (i / 3 == 4 || i / 3 == 1));
}

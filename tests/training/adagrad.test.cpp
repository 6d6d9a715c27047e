// Steps of Adagrad: the numbers of torch.optim.Adagrad, and what options are refused.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
#include "training/fixed_gradients.h"
import topbit;

namespace tb = topbit;
using support::tensor_of;
using tb::tensor;
using toy::text_of;

TEST_CASE("adagrad: agrees with PyTorch", "[training][adagrad]") {
  struct known {
    tb::adagrad_options options;
    std::vector<double> wanted;
  };
  // torch 2.15, float64, four steps
  const known all[] = {
      {{.learning_rate = 0.1}, {1.043292122716841, -1.9586580918366019, 0.541531958432115, 2.887378664768493}},
      {{.learning_rate = 0.1, .learning_rate_decay = 0.5},
       {1.070245781270471, -2.021794023866946, 0.5608207970044212, 2.894009095517369}},
      {{.learning_rate = 0.1, .weight_decay = 0.25},
       {0.9910325935949199, -1.8101388183692955, 0.5131178703344349, 2.8051776003514703}},
      {{.learning_rate = 0.1, .maximize = true},
       {0.9567078772831589, -2.041341908163398, 0.4584680415678849, 3.112621335231507}},
      {{.learning_rate = 0.1, .epsilon = 0.5},
       {1.0272474785481174, -1.9464557230609345, 0.5131489821458989, 2.9182651892633973}},
  };
  for (const known& k : all) {
    INFO("options " << &k - all);
    CHECK(training::after_four_steps<tb::adagrad>(k.options, tb::dtype::float64, k.wanted) == "");
    CHECK(training::after_four_steps<tb::adagrad>(k.options, tb::dtype::float32, k.wanted) == "");
  }
}

TEST_CASE("adagrad: a step continues from a saved state", "[training][adagrad]") {
  const tensor x = training::start(tb::dtype::float64), y = training::start(tb::dtype::float64);
  tb::adagrad whole({x}), first({y}), second({y});
  const auto step = [](tb::adagrad& o, const tensor& of, int number) {
    tb::set_leaf_grad(of, training::fixed_gradient(number, tb::dtype::float64));
    o.step();
  };
  step(whole, x, 0);
  step(whole, x, 1);
  step(first, y, 0);
  second.load_state(first.state());
  step(second, y, 1);
  CHECK(support::values(y) == support::values(x));
}

TEST_CASE("adagrad: options out of their range are refused", "[training][adagrad]") {
  const tensor x = tb::require_grad(tensor_of({1}, {1}));
  const auto refused = [&](const tb::adagrad_options& o) {
    return text_of<tb::error>([&] { const tb::adagrad optimizer({x}, o); });
  };
  CHECK(refused({.learning_rate = -1}) == "adagrad: found learning_rate=-1, wanted a number from 0 up");
  CHECK(refused({.learning_rate_decay = -0.5}) == "adagrad: found learning_rate_decay=-0.5, wanted a number from 0 up");
  CHECK(refused({.weight_decay = 1.0 / 0.0}) == "adagrad: found weight_decay=inf, wanted a number from 0 up");
  CHECK(refused({.epsilon = -2}) == "adagrad: found epsilon=-2, wanted a number from 0 up");
}

TEST_CASE("adagrad: sparse gradients need a module in the program, which the call names", "[training][sparse]") {
  const tensor table = tb::require_grad(tensor_of({1, 2, 3, 4}, {2, 2})), at = tensor_of({1}, {1}, tb::dtype::int64);
  CHECK(text_of<tb::error>([&] { tb::embedding(table, at, -1, false, true); }) ==
        "aten::embedding: found sparse=True in a program without sparse tensors, wanted False; import topbit.sparse "
        "and link topbit::sparse for sparse gradients");
  CHECK(text_of<tb::error>([&] {
          tb::gather(table, 0, tensor_of({1, 0}, {1, 2}, tb::dtype::int64), tb::arg<"sparse_grad"> = true);
        }) ==
        "aten::gather: found sparse_grad=True in a program without sparse tensors, wanted False; import topbit.sparse "
        "and link topbit::sparse for sparse gradients");
  const tb::no_grad guard;
  CHECK(support::values(tb::embedding(table, at, -1, false, true)) == std::vector<double>{3, 4});
}

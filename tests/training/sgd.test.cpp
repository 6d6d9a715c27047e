// Steps of gradient descent: the numbers of torch.optim.SGD, and what options are refused.
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

TEST_CASE("sgd: agrees with PyTorch", "[training][sgd]") {
  struct known {
    tb::sgd_options options;
    std::vector<double> wanted;
  };
  // torch 2.15, float64, four steps
  const known all[] = {
      {{.learning_rate = 0.1}, {1.0249999999999999, -1.8499999999999996, 0.5, 2.8499999999999996}},
      {{.learning_rate = 0.1, .weight_decay = 0.25},
       {0.92267031249999998, -1.6580312500000001, 0.45001503906250001, 2.5714718749999999}},
      {{.learning_rate = 0.1, .momentum = 0.9},
       {1.2173750000000001, -1.8234499999999998, 0.56120000000000003, 2.4978750000000001}},
      {{.learning_rate = 0.1, .momentum = 0.9, .dampening = 0.5, .weight_decay = 0.25},
       {1.1578556640625, -1.68920703125, 0.53600617675781248, 2.0903746093749995}},
      {{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.25, .nesterov = true},
       {0.88768479671875, -1.12413071875, 0.40133360541015628, 1.6141654690625}},
      {{.learning_rate = 0.1, .momentum = 0.5, .maximize = true},
       {0.92812499999999998, -2.1687500000000002, 0.47500000000000003, 3.2906249999999999}},
  };
  for (const known& k : all) {
    INFO("options " << &k - all);
    CHECK(training::after_four_steps<tb::sgd>(k.options, tb::dtype::float64, k.wanted) == "");
    CHECK(training::after_four_steps<tb::sgd>(k.options, tb::dtype::float32, k.wanted) == "");
  }
}

TEST_CASE("sgd: options out of their range are refused, and add nothing", "[training][sgd]") {
  const tensor x = tb::require_grad(tensor_of({1}, {1})), y = tb::require_grad(tensor_of({1}, {1}));
  tb::sgd optimizer({x});
  const auto refused = [&](const tb::sgd_options& o) {
    return text_of<tb::error>([&] { optimizer.add_group({y}, o); });
  };
  CHECK(refused({.learning_rate = -1}) == "sgd: found learning_rate=-1, wanted a number from 0 up");
  CHECK(refused({.momentum = -0.5}) == "sgd: found momentum=-0.5, wanted a number from 0 up");
  CHECK(refused({.momentum = 1.0 / 0.0}) == "sgd: found momentum=inf, wanted a number from 0 up");
  CHECK(refused({.dampening = 1.0 / 0.0}) == "sgd: found dampening=inf, wanted a finite number");
  CHECK(refused({.weight_decay = -2}) == "sgd: found weight_decay=-2, wanted a number from 0 up");
  CHECK(refused({.nesterov = true}) == "sgd: found momentum=0, wanted more than 0 with nesterov");
  CHECK(refused({.momentum = 0.5, .dampening = 0.5, .nesterov = true}) ==
        "sgd: found dampening=0.5, wanted 0 with nesterov");
  CHECK(optimizer.group_count() == 1);
  optimizer.add_group({y}, {.momentum = 0.5, .nesterov = true});
  CHECK(optimizer.group_count() == 2);
}

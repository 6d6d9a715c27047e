// Steps of Adam and AdamW: the numbers of torch.optim, and what options are refused.
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

namespace {

template <class Optimizer, class Options>
void check_steps(const Options& options, const std::vector<double>& wanted) {
  CHECK(training::after_four_steps<Optimizer>(options, tb::dtype::float64, wanted) == "");
  CHECK(training::after_four_steps<Optimizer>(options, tb::dtype::float32, wanted) == "");
}

}  // namespace

// torch 2.15, float64, four steps
TEST_CASE("adam: agrees with PyTorch", "[training][adam]") {
  const auto steps = [](const tb::adam_options& o, const std::vector<double>& w) { check_steps<tb::adam>(o, w); };
  steps({.learning_rate = 0.1}, {1.1596001366905369, -1.9992973604311923, 0.59828718885183862, 2.7403375466478868});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 1e-3, .weight_decay = 0.25},
        {1.0075271948981668, -1.7532846467454606, 0.51525058368955712, 2.6740553739970951});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.25, .amsgrad = true},
        {1.0791997639512803, -1.9749219084945884, 0.57334427784226438, 2.8108374508915976});
  steps({.learning_rate = 0.1, .maximize = true},
        {0.84039986330946304, -2.0007026395688077, 0.40171281114816138, 3.2596624533521132});
}

TEST_CASE("adamw: agrees with PyTorch", "[training][adam]") {
  const auto steps = [](const tb::adamw_options& o, const std::vector<double>& w) { check_steps<tb::adamw>(o, w); };
  steps({.learning_rate = 0.1}, {1.155181074721809, -1.9910965054994141, 0.59601384270501134, 2.7288279099888828});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 1e-3, .weight_decay = 0.25, .amsgrad = true},
        {0.97505516953197668, -1.7559218203966169, 0.51514280876074392, 2.5149558293916803});
}

namespace {

// Two groups, in which parameters have gradients in some steps only.
struct pair_of_groups {
  std::vector<tensor> parameters;
  tb::adam optimizer;

  explicit pair_of_groups(bool capturable)
      : parameters{training::start(tb::dtype::float32), training::start(tb::dtype::float32),
                   training::start(tb::dtype::float64), training::start(tb::dtype::float32)},
        optimizer({parameters[0], parameters[1], parameters[2]}, options(capturable)) {
    optimizer.add_group({parameters[3]}, options(capturable));
  }
  static tb::adam_options options(bool capturable) {
    return {.learning_rate = 0.1, .weight_decay = 0.01, .capturable = capturable};
  }
  void step(int s) {
    optimizer.zero_grad();
    for (std::size_t i = 0; i < 4; ++i) {
      const tensor& p = parameters[i];
      if ((s + 1) * 5 % static_cast<int>(i + 2) != 0) tb::set_leaf_grad(p, training::fixed_gradient(s, p.dtype()));
    }
    optimizer.step();
  }
  std::string text() const {
    std::string all = std::to_string(optimizer.steps());
    for (const tensor& p : parameters) all += " " + to_string(p, {.one_line = true});
    for (const tb::named_tensor& one : optimizer.state())
      all += "\n" + one.name + " " + to_string(one.value, {.one_line = true});
    return all;
  }
};

}  // namespace

TEST_CASE("adam: steps counted on the device agree, whichever parameters have gradients", "[training][adam]") {
  pair_of_groups host(false), device(true);
  CHECK(host.text() == device.text());
  for (int s = 0; s < 7; ++s) {
    host.step(s);
    device.step(s);
    CHECK(host.text() == device.text());
  }
  CHECK(host.text().find("\n1.step 5") != std::string::npos);
}

TEST_CASE("adam: state can be moved between host and device step counters", "[training][adam]") {
  pair_of_groups whole(false);
  for (int s = 0; s < 9; ++s) whole.step(s);
  for (const bool first_counts_there : {false, true}) {
    pair_of_groups first(first_counts_there), second(!first_counts_there);
    for (int s = 0; s < 4; ++s) first.step(s);
    second.optimizer.load_state(first.optimizer.state());
    {
      const tb::no_grad guard;
      for (std::size_t i = 0; i < 4; ++i) tb::aten::copy_(second.parameters[i], first.parameters[i]);
    }
    CHECK(second.text() == first.text());
    for (int s = 4; s < 9; ++s) second.step(s);
    CHECK(second.text() == whole.text());
  }
}

TEST_CASE("adam: a group added later starts its own step count", "[training][adam]") {
  const tensor x = training::start(tb::dtype::float32), y = training::start(tb::dtype::float32);
  tb::adamw optimizer({x}, {.capturable = true});
  for (int s = 0; s < 3; ++s) optimizer.step();
  optimizer.add_group({y}, {.capturable = true});
  CHECK(optimizer.steps() == 3);
  tb::set_leaf_grad(y, training::fixed_gradient(0, tb::dtype::float32));
  optimizer.step();
  CHECK(optimizer.steps() == 4);
  CHECK(support::values(optimizer.state()[1].value) == std::vector<double>{1});
}

TEST_CASE("adam: options out of their range are refused", "[training][adam]") {
  const tensor x = tb::require_grad(tensor_of({1}, {1}));
  const auto refused = [&](const tb::adam_options& o) { return text_of<tb::error>([&] { tb::adam({x}, o); }); };
  CHECK(refused({.learning_rate = -1}) == "adam: found learning_rate=-1, wanted a number from 0 up");
  CHECK(refused({.beta1 = 1}) == "adam: found beta1=1, wanted a number from 0 to below 1");
  CHECK(refused({.beta2 = -0.5}) == "adam: found beta2=-0.5, wanted a number from 0 to below 1");
  CHECK(refused({.epsilon = -1}) == "adam: found epsilon=-1, wanted a number from 0 up");
  CHECK(refused({.weight_decay = -1}) == "adam: found weight_decay=-1, wanted a number from 0 up");
  CHECK(text_of<tb::error>([&] { tb::adamw({x}, {.beta1 = 2}); }) ==
        "adamw: found beta1=2, wanted a number from 0 to below 1");
}

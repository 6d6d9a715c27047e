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
TEST_CASE("adam: the numbers of PyTorch", "[training][adam]") {
  const auto steps = [](const tb::adam_options& o, const std::vector<double>& w) { check_steps<tb::adam>(o, w); };
  steps({.learning_rate = 0.1}, {1.1596001366905369, -1.9992973604311923, 0.59828718885183862, 2.7403375466478868});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 1e-3, .weight_decay = 0.25},
        {1.0075271948981668, -1.7532846467454606, 0.51525058368955712, 2.6740553739970951});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.25, .amsgrad = true},
        {1.0791997639512803, -1.9749219084945884, 0.57334427784226438, 2.8108374508915976});
  steps({.learning_rate = 0.1, .maximize = true},
        {0.84039986330946304, -2.0007026395688077, 0.40171281114816138, 3.2596624533521132});
}

TEST_CASE("adamw: the numbers of PyTorch", "[training][adam]") {
  const auto steps = [](const tb::adamw_options& o, const std::vector<double>& w) { check_steps<tb::adamw>(o, w); };
  steps({.learning_rate = 0.1}, {1.155181074721809, -1.9910965054994141, 0.59601384270501134, 2.7288279099888828});
  steps({.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 1e-3, .weight_decay = 0.25, .amsgrad = true},
        {0.97505516953197668, -1.7559218203966169, 0.51514280876074392, 2.5149558293916803});
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

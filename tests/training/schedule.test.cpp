// Factors by the number of the step: the numbers of torch.optim.lr_scheduler.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace schedule = topbit::schedule;
using doubles = std::vector<double>;

namespace {

doubles factors(const auto& s, int steps) {
  doubles out;
  for (int i = 0; i < steps; ++i) out.push_back(s(i));
  return out;
}
void check_factors(const auto& s, const doubles& wanted) {
  CHECK(support::difference(factors(s, static_cast<int>(wanted.size())), wanted, 1e-15) == "");
}

struct without_steps {
  double operator()() const { return 1; }
};
struct of_text {
  std::string operator()(std::int64_t) const { return ""; }
};
static_assert(tb::learning_rate_schedule<schedule::cosine> && tb::learning_rate_schedule<double (*)(std::int64_t)>);
static_assert(!tb::learning_rate_schedule<without_steps> && !tb::learning_rate_schedule<of_text>);

}  // namespace

TEST_CASE("schedule: agrees with PyTorch", "[training][schedule]") {
  check_factors(schedule::constant{.factor = 0.5}, {0.5, 0.5});
  check_factors(schedule::step{.every = 2, .factor = 0.5}, {1, 1, 0.5, 0.5, 0.25, 0.25, 0.125});
  check_factors(schedule::exponential{.factor = 0.9}, {1, 0.9, 0.81, 0.729, 0.6561, 0.59049, 0.531441});
  check_factors(schedule::linear{.steps = 4, .last = 0.2}, {1, 0.8, 0.6, 0.4, 0.2, 0.2, 0.2});
  check_factors(schedule::cosine{.steps = 4, .last = 0.1},
                {1, 0.86819805153394636, 0.55, 0.23180194846605368, 0.1, 0.1});
}

TEST_CASE("schedule: a warm-up rises to the first factor of what follows", "[training][schedule]") {
  check_factors(schedule::warm_up{.steps = 4, .then = schedule::step{.every = 1, .factor = 0.5}},
                {0.25, 0.5, 0.75, 1, 1, 0.5, 0.25});
  check_factors(schedule::warm_up{.steps = 2, .then = [](std::int64_t s) { return 4.0 + static_cast<double>(s); }},
                {2, 4, 4, 5});
}

TEST_CASE("schedule: with zero steps it returns its final value", "[training][schedule]") {
  check_factors(schedule::linear{.steps = 0, .last = 0.5}, {0.5, 0.5});
  check_factors(schedule::cosine{.steps = 0, .last = 0.5}, {0.5, 0.5});
  check_factors(schedule::step{.every = 0, .factor = 0.5}, {1, 0.5});
  check_factors(schedule::warm_up{.steps = 0, .then = schedule::constant{}}, {1, 1});
}

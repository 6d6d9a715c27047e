// Learning rates that change: a schedule is anything that can be called with the number of the step, from 0, and
// returns the factor by which the rate is multiplied then. These are the usual ones; a lambda will do too.
//
//   optimizer.set_schedule(schedule::warm_up{.steps = 100, .then = schedule::cosine{.steps = 900}});
export module topbit.training:schedule;

import topbit.std;

namespace topbit {

/// Called with the number of a step, from 0, returns the learning rate's factor.
export template <class S>
concept learning_rate_schedule = requires(const S& schedule, std::int64_t step) {
  { schedule(step) } -> std::convertible_to<double>;
};

export namespace schedule {

struct constant {
  double factor = 1;
  constexpr double operator()(std::int64_t) const noexcept { return factor; }
};

/// Multiplied with `factor` after each `every` steps.
struct step {
  std::int64_t every = 1;
  double factor = 0.1;
  double operator()(std::int64_t step) const noexcept;
};

/// Multiplied with `factor` after each step.
struct exponential {
  double factor = 0.99;
  double operator()(std::int64_t step) const noexcept;
};

/// Along a straight line from `first` to `last`, where it stays.
struct linear {
  std::int64_t steps = 1;
  double first = 1, last = 0;
  double operator()(std::int64_t step) const noexcept;
};

/// Along half a period of the cosine from 1 to `last`, where it stays (Loshchilov, Hutter: "SGDR", 2017).
struct cosine {
  std::int64_t steps = 1;
  double last = 0;
  double operator()(std::int64_t step) const noexcept;
};

/// Rises along a straight line from a `steps`-th of the first factor of another schedule, which begins after that.
template <learning_rate_schedule Next>
struct warm_up {
  std::int64_t steps = 1;
  Next then;
  double operator()(std::int64_t step) const {
    if (step >= steps) return then(step - steps);
    return static_cast<double>(step + 1) / static_cast<double>(steps) * then(0);
  }
};

}  // namespace schedule

}  // namespace topbit

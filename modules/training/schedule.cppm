// Learning rate schedules: a schedule is a callable that maps the step number, from 0, to a factor of the learning
// rate. These are the usual ones; a lambda works too.
//
//   optimizer.set_schedule(schedule::warm_up{.steps = 100, .then = schedule::cosine{.steps = 900}});
export module topbit.training:schedule;

import topbit.std;

namespace topbit {

/// Called with the number of a step, from 0, returns the learning rate's factor.
export template <class S>
concept learning_rate_schedule = std::copy_constructible<S> && requires(const S& schedule, std::int64_t step) {
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

/// Linear from `first` to `last`, then constant.
struct linear {
  std::int64_t steps = 1;
  double first = 1, last = 0;
  double operator()(std::int64_t step) const noexcept;
};

/// Half a period of the cosine from 1 to `last`, then constant (Loshchilov, Hutter: "SGDR", 2017).
struct cosine {
  std::int64_t steps = 1;
  double last = 0;
  double operator()(std::int64_t step) const noexcept;
};

/// Rises linearly from a `steps`-th of the first factor of another schedule, which starts afterwards.
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

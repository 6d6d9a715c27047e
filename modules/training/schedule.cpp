module;

#include <cmath>
#include <numbers>

module topbit.training;

import topbit.std;

namespace topbit::schedule {

namespace {

// The elapsed fraction of `steps`, at most 1; 1 if there are no steps.
double part(std::int64_t step, std::int64_t steps) noexcept {
  return step >= steps ? 1 : static_cast<double>(step) / static_cast<double>(steps);
}

}  // namespace

double step::operator()(std::int64_t step) const noexcept {
  return std::pow(factor, static_cast<double>(step / std::max<std::int64_t>(every, 1)));
}

double exponential::operator()(std::int64_t step) const noexcept { return std::pow(factor, static_cast<double>(step)); }

double linear::operator()(std::int64_t step) const noexcept { return first + (last - first) * part(step, steps); }

double cosine::operator()(std::int64_t step) const noexcept {
  return last + (1 - last) * (1 + std::cos(std::numbers::pi * part(step, steps))) / 2;
}

}  // namespace topbit::schedule

#include "data.h"

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

// SplitMix64's output function of a counter: element i needs no element before it.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

float number(std::uint64_t random, content filled) {
  const float unit = static_cast<float>(random >> 40) * 0x1p-24F;
  switch (filled) {
    case content::positive: return 0.1F + 3.9F * unit;
    case content::near_one: return 0.9995F + 0.001F * unit;
    case content::weights: return 0.5F * unit - 0.25F;
    default: return 8 * unit - 4;
  }
}

void fill(const array& a, std::uint64_t seed) {
  const std::int64_t count = a.count();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t random = mixed(seed + static_cast<std::uint64_t>(i));
    switch (a.type) {
      case element::float32: a.as<float>()[i] = number(random, a.filled); break;
      case element::float64: a.as<double>()[i] = number(random, a.filled); break;
      case element::bfloat16: a.as<std::uint16_t>()[i] = bfloat16_of(number(random, a.filled)); break;
      case element::int64:
        a.as<std::int64_t>()[i] =
            static_cast<std::int64_t>(random % static_cast<std::uint64_t>(std::max<std::int64_t>(a.below, 1)));
        break;
    }
  }
}

}  // namespace

ready_problem::ready_problem(const problem& of) : problem_(of) {
  std::uint64_t seed = 0;
  for (array& a : problem_.inputs) {
    memory_.push_back(take_memory(a.type, a.count()));
    a.data = memory_.back().get();
    fill(a, seed += std::uint64_t{1} << 40);
  }
  memory_.push_back(take_memory(problem_.result.type, problem_.result.count()));
  problem_.result.data = memory_.back().get();
  // Its pages are mapped before anything is timed.
  std::memset(problem_.result.data, 0,
              static_cast<std::size_t>(problem_.result.count()) * bytes_of(problem_.result.type));
}

}  // namespace bench

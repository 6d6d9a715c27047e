#include "accuracy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "data.h"
#include "expected.h"

namespace bench {

namespace {

struct pair {
  float x, y;
};

// The significands of an exponent are spread evenly, from a beginning that differs among exponents.
std::vector<pair> grid(const std::string& function) {
  constexpr std::uint32_t significands = 2048, step = (1U << 23) / significands;
  std::vector<pair> all;
  const bool power = function == "pow";
  for (std::uint32_t sign = 0; sign < (power ? 1 : 2); ++sign) {
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
      for (std::uint32_t i = 0; i < significands; ++i) {
        const std::uint32_t low = (i * step + (exponent * 2654435761U >> 9) % step);
        const auto x = std::bit_cast<float>(sign << 31 | exponent << 23 | low);
        // Half of the exponents of a power are small, half reach as far as the result may.
        const float part = static_cast<float>(i * 40503U % 65536) / 32768 - 1;
        const float reach = i % 2 == 0 ? 8 : 150 / std::max(std::abs(std::log2(x)), 1e-3F);
        all.push_back({x, power ? part * reach : 0});
      }
    }
  }
  return all;
}

std::vector<pair> special_values(const std::string& function) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {0, -0.0F, infinity, -infinity, nan, 1, -1};
  std::vector<pair> all;
  for (const float x : values) {
    if (function != "pow") {
      all.push_back({x, 0});
      continue;
    }
    for (const float y : values) all.push_back({x, y});
  }
  return all;
}

std::vector<float> evaluate(const peer& who, const std::string& function, const std::vector<pair>& at) {
  problem p;
  p.family = "functions";
  p.operation = function;
  p.inputs.assign(function == "pow" ? 2 : 1, {.sizes = {static_cast<std::int64_t>(at.size())}});
  p.result = p.inputs[0];
  const ready_problem ready(p);
  for (std::size_t i = 0; i < at.size(); ++i) {
    ready.get().inputs[0].as<float>()[i] = at[i].x;
    if (function == "pow") ready.get().inputs[1].as<float>()[i] = at[i].y;
  }
  const std::optional<work> w = who.prepare(ready.get());
  if (!w) throw std::runtime_error(who.name + " does not know " + function);
  const array result = w->result();
  return {result.as<float>(), result.as<float>() + at.size()};
}

bool same_special(float found, double wanted) {
  if (std::isnan(wanted)) return std::isnan(found);
  if (wanted == 0 || std::isinf(wanted))
    return found == static_cast<float>(wanted) && std::signbit(found) == std::signbit(wanted);
  return ulps(found, wanted) <= 4;
}

}  // namespace

error error_of(const peer& who, const std::string& function) {
  constexpr double least = std::numeric_limits<float>::min();
  error found;
  const std::vector<pair> at = grid(function);
  const std::vector<float> values = evaluate(who, function, at);
  double count = 0, worse = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double wanted = exact(function, at[i].x, at[i].y);
    const double distance = ulps(values[i], wanted);
    found.ulp_beyond = std::max(found.ulp_beyond, distance);
    const bool normal = std::abs(at[i].x) >= least && std::abs(wanted) >= least;
    if (!normal && !std::isnan(wanted)) continue;
    found.ulp = std::max(found.ulp, distance);
    count += 1;
    worse += distance > 2 ? 1 : 0;
  }
  found.worse = worse / std::max(count, 1.0);
  const std::vector<pair> special = special_values(function);
  const std::vector<float> results = evaluate(who, function, special);
  for (std::size_t i = 0; i < special.size(); ++i) {
    const double wanted = exact(function, special[i].x, special[i].y);
    // -inf times 0: the libraries do not agree, and nothing says who is right.
    if (function == "gelu" && std::isinf(special[i].x)) continue;
    found.special += same_special(results[i], wanted) ? 0 : 1;
  }
  return found;
}

}  // namespace bench

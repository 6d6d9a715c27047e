// TOPBIT_TEST_SCALE: a factor on the number of random or repeated cases of a test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

inline double test_scale() {
  static const double scale = [] {
    const char* const text = std::getenv("TOPBIT_TEST_SCALE");
    const double factor = text == nullptr ? 1 : std::strtod(text, nullptr);
    return factor > 0 ? factor : 1;
  }();
  return scale;
}

// `full` times the factor, at least `least`.
inline int scaled(int full, int least = 1) { return std::max(least, static_cast<int>(full * test_scale())); }

// Selects a fraction TOPBIT_TEST_SCALE of many similar cases, always including the first. Pseudo-random with a fixed
// seed: every n-th case would always be the same value of an inner loop.
class sampled_cases {
 public:
  bool is_drawn() {
    const bool drawn = state_ == 0 || static_cast<double>(state_ >> 32) < test_scale() * 0x1p32;
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return drawn;
  }

 private:
  std::uint64_t state_ = 0;
};

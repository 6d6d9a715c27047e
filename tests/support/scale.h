// How much a test does that draws its cases at random, or does one thing very often: TOPBIT_TEST_SCALE, a factor.
#pragma once

#include <algorithm>
#include <cstdlib>

inline double test_scale() {
  static const double scale = [] {
    const char* const text = std::getenv("TOPBIT_TEST_SCALE");
    const double factor = text == nullptr ? 1 : std::strtod(text, nullptr);
    return factor > 0 ? factor : 1;
  }();
  return scale;
}

// `full` times the factor, and never so few that nothing is tested.
inline int scaled(int full, int least = 1) { return std::max(least, static_cast<int>(full * test_scale())); }

// Of many cases that differ in little, the factor's share, evenly spread and the first among them.
class sampled_cases {
 public:
  bool is_drawn() {
    due_ += std::min(1.0, test_scale());
    if (due_ < 1) return false;
    due_ -= 1;
    return true;
  }

 private:
  double due_ = 1;
};

// How much of a random test runs: TOPBIT_TEST_SCALE is a factor, 1 unless it is set.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace support {

/// So many rounds, times the factor; at least one.
inline int scaled(int rounds) {
  const char* const text = std::getenv("TOPBIT_TEST_SCALE");
  const double factor = text == nullptr || *text == '\0' ? 1 : std::strtod(text, nullptr);
  return static_cast<int>(std::clamp(rounds * factor, 1.0, 1e9));
}

}  // namespace support

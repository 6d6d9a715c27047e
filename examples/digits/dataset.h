// Reads and checks the digits file. Plain C++, independent of topbit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct digits {
  static constexpr std::int64_t side = 8;  // of an image, in pixels
  std::vector<float> pixels;               // count x side x side, each 0..1
  std::vector<std::int64_t> labels;        // count, each 0..9
  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

// Throws std::runtime_error that names file, line and column of what it cannot read.
digits read_digits(const std::string& path);

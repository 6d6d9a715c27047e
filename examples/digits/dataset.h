// The digits: read, checked, split. Plain C++; nothing here knows topbit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct digits {
  std::vector<float> pixels;         // count x 64, each 0..1
  std::vector<std::int64_t> labels;  // count, each 0..9
  std::size_t count() const { return labels.size(); }
};

// Throws std::runtime_error that names file, line and column of what it cannot read.
digits read_digits(const std::string& path);

struct split_digits {
  digits train, test;
};

// Every fifth image is held out: a fixed fifth, the same on every machine and in every run.
split_digits split(const digits& all);

// The images in this order.
digits select(const digits& from, const std::vector<std::size_t>& order);

// Moves one 8x8 image, in place, by dx and dy pixels; what leaves is lost, what enters is blank. Training on shifted
// copies is worth two percent of accuracy: the held-out images are by people who write a little beside the middle.
void shift(float* image, int dx, int dy);

// Runs a compiler and says what it took. Knows nothing of what is compiled.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace measure {

struct run {
  bool compiled = false;
  double wall = 0, user = 0, system = 0;  // seconds
  double memory = 0;                      // bytes, the most that was resident at once
  double processor() const { return user + system; }
};

// Runs `words` in `folder`, its messages going to the file `messages`. Throws std::runtime_error where no process can
// be started.
run once(const std::vector<std::string>& words, const std::string& folder, const std::string& messages);

double median(std::vector<double> values);

}  // namespace measure

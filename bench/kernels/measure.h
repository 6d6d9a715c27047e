// Rounds: in each, every contender of a problem runs once, in random order, so that whatever disturbs the machine
// disturbs all alike.
#pragma once

#include <random>
#include <vector>

#include "runner.h"

namespace bench {

struct effort {
  double round = 0.5e-3;  // seconds that a contender runs in a round, at least one call
  int rounds = 21;        // at most
  int least_rounds = 7;
  double row = 1.5;  // seconds after which no further round begins, once there are the least
  double rest = 0;   // seconds before a contender runs: threads of the one before may still be waiting busily
};

// Of the seconds of one call, over the rounds.
struct timing {
  double median = 0, low = 0, high = 0;  // low and high: the quartiles
  double best = 0;
};

struct entrant {
  runner* where;
  std::size_t which;
};

// `warm`: one untimed call before, where calls are short, since the contender before has used the caches.
std::vector<timing> measure(const std::vector<entrant>& all, const effort& how, bool warm, std::mt19937& random);

// Of at least one number.
timing summary(std::vector<double> seconds);

}  // namespace bench

// How far a peer's function is from the exact one, in units in the last place of a float32.
#pragma once

#include <string>
#include <vector>

#include "problem.h"

namespace bench {

struct error {
  double ulp = 0;         // the greatest, where argument and result are normal numbers
  double worse = 0;       // the part of those whose error is more than 2
  double ulp_beyond = 0;  // the greatest with denormal ones too
  int special = 0;        // zeros, infinities and NaN that gave something else
};

// The greatest error of a peer on a grid: every exponent and sign with some thousand significands, denormal numbers,
// and the special ones.
error error_of(const peer& who, const std::string& function);

}  // namespace bench

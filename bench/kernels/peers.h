// The libraries that this program was built with, each in a translation unit of its own.
#pragma once

#include <vector>

#include "problem.h"

namespace bench {

peer topbit_peer();
std::vector<peer> yardsticks();
peer step_by_hand();
peer libtorch_peer();
peer openblas_peer();
peer eigen_peer();

// topbit first, then the others that are built in.
const std::vector<peer>& peers();

}  // namespace bench

// The cost table: what topbit's kernels must reach beside the peers and the machine, what they should, what they do.
#pragma once

#include <vector>

#include "../dispatch/table.h"
#include "results.h"

namespace bench {

std::vector<table::line> goals(const report& r);

}  // namespace bench

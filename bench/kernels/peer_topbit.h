// Arrays of a problem as topbit's tensors. Import topbit before this file.
#pragma once

#include "problem.h"

namespace bench {

// The array itself: what is written to the tensor is written there.
topbit::tensor tensor_of(const array& a);

// Rows of the family `autograd`; nothing for others.
std::optional<work> recorded_work(const problem& p);

}  // namespace bench

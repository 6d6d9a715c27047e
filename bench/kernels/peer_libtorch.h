// Arrays of a problem as libtorch's tensors.
#pragma once

#include <torch/torch.h>

#include "problem.h"

namespace bench {

// The array itself: what is written to the tensor is written there.
at::Tensor torch_tensor_of(const array& a);

// Rows of the family `autograd`; nothing for others.
std::optional<work> recorded_work_of_libtorch(const problem& p);

}  // namespace bench

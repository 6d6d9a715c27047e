// How exact the vector forms of the pointwise operations are: the greatest error of each, on every architecture with
// vectors, in units in the last place of the exact result.
//
// Such a unit is the distance between the two numbers of the type that enclose the exact result (denormal ones
// included); a correctly rounded result is off by at most a half. Measured by tests/kernels/accuracy.test.cpp against
// the C library in the next wider type: for F32 over every number there is, for F64 over random ones of every exponent.
#pragma once

#include <stdint.h>

#include "kernel_abi.h"

namespace tb_kernel {

struct accuracy {
  int32_t op;
  double f32, f64;
};

inline constexpr accuracy accuracies[] = {
    {TB_EXP, 2, 2},
    {TB_LOG, 2, 2},
};

}  // namespace tb_kernel

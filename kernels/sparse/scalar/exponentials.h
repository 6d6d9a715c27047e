// exp of an array, by the C library.
#pragma once

#include <math.h>
#include <stdint.h>

namespace tb_sparse::TOPBIT_ARCH {
namespace {

// x[i] = exp(x[i] - greatest), for a count that is a multiple of 16.
inline void exponentials(float* x, int64_t count, float greatest) {
  for (int64_t i = 0; i < count; ++i) x[i] = expf(x[i] - greatest);
}
inline void exponentials(double* x, int64_t count, double greatest) {
  for (int64_t i = 0; i < count; ++i) x[i] = exp(x[i] - greatest);
}

}  // namespace
}  // namespace tb_sparse::TOPBIT_ARCH

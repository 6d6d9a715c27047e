// exp of an array, in SIMD registers.
#pragma once

#include "exponential.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

// x[i] = exp(x[i] - greatest), for a count that is a multiple of 16.
template <typename T>
inline void exponentials(T* x, int64_t count, T greatest) {
  using vector = tb_cpu::TOPBIT_ARCH::vec<T>;
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(vector::size)) {
    tb_cpu::TOPBIT_ARCH::exp<T>(vector::load_aligned(x + i) - vector(greatest)).store_aligned(x + i);
  }
}

}  // namespace
}  // namespace tb_sparse::TOPBIT_ARCH

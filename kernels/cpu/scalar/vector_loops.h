// The interface of simd/vector_loops.h in the scalar build: loops over the element functions.
#pragma once

#include "elementwise/elementwise.h"
#include "gradient_functions.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename F, int Inputs>
constexpr loops best_loops() {
  return floats<F, Inputs>();
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

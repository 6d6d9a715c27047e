// The interface of simd/common_loops.h in the scalar build, which has none of these loops.
#pragma once

#include "elementwise/elementwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline loop_fn loop_with_one(int32_t, int32_t, int) { return nullptr; }
inline loop_fn loop_of_halves(int32_t, int32_t) { return nullptr; }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

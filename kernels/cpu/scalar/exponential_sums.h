// The scalar build has no exponentials in SIMD (simd/exponential_sums.h).
#pragma once

#include "reduce/reducers.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr bool exponentials_in_lanes = false;

template <typename V>
V shifted_exponential(V, double) = delete;
template <typename F, typename T, double Shift(double)>
void add_exponentials_across(void*, const void*, int64_t, int64_t, int64_t, int64_t) = delete;

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

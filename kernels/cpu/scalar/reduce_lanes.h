// The scalar build has no SIMD reduction of dense rows (simd/reduce_lanes.h): it reduces one element at a time.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename F, typename T>
constexpr bool reduces_in_lanes = false;
template <typename F, typename T>
constexpr int64_t lanes_block = 512;

template <typename F, typename T, typename S>
typename F::template part<T> reduce_in_lanes(const S*, int64_t, double) = delete;

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// Conversions between any element type and the four compute types: kernels load operands and store results with them.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// out[i * out_step] = in[i * in_step], converted, for i < count. Steps are in elements.
using convert_fn = void (*)(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t count);

// Null unless one of the two is BOOL, I64, F32 or F64.
convert_fn conversion(int32_t to, int32_t from);

// The compute type for operations that only move elements of this dtype: it represents each of the dtype's values.
int32_t compute_type(int32_t dtype);

}  // namespace tb_cpu::TOPBIT_ARCH

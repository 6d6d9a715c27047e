// The iteration plan of the kernel ABI: shape, strides and operands of one pass over elements. topbit.tensor builds
// plans, kernels iterate over them.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TB_MAX_DIMS = 8, TB_MAX_OPERANDS = 4 };

// Dtype codes; topbit.tensor's dtype has the same values (checked in modules/ops/backend/backend.cpp). BOOL is a byte,
// 0 or 1.
typedef enum tb_dtype {
  TB_BOOL = 0,
  TB_U8 = 1,
  TB_I8 = 2,
  TB_I16 = 3,
  TB_I32 = 4,
  TB_I64 = 5,
  TB_F16 = 6,
  TB_BF16 = 7,
  TB_F32 = 8,
  TB_F64 = 9
} tb_dtype;
enum { TB_DTYPE_COUNT = 10 };

typedef struct tb_operand {
  void* data;                    // aligned to the element size, as all data pointers of the ABI
  int64_t strides[TB_MAX_DIMS];  // in elements; 0 repeats the element (broadcast)
  int32_t dtype;
  int32_t on_host;  // 1: one element in host memory, wherever the other operands are; read before the call returns
} tb_operand;

// One pass over elements. Dimension 0 is the innermost. Dimensions are ordered and collapsed where all operands allow
// it. ndim >= 1 (a scalar is one dimension of size 1) and sizes are at least 1; array elements beyond ndim and operands
// are unspecified. operand[0] is written, the others are read. The output may be the same memory as an input, element
// for element, but never overlaps one partially. In a reduction the first `reduced` dimensions are reduced: the output
// has stride 0 there.
typedef struct tb_plan {
  int32_t ndim;
  int32_t operands;
  int32_t reduced;
  int32_t reserved;
  int64_t sizes[TB_MAX_DIMS];
  tb_operand operand[TB_MAX_OPERANDS];
} tb_plan;

#ifdef __cplusplus
}
#endif

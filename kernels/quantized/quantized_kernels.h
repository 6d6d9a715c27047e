// Kernels for quantized tensors on the CPU: plain structs, C linkage, one table of functions per instruction set.
//
// Kernels see pointers and sizes, start no threads, allocate nothing and check nothing: the caller checks. Each takes a
// range [begin, end), so that the caller divides the work; no bit of a result depends on the division. Ranges of one
// call may run concurrently. Arrays need the alignment of their elements only.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tb_offset {
  TB_OFFSET_NONE = 0,        // value = code * scale, for 4 bits (code - 8) * scale
  TB_OFFSET_ZERO_POINT = 1,  // value = (code - offset) * scale; offsets are integers in the range of the codes
  TB_OFFSET_MINIMUM = 2      // value = code * scale + offset, rounded after each operation
} tb_offset;

// A matrix of codes and its parameters. Codes of 8 bits are I8. Codes of 4 bits are 0 to 15, two in a byte: an even
// column is in the low four bits. Each row begins at a byte; the last four bits of a row of odd length may be anything.
//
// The scale of an element is scales[row % scale_rows][column / group]. So:
//   per tensor                 scale_rows 1, group >= columns
//   per channel, first axis    scale_rows rows, group >= columns
//   per channel, another axis  the axes before and the axis itself as rows, scale_rows the length of the axis; for the
//                              last axis scale_rows 1, group 1
//   per group                  scale_rows rows
typedef struct tb_quantized {
  void* codes;
  const void* scales;   // [scale_rows][groups], groups = ceil(columns / group)
  const void* offsets;  // the same; null for TB_OFFSET_NONE
  int64_t rows, columns;
  int64_t row_bytes;  // from one row of codes to the next
  int64_t group;      // at least 1; need not divide columns
  int64_t scale_rows;
  int32_t bits;          // 8 or 4
  int32_t scale_dtype;   // F32, F16 or BF16
  int32_t offset;        // tb_offset
  int32_t offset_dtype;  // F32, F16, BF16, I8, U8, I32 or I64
} tb_quantized;

// ---- Conversions, over rows

// codes = clamp(zero point + round(x * (1 / scale)), lowest, highest): ties to even, NaN gives the zero point. Computed
// in F32; in F64 if x is F64. With TB_OFFSET_MINIMUM, codes = clamp(round((x - offset) * (1 / scale)), lowest,
// highest), and NaN gives the code 0, clamped. A scale of 0 gives the code of NaN.
typedef struct tb_quantize {
  tb_quantized to;
  const void* x;  // [rows][columns], rows x_row elements apart
  int64_t x_row;
  int32_t dtype;            // of x: F16, BF16, F32 or F64
  int32_t lowest, highest;  // within -128 to 127 for 8 bits, 0 to 15 for 4 bits
  int32_t reserved;
} tb_quantize;

// Computed in F32 (F64 for F64) and rounded once more for F16 and BF16.
typedef struct tb_dequantize {
  tb_quantized from;
  void* out;  // [rows][columns], rows out_row elements apart
  int64_t out_row;
  int32_t dtype;  // of out: F16, BF16, F32 or F64
  int32_t reserved;
} tb_dequantize;

// out[i] = row index[i] of `from`, dequantized: a range of i. Indices are valid.
typedef struct tb_dequantize_rows {
  tb_dequantize call;    // rows: those of the table, from.rows
  const int64_t* index;  // [count]
} tb_dequantize_rows;

// The least and greatest element of each group of each row; NaN is skipped, a group of nothing else gives 0 and 0.
typedef struct tb_group_range {
  const void* x;            // [rows][columns], rows x_row elements apart
  float *least, *greatest;  // [rows][groups]
  int64_t columns, group, x_row;
  int32_t dtype;  // F16, BF16, F32 or F64; F64 is rounded to F32
  int32_t reserved;
} tb_group_range;

// ---- Products

typedef enum tb_quantized_input {
  TB_INPUT_FLOAT = 0,    // x as it is, multiplied in F32
  TB_INPUT_DYNAMIC = 1,  // each row of x is rounded to I8 with scale max|x| / 127, zero point 0, ties to even
  TB_INPUT_CODES = 2     // x is I8 codes, with x_scales and x_zero_points
} tb_quantized_input;

// out[m][n] = x[m][k] * w[n][k]^T + bias[n]. In this order:
//   size = matmul_workspace(&call), then memory of that size, aligned to 64 bytes
//   matmul_prepare(&call, b, e)   over rows of x, in any division
//   matmul(&call, b, e)           over rows of w, in any division; multiples of TB_QUANTIZED_TILE are fastest
//
// TB_INPUT_FLOAT: F32 arithmetic, in an order that depends on k, the group, whether m <= TB_QUANTIZED_FEW, and the
// instruction set alone. The other inputs: sums of products of codes are exact, of at most 32768 at a time, and are
// then scaled in F32; every instruction set gives the same bits. A row of x with NaN or infinity gives NaN there.
typedef struct tb_quantized_matmul {
  tb_quantized w;
  const void* x;      // [m][w.columns], rows x_row elements apart
  const float* bias;  // [w.rows]; null: none
  void* out;          // [m][w.rows], rows out_row elements apart
  void* workspace;
  int64_t m, x_row, out_row;
  const float* x_scales;         // TB_INPUT_CODES: [x_parameters]
  const int32_t* x_zero_points;  // TB_INPUT_CODES: [x_parameters], -128 to 127; null: 0
  int64_t x_parameters;          // TB_INPUT_CODES: 1 or m
  int32_t input;                 // tb_quantized_input
  int32_t dtype;                 // of x, if it is no codes, and of out: F16, BF16 or F32
} tb_quantized_matmul;

enum { TB_QUANTIZED_TILE = 32, TB_QUANTIZED_FEW = 4 };

// out[m][k] = x[m][n] * dequantized w[n][k], over columns [begin, end) of w: the gradient of a product's x. begin is
// even for 4 bits; multiples of 256 are fastest. F32 arithmetic, adding in the order of n.
typedef struct tb_quantized_matmul_plain {
  tb_quantized w;
  const void* x;  // [m][w.rows], rows x_row elements apart
  void* out;      // [m][w.columns], rows out_row elements apart
  int64_t m, x_row, out_row;
  int32_t dtype;  // of x and out: F16, BF16 or F32
  int32_t reserved;
} tb_quantized_matmul_plain;

// ---- Blocks of 32 elements as in GGUF files: an F16 scale (Q4_1: and an F16 minimum), then 32 codes. In a byte of
// 4-bit codes, the low bits belong to element j and the high bits to element j + 16.

typedef enum tb_block { TB_BLOCK_Q4_0 = 0, TB_BLOCK_Q4_1 = 1, TB_BLOCK_Q8_0 = 2 } tb_block;

enum { TB_BLOCK_LENGTH = 32, TB_BLOCK_Q4_0_BYTES = 18, TB_BLOCK_Q4_1_BYTES = 20, TB_BLOCK_Q8_0_BYTES = 34 };

// Blocks and the same elements as a tb_quantized with group 32, F16 scales and contiguous rows of whole blocks.
typedef struct tb_blocks {
  void* blocks;
  void* codes;
  void* scales;  // F16 [count]
  void* minima;  // F16 [count], for Q4_1
  int32_t type;  // tb_block
  int32_t reserved;
} tb_blocks;

// Quantizes blocks of 32 elements by the rules of the GGUF format: the scale is the element of largest magnitude / -8
// (Q4_0) or the largest magnitude / 127 (Q8_0), rounded to F16 after the codes were computed.
typedef struct tb_quantize_blocks {
  const float* x;  // [count][32]; NaN gives the code of 0
  void* codes;
  void* scales;  // F16 [count]
  int32_t type;  // TB_BLOCK_Q4_0 or TB_BLOCK_Q8_0
  int32_t reserved;
} tb_quantize_blocks;

typedef struct tb_quantized_kernels {
  const char* isa;

  void (*quantize)(const tb_quantize* call, int64_t begin, int64_t end);
  void (*dequantize)(const tb_dequantize* call, int64_t begin, int64_t end);
  void (*dequantize_rows)(const tb_dequantize_rows* call, int64_t begin, int64_t end);
  void (*group_range)(const tb_group_range* call, int64_t begin, int64_t end);

  size_t (*matmul_workspace)(const tb_quantized_matmul* call);
  void (*matmul_prepare)(const tb_quantized_matmul* call, int64_t begin, int64_t end);
  void (*matmul)(const tb_quantized_matmul* call, int64_t begin, int64_t end);
  void (*matmul_plain)(const tb_quantized_matmul_plain* call, int64_t begin, int64_t end);

  // Over blocks.
  void (*quantize_blocks)(const tb_quantize_blocks* call, int64_t begin, int64_t end);
  void (*read_blocks)(const tb_blocks* call, int64_t begin, int64_t end);
  void (*write_blocks)(const tb_blocks* call, int64_t begin, int64_t end);
} tb_quantized_kernels;

// The table for an instruction set as cpu_isa() names it; null if this build has none or this processor cannot run it.
// "avx512" gives the table "avx512vnni" where the processor has VNNI too; "avx512bw" never does.
const tb_quantized_kernels* tb_quantized_kernels_for(const char* isa);

#ifdef __cplusplus
}
#endif

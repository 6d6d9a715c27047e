// What every compiler of this project has to agree on about kernel_abi.h: sizes, offsets and code values.
//
// Included by each CPU and CUDA source of the kernel world, so that a compiler which lays a struct out
// differently stops the build instead of reading the wrong bytes at run time. 64-bit platforms only.
#pragma once

#include <stddef.h>

#include "kernel_abi.h"

static_assert(sizeof(void*) == 8 && sizeof(void (*)(void)) == 8, "the kernel ABI is for 64-bit platforms");
static_assert(sizeof(tb_status) == 4 && sizeof(tb_dtype) == 4 && sizeof(tb_unary_op) == 4);
static_assert(sizeof(tb_binary_op) == 4 && sizeof(tb_compare_op) == 4);

static_assert(TB_MAX_DIMS == 6 && TB_MAX_OPERANDS == 4 && TB_ABI_VERSION == 1);
static_assert(TB_OK == 0 && TB_UNSUPPORTED_DTYPE == 1 && TB_BAD_INDEX == 2 && TB_OUT_OF_MEMORY == 3);
static_assert(TB_DEVICE_ERROR == 4 && TB_NO_DEVICE == 5 && TB_NOT_BUILT == 6);
static_assert(TB_BOOL == 0 && TB_I64 == 1 && TB_F32 == 2 && TB_F64 == 3);

static_assert(sizeof(tb_scalar) == 16);
static_assert(offsetof(tb_scalar, f) == 0 && offsetof(tb_scalar, i) == 8);

static_assert(sizeof(tb_operand) == 64);
static_assert(offsetof(tb_operand, data) == 0 && offsetof(tb_operand, strides) == 8);
static_assert(offsetof(tb_operand, dtype) == 56 && offsetof(tb_operand, reserved) == 60);

static_assert(sizeof(tb_plan) == 312);
static_assert(offsetof(tb_plan, ndim) == 0 && offsetof(tb_plan, operands) == 4);
static_assert(offsetof(tb_plan, sizes) == 8 && offsetof(tb_plan, operand) == 56);

static_assert(sizeof(tb_reduce) == 48);
static_assert(offsetof(tb_reduce, out) == 0 && offsetof(tb_reduce, in) == 8);
static_assert(offsetof(tb_reduce, outer) == 16 && offsetof(tb_reduce, length) == 24);
static_assert(offsetof(tb_reduce, inner) == 32 && offsetof(tb_reduce, dtype) == 40);
static_assert(offsetof(tb_reduce, reserved) == 44);

static_assert(sizeof(tb_matmul) == 96);
static_assert(offsetof(tb_matmul, out) == 0 && offsetof(tb_matmul, a) == 8 && offsetof(tb_matmul, b) == 16);
static_assert(offsetof(tb_matmul, m) == 24 && offsetof(tb_matmul, n) == 32 && offsetof(tb_matmul, k) == 40);
static_assert(offsetof(tb_matmul, out_row) == 48 && offsetof(tb_matmul, a_row) == 56);
static_assert(offsetof(tb_matmul, a_col) == 64 && offsetof(tb_matmul, b_row) == 72);
static_assert(offsetof(tb_matmul, b_col) == 80 && offsetof(tb_matmul, dtype) == 88);
static_assert(offsetof(tb_matmul, reserved) == 92);

static_assert(sizeof(tb_rows) == 48);
static_assert(offsetof(tb_rows, out) == 0 && offsetof(tb_rows, in) == 8 && offsetof(tb_rows, aux) == 16);
static_assert(offsetof(tb_rows, rows) == 24 && offsetof(tb_rows, cols) == 32);
static_assert(offsetof(tb_rows, dtype) == 40 && offsetof(tb_rows, reserved) == 44);

static_assert(sizeof(tb_kernels) == 128);
static_assert(offsetof(tb_kernels, size) == 0 && offsetof(tb_kernels, version) == 4);
static_assert(offsetof(tb_kernels, name) == 8 && offsetof(tb_kernels, fill) == 16);
static_assert(offsetof(tb_kernels, arange) == 24 && offsetof(tb_kernels, copy) == 32);
static_assert(offsetof(tb_kernels, unary) == 40 && offsetof(tb_kernels, binary) == 48);
static_assert(offsetof(tb_kernels, compare) == 56 && offsetof(tb_kernels, sum) == 64);
static_assert(offsetof(tb_kernels, argmax) == 72 && offsetof(tb_kernels, matmul) == 80);
static_assert(offsetof(tb_kernels, log_softmax) == 88 && offsetof(tb_kernels, log_softmax_backward) == 96);
static_assert(offsetof(tb_kernels, nll_loss) == 104 && offsetof(tb_kernels, nll_loss_backward) == 112);
static_assert(offsetof(tb_kernels, last_error) == 120);

static_assert(sizeof(tb_memory) == 64);
static_assert(offsetof(tb_memory, size) == 0 && offsetof(tb_memory, version) == 4);
static_assert(offsetof(tb_memory, device_count) == 8 && offsetof(tb_memory, allocate) == 16);
static_assert(offsetof(tb_memory, release) == 24 && offsetof(tb_memory, copy_in) == 32);
static_assert(offsetof(tb_memory, copy_out) == 40 && offsetof(tb_memory, synchronize) == 48);
static_assert(offsetof(tb_memory, last_error) == 56);

// Layout checks of kernel_abi.h for every compiler: sizes, offsets and code values.
//
// Included by each CPU and CUDA source, so that a compiler with another struct layout fails at build time instead of
// reading the wrong bytes at run time. 64-bit platforms only.
#pragma once

#include <stddef.h>

#include "kernel_abi.h"

static_assert(sizeof(void*) == 8 && sizeof(void (*)(void)) == 8, "the kernel ABI is for 64-bit platforms");
static_assert(sizeof(tb_status) == 4 && sizeof(tb_dtype) == 4 && sizeof(tb_elementwise_op) == 4);

static_assert(TB_MAX_DIMS == 8 && TB_MAX_OPERANDS == 4 && TB_MAX_ROWS == 6 && TB_MAX_NUMBERS == 3);
static_assert(TB_ABI_VERSION == 8 && TB_DTYPE_COUNT == 10);
static_assert(TB_OK == 0 && TB_UNSUPPORTED_DTYPE == 1 && TB_BAD_INDEX == 2 && TB_OUT_OF_MEMORY == 3);
static_assert(TB_DEVICE_ERROR == 4 && TB_NO_DEVICE == 5 && TB_NOT_BUILT == 6 && TB_DIVISION_BY_ZERO == 7);
static_assert(TB_BOOL == 0 && TB_U8 == 1 && TB_I8 == 2 && TB_I16 == 3 && TB_I32 == 4 && TB_I64 == 5);
static_assert(TB_F16 == 6 && TB_BF16 == 7 && TB_F32 == 8 && TB_F64 == 9);

static_assert(sizeof(tb_scalar) == 16);
static_assert(offsetof(tb_scalar, f) == 0 && offsetof(tb_scalar, i) == 8);

static_assert(sizeof(tb_operand) == 80);
static_assert(offsetof(tb_operand, data) == 0 && offsetof(tb_operand, strides) == 8);
static_assert(offsetof(tb_operand, dtype) == 72 && offsetof(tb_operand, on_host) == 76);

static_assert(sizeof(tb_plan) == 400);
static_assert(offsetof(tb_plan, ndim) == 0 && offsetof(tb_plan, operands) == 4);
static_assert(offsetof(tb_plan, reduced) == 8 && offsetof(tb_plan, reserved) == 12);
static_assert(offsetof(tb_plan, sizes) == 16 && offsetof(tb_plan, operand) == 80);

static_assert(sizeof(tb_elementwise) == 456);
static_assert(offsetof(tb_elementwise, plan) == 0 && offsetof(tb_elementwise, op) == 400);
static_assert(offsetof(tb_elementwise, compute) == 404 && offsetof(tb_elementwise, number) == 408);

static_assert(sizeof(tb_reduction) == 456);
static_assert(offsetof(tb_reduction, plan) == 0 && offsetof(tb_reduction, op) == 400);
static_assert(offsetof(tb_reduction, compute) == 404 && offsetof(tb_reduction, number) == 408);

static_assert(sizeof(tb_row_operand) == 96);
static_assert(offsetof(tb_row_operand, data) == 0 && offsetof(tb_row_operand, strides) == 8);
static_assert(offsetof(tb_row_operand, length) == 72 && offsetof(tb_row_operand, step) == 80);
static_assert(offsetof(tb_row_operand, dtype) == 88 && offsetof(tb_row_operand, written) == 92);

static_assert(sizeof(tb_rowwise) == 712);
static_assert(offsetof(tb_rowwise, op) == 0 && offsetof(tb_rowwise, compute) == 4);
static_assert(offsetof(tb_rowwise, ndim) == 8 && offsetof(tb_rowwise, operands) == 12);
static_assert(offsetof(tb_rowwise, sizes) == 16 && offsetof(tb_rowwise, row) == 80);
static_assert(offsetof(tb_rowwise, number) == 656 && offsetof(tb_rowwise, bad_index) == 704);

static_assert(sizeof(tb_matmul) == 208);
static_assert(offsetof(tb_matmul, out) == 0 && offsetof(tb_matmul, a) == 8);
static_assert(offsetof(tb_matmul, b) == 16 && offsetof(tb_matmul, added) == 24);
static_assert(offsetof(tb_matmul, m) == 32 && offsetof(tb_matmul, n) == 40);
static_assert(offsetof(tb_matmul, k) == 48 && offsetof(tb_matmul, out_row) == 56);
static_assert(offsetof(tb_matmul, out_col) == 64 && offsetof(tb_matmul, a_row) == 72);
static_assert(offsetof(tb_matmul, a_col) == 80 && offsetof(tb_matmul, b_row) == 88);
static_assert(offsetof(tb_matmul, b_col) == 96 && offsetof(tb_matmul, added_row) == 104);
static_assert(offsetof(tb_matmul, added_col) == 112 && offsetof(tb_matmul, batch) == 120);
static_assert(offsetof(tb_matmul, out_batch) == 128 && offsetof(tb_matmul, a_batch) == 136);
static_assert(offsetof(tb_matmul, b_batch) == 144 && offsetof(tb_matmul, added_batch) == 152);
static_assert(offsetof(tb_matmul, alpha) == 160 && offsetof(tb_matmul, beta) == 176);
static_assert(offsetof(tb_matmul, dtype) == 192 && offsetof(tb_matmul, out_dtype) == 196);
static_assert(offsetof(tb_matmul, activation) == 200 && offsetof(tb_matmul, reserved) == 204);

static_assert(sizeof(tb_take) == 192);
static_assert(offsetof(tb_take, rows) == 0 && offsetof(tb_take, table) == 8);
static_assert(offsetof(tb_take, index) == 16 && offsetof(tb_take, length) == 80);
static_assert(offsetof(tb_take, outer) == 144 && offsetof(tb_take, count) == 152);
static_assert(offsetof(tb_take, inner) == 160 && offsetof(tb_take, bad_index) == 168);
static_assert(offsetof(tb_take, op) == 176 && offsetof(tb_take, dtype) == 180);
static_assert(offsetof(tb_take, indices) == 184 && offsetof(tb_take, wraps) == 188);

static_assert(sizeof(tb_random) == 488);
static_assert(offsetof(tb_random, plan) == 0 && offsetof(tb_random, seed) == 400);
static_assert(offsetof(tb_random, first) == 408 && offsetof(tb_random, subsequence) == 416);
static_assert(offsetof(tb_random, op) == 424 && offsetof(tb_random, reserved) == 428);
static_assert(offsetof(tb_random, number) == 432 && offsetof(tb_random, philox_state) == 480);

static_assert(sizeof(tb_nonzero) == 424);
static_assert(offsetof(tb_nonzero, plan) == 0 && offsetof(tb_nonzero, out) == 400);
static_assert(offsetof(tb_nonzero, count) == 408 && offsetof(tb_nonzero, coordinates) == 416);
static_assert(offsetof(tb_nonzero, reserved) == 420);

static_assert(sizeof(tb_pool) == 152);
static_assert(offsetof(tb_pool, out) == 0 && offsetof(tb_pool, in) == 8);
static_assert(offsetof(tb_pool, index) == 16 && offsetof(tb_pool, images) == 24);
static_assert(offsetof(tb_pool, height) == 32 && offsetof(tb_pool, width) == 40);
static_assert(offsetof(tb_pool, out_height) == 48 && offsetof(tb_pool, out_width) == 56);
static_assert(offsetof(tb_pool, kernel) == 64 && offsetof(tb_pool, stride) == 80);
static_assert(offsetof(tb_pool, padding) == 96 && offsetof(tb_pool, dilation) == 112);
static_assert(offsetof(tb_pool, divisor) == 128 && offsetof(tb_pool, op) == 136);
static_assert(offsetof(tb_pool, dtype) == 140 && offsetof(tb_pool, count_padding) == 144);
static_assert(offsetof(tb_pool, reserved) == 148);

static_assert(sizeof(tb_convolution) == 216);
static_assert(offsetof(tb_convolution, out) == 0 && offsetof(tb_convolution, image) == 8);
static_assert(offsetof(tb_convolution, weight) == 16 && offsetof(tb_convolution, bias) == 24);
static_assert(offsetof(tb_convolution, images) == 32 && offsetof(tb_convolution, channels) == 40);
static_assert(offsetof(tb_convolution, outputs) == 48 && offsetof(tb_convolution, groups) == 56);
static_assert(offsetof(tb_convolution, size) == 64 && offsetof(tb_convolution, out_size) == 88);
static_assert(offsetof(tb_convolution, kernel) == 112 && offsetof(tb_convolution, stride) == 136);
static_assert(offsetof(tb_convolution, padding) == 160 && offsetof(tb_convolution, dilation) == 184);
static_assert(offsetof(tb_convolution, dtype) == 208 && offsetof(tb_convolution, reserved) == 212);

static_assert(sizeof(tb_update) == 152);
static_assert(offsetof(tb_update, parameter) == 0 && offsetof(tb_update, gradient) == 8);
static_assert(offsetof(tb_update, state) == 16 && offsetof(tb_update, count) == 40);
static_assert(offsetof(tb_update, rate) == 48 && offsetof(tb_update, decay) == 56);
static_assert(offsetof(tb_update, first) == 64 && offsetof(tb_update, second) == 72);
static_assert(offsetof(tb_update, epsilon) == 80 && offsetof(tb_update, step) == 88);
static_assert(offsetof(tb_update, gradient_scale) == 96 && offsetof(tb_update, op) == 104);
static_assert(offsetof(tb_update, dtype) == 108 && offsetof(tb_update, maximize) == 112);
static_assert(offsetof(tb_update, nesterov) == 116 && offsetof(tb_update, first_step) == 120);
static_assert(offsetof(tb_update, step_there) == 128 && offsetof(tb_update, scale_there) == 136);
static_assert(offsetof(tb_update, skip_there) == 144);

static_assert(sizeof(tb_matrices) == 88);
static_assert(offsetof(tb_matrices, batch) == 8 && offsetof(tb_matrices, row) == 72);
static_assert(sizeof(tb_attention) == 560);
static_assert(offsetof(tb_attention, query) == 88 && offsetof(tb_attention, mask) == 352);
static_assert(offsetof(tb_attention, sizes) == 440 && offsetof(tb_attention, queries) == 504);
static_assert(offsetof(tb_attention, value_width) == 528 && offsetof(tb_attention, scale) == 536);
static_assert(offsetof(tb_attention, ndim) == 544 && offsetof(tb_attention, dtype) == 548);
static_assert(offsetof(tb_attention, mask_dtype) == 552 && offsetof(tb_attention, causal) == 556);

static_assert(sizeof(tb_channel_norm) == 120);
static_assert(offsetof(tb_channel_norm, out) == 0 && offsetof(tb_channel_norm, in) == 8);
static_assert(offsetof(tb_channel_norm, gradient) == 16 && offsetof(tb_channel_norm, weight) == 24);
static_assert(offsetof(tb_channel_norm, bias) == 32 && offsetof(tb_channel_norm, mean) == 40);
static_assert(offsetof(tb_channel_norm, variance) == 48 && offsetof(tb_channel_norm, weight_gradient) == 56);
static_assert(offsetof(tb_channel_norm, bias_gradient) == 64 && offsetof(tb_channel_norm, images) == 72);
static_assert(offsetof(tb_channel_norm, channels) == 80 && offsetof(tb_channel_norm, inner) == 88);
static_assert(offsetof(tb_channel_norm, groups) == 96 && offsetof(tb_channel_norm, epsilon) == 104);
static_assert(offsetof(tb_channel_norm, dtype) == 112 && offsetof(tb_channel_norm, given) == 116);

static_assert(sizeof(tb_call) == 24);
static_assert(offsetof(tb_call, stream) == 0 && offsetof(tb_call, context) == 8 && offsetof(tb_call, device) == 16);

static_assert(sizeof(tb_kernels) == 176);
static_assert(offsetof(tb_kernels, size) == 0 && offsetof(tb_kernels, version) == 4);
static_assert(offsetof(tb_kernels, name) == 8 && offsetof(tb_kernels, copy) == 16);
static_assert(offsetof(tb_kernels, arange) == 24 && offsetof(tb_kernels, elementwise) == 32);
static_assert(offsetof(tb_kernels, reduce) == 40 && offsetof(tb_kernels, rowwise) == 48);
static_assert(offsetof(tb_kernels, matmul) == 56 && offsetof(tb_kernels, take) == 64);
static_assert(offsetof(tb_kernels, random) == 72 && offsetof(tb_kernels, nonzero) == 80);
static_assert(offsetof(tb_kernels, pool) == 88 && offsetof(tb_kernels, convolve) == 96);
static_assert(offsetof(tb_kernels, update) == 104 && offsetof(tb_kernels, attention) == 112);
static_assert(offsetof(tb_kernels, dense_loops) == 120 && offsetof(tb_kernels, calling) == 128);
static_assert(offsetof(tb_kernels, host_scalars) == 144 && offsetof(tb_kernels, attention_fp16) == 148);
static_assert(offsetof(tb_kernels, last_error) == 136 && offsetof(tb_kernels, runs) == 152);
static_assert(offsetof(tb_kernels, context) == 160 && offsetof(tb_kernels, channel_norm) == 168);

static_assert(sizeof(tb_memory) == 64);
static_assert(offsetof(tb_memory, size) == 0 && offsetof(tb_memory, version) == 4);
static_assert(offsetof(tb_memory, device_count) == 8 && offsetof(tb_memory, allocate) == 16);
static_assert(offsetof(tb_memory, release) == 24 && offsetof(tb_memory, copy_in) == 32);
static_assert(offsetof(tb_memory, copy_out) == 40 && offsetof(tb_memory, synchronize) == 48);
static_assert(offsetof(tb_memory, last_error) == 56);

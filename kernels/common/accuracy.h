// Accuracy of the SIMD forms of the elementwise operations: the maximum error of each, over all SIMD architectures, in
// ulp of the exact result.
//
// An ulp is the distance between the two numbers of the type that enclose the exact result (denormal ones included); a
// correctly rounded result has an error of at most 1/2. Measured by tests/kernels/accuracy.test.cpp against the C
// library in the next wider type: for F32 over all numbers, for F64 over random ones of every exponent. softplus and
// elu are measured with factors of 1; other factors add their own rounding errors. digamma crosses zero steeply,
// logaddexp cancels: their ulp is that of the argument where that is greater than the result. lgamma of doubles is the
// C library's.
#pragma once

#include <stdint.h>

#include "kernel_abi.h"

namespace tb_kernel {

struct accuracy {
  int32_t op;
  double f32, f64;
};

inline constexpr accuracy accuracies[] = {
    {TB_SQRT, 0.5, 0.5},    {TB_RSQRT, 0.75, 0.75},   {TB_EXP, 1.25, 1.25},   {TB_EXP2, 1.25, 1.25},
    {TB_EXPM1, 2, 2},       {TB_LOG, 1, 1},           {TB_LOG2, 1.75, 1.5},   {TB_LOG10, 1.5, 1.5},
    {TB_LOG1P, 1.5, 1},     {TB_SINH, 1.75, 1.75},    {TB_COSH, 1.75, 1.75},  {TB_TANH, 2, 2},
    {TB_ASINH, 1.75, 1.75}, {TB_ACOSH, 1.75, 1.75},   {TB_ATANH, 1.75, 1.75}, {TB_SIGMOID, 2, 2},
    {TB_SILU, 2, 2},        {TB_ELU, 1.25, 1.25},     {TB_LOGIT, 1.75, 1.75}, {TB_XLOGY, 2, 2},
    {TB_MISH, 2, 2},        {TB_LOG_SIGMOID, 2, 2},   {TB_SOFTPLUS, 2, 2},    {TB_LOGADDEXP, 2, 2},
    {TB_SIN, 1.8, 1.6},     {TB_COS, 1.8, 1.6},       {TB_TAN, 1.5, 1.5},     {TB_ASIN, 1.2, 1.2},
    {TB_ACOS, 1.2, 1.2},    {TB_ATAN, 1.8, 1.8},      {TB_ATAN2, 1.8, 1.8},   {TB_ERF, 1.8, 1.8},
    {TB_ERFC, 2, 2},        {TB_ERFINV, 0.6, 2},      {TB_GELU, 2, 2},        {TB_GELU_TANH, 0.6, 2},
    {TB_HYPOT, 0.6, 1},     {TB_POW, 0.6, 1.2},       {TB_LGAMMA, 1.5, 8},    {TB_DIGAMMA, 1, 32},
    {TB_FMOD, 0, 0},        {TB_REMAINDER, 0.5, 0.5},
};

// The maximum error of gradients of activations and of losses of elements (gradient_functions.h), of every table, in
// ulp of the result or of the gradient that they multiply, whichever is greater. Measured by
// tests/kernels/gradients.test.cpp.
inline constexpr double gradient_ulps = 4;

}  // namespace tb_kernel

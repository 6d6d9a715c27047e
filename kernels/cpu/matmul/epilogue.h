// The GEMM epilogue, applied to products before they are stored: scaling, addend, activation, conversion.
#pragma once

#include "elementwise/elementwise.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {

// out[i][j] = activation(alpha * product + beta * added[i][j]) for a result of type `dtype`, computed in T.
template <typename T>
struct epilogue {
  void* out;
  int64_t out_row, out_col;
  const void* added;  // null: no addend
  int64_t added_row, added_col;
  int32_t dtype;  // of out and added
  T alpha, beta;
  loop_fn activation;  // null for none
  bool relu;           // activation is ReLU, computed inline

  // Whether the epilogue is the identity for products stored directly in the result.
  bool nothing() const { return alpha == T(1) && added == nullptr && activation == nullptr && !relu; }
};

// Applies the epilogue to the rectangle from (row, column) on. A row of products has at most this many columns.
constexpr int64_t epilogue_columns = 512;
void finish(const epilogue<float>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const float* products, int64_t products_row);
void finish(const epilogue<double>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const double* products, int64_t products_row);

}  // namespace tb_cpu::TOPBIT_ARCH

// What is done to products before they are written: factors, what is added, the activation, the dtype of the result.
#pragma once

#include "elementwise/elementwise.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {

// out[i][j] = activation(alpha * product + beta * added[i][j]) for a result of `dtype`, computed in T.
template <typename T>
struct epilogue {
  void* out;
  int64_t out_row, out_col;
  const void* added;  // null: nothing
  int64_t added_row, added_col;
  int32_t dtype;  // of out and added
  T alpha, beta;
  loop_fn activation;  // null for none
  bool relu;           // instead of a loop

  // Nothing is left to do where products are put straight into the result.
  bool nothing() const { return alpha == T(1) && added == nullptr && activation == nullptr && !relu; }
};

// Rows and columns from (row, column) on; a line of products has at most this many columns.
constexpr int64_t epilogue_columns = 512;
void finish(const epilogue<float>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const float* products, int64_t products_row);
void finish(const epilogue<double>& how, int64_t row, int64_t rows, int64_t column, int64_t columns,
            const double* products, int64_t products_row);

}  // namespace tb_cpu::TOPBIT_ARCH

// Products with w as it lies, x[m][n] * w[n][k]: rows of w are dequantized some columns at a time and added, each times
// a number of x.
#include "lanes.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

// Columns at a time, rows of w at a time, rows of x at a time: their elements fit into the first-level cache.
constexpr int64_t part = 256, depth = 8, most_rows = 16;

// sums[0 .. columns) += factors[0] * values[0] + factors[1] * values[1] + ..., in this order.
void add_rows(const float* factors, const float (*values)[part], int64_t columns, float* sums) {
  floats factor[depth];
  for (int d = 0; d < depth; ++d) factor[d] = broadcast(factors[d]);
  for (int64_t p = 0; p < columns; p += width) {
    floats sum = load<floats>(sums + p);
#pragma clang loop unroll(full)
    for (int d = 0; d < depth; ++d) sum = multiply_add(factor[d], load<floats>(values[d] + p), sum);
    store(sums + p, sum);
  }
}

void multiply_part(const tb_quantized_matmul_plain& call, int64_t first, int64_t columns, int64_t m, int64_t rows) {
  float values[depth][part] = {}, sums[most_rows][part] = {};
  for (int64_t n = 0; n < call.w.rows; n += depth) {
    const int64_t count = smaller(depth, call.w.rows - n);
    for (int64_t d = 0; d < count; ++d) dequantize_part(call.w, n + d, first, columns, values[d]);
    // A factor of 0 would make NaN of infinities that are left from the rows before.
    for (int64_t d = count; d < depth; ++d) memset(values[d], 0, sizeof values[d]);
    for (int64_t i = 0; i < rows; ++i) {
      float factors[depth] = {};
      load_floats(element(call.x, call.dtype, (m + i) * call.x_row), call.dtype, n, count, factors);
      add_rows(factors, values, part, sums[i]);
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    store_floats(sums[i], call.dtype, columns, element(call.out, call.dtype, (m + i) * call.out_row + first));
  }
}

}  // namespace

void matmul_plain(const tb_quantized_matmul_plain* call, int64_t begin, int64_t end) {
  for (int64_t first = begin; first < end; first += part) {
    for (int64_t m = 0; m < call->m; m += most_rows) {
      multiply_part(*call, first, smaller(part, end - first), m, smaller(most_rows, call->m - m));
    }
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

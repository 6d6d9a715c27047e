// Chooses how to multiply, and brings x into the order of the codes.
#include "matmul.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {

size_t matmul_workspace(const tb_quantized_matmul* call) {
  if (call->input != TB_INPUT_FLOAT) return integer_workspace(*call);
  return size_t(call->m * padded(call->w.columns)) * sizeof(float);
}

void matmul_prepare(const tb_quantized_matmul* call, int64_t begin, int64_t end) {
  if (call->input != TB_INPUT_FLOAT) return prepare_integers(*call, begin, end);
  const int64_t columns = call->w.columns;
  float values[chunk];
  for (int64_t i = begin; i < end; ++i) {
    const char* const x = element(call->x, call->dtype, i * call->x_row);
    float* const to = static_cast<float*>(call->workspace) + i * padded(columns);
    for (int64_t from = 0; from < columns; from += chunk) {
      const int64_t n = smaller(chunk, columns - from);
      load_floats(x, call->dtype, from, n, values);
      for (int64_t p = n; p < chunk; ++p) values[p] = 0;
      for (int64_t p = 0; p < chunk; ++p) to[from + p] = values[column_of(call->w.bits, p)];
    }
  }
}

void matmul(const tb_quantized_matmul* call, int64_t begin, int64_t end) {
  if (call->input != TB_INPUT_FLOAT) {
    multiply_integers(*call, begin, end);
  } else if (call->m <= TB_QUANTIZED_FEW) {
    multiply_few(*call, begin, end);
  } else {
    multiply_many(*call, begin, end);
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

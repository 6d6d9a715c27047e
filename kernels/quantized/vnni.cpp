// The table for processors that have AVX-512 with VNNI: that of avx512 with other products of codes.
#include "matmul.h"

namespace tb_quantized_cpu {

// What lanes.h declares for avx512; this source is compiled as avx512vnni.
namespace avx512 {
size_t matmul_workspace(const tb_quantized_matmul* call);
void matmul_prepare(const tb_quantized_matmul* call, int64_t begin, int64_t end);
void matmul(const tb_quantized_matmul* call, int64_t begin, int64_t end);
void quantize(const tb_quantize* call, int64_t begin, int64_t end);
void dequantize(const tb_dequantize* call, int64_t begin, int64_t end);
void dequantize_rows(const tb_dequantize_rows* call, int64_t begin, int64_t end);
void group_range(const tb_group_range* call, int64_t begin, int64_t end);
void matmul_plain(const tb_quantized_matmul_plain* call, int64_t begin, int64_t end);
void quantize_blocks(const tb_quantize_blocks* call, int64_t begin, int64_t end);
void read_blocks(const tb_blocks* call, int64_t begin, int64_t end);
void write_blocks(const tb_blocks* call, int64_t begin, int64_t end);
}  // namespace avx512

namespace TOPBIT_ARCH {

extern const tb_quantized_kernels table;

size_t matmul_workspace(const tb_quantized_matmul* call) {
  return call->input == TB_INPUT_FLOAT ? avx512::matmul_workspace(call) : integer_workspace(*call);
}

void matmul_prepare(const tb_quantized_matmul* call, int64_t begin, int64_t end) {
  if (call->input == TB_INPUT_FLOAT) return avx512::matmul_prepare(call, begin, end);
  prepare_integers(*call, begin, end);
}

void matmul(const tb_quantized_matmul* call, int64_t begin, int64_t end) {
  if (call->input == TB_INPUT_FLOAT) return avx512::matmul(call, begin, end);
  multiply_integers(*call, begin, end);
}

constinit const tb_quantized_kernels table = {
    .isa = "avx512vnni",
    .quantize = avx512::quantize,
    .dequantize = avx512::dequantize,
    .dequantize_rows = avx512::dequantize_rows,
    .group_range = avx512::group_range,
    .matmul_workspace = matmul_workspace,
    .matmul_prepare = matmul_prepare,
    .matmul = matmul,
    .matmul_plain = avx512::matmul_plain,
    .quantize_blocks = avx512::quantize_blocks,
    .read_blocks = avx512::read_blocks,
    .write_blocks = avx512::write_blocks,
};

}  // namespace TOPBIT_ARCH
}  // namespace tb_quantized_cpu

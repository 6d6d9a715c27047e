// The table of one architecture. Compiled once per architecture; see lanes.h.
#include "arch_text.h"
#include "lanes.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {

extern const tb_quantized_kernels table;

constinit const tb_quantized_kernels table = {
    .isa = TOPBIT_TEXT(TOPBIT_ARCH),
    .quantize = quantize,
    .dequantize = dequantize,
    .dequantize_rows = dequantize_rows,
    .group_range = group_range,
    .matmul_workspace = matmul_workspace,
    .matmul_prepare = matmul_prepare,
    .matmul = matmul,
    .matmul_plain = matmul_plain,
    .quantize_blocks = quantize_blocks,
    .read_blocks = read_blocks,
    .write_blocks = write_blocks,
};

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

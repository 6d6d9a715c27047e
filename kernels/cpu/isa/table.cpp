// The backend kernel table of one architecture. Compiled once per architecture; see arch.h.
#include "arch_text.h"
#include "isa/arch.h"
#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {

extern const tb_kernels table;

constinit const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cpu/" TOPBIT_TEXT(TOPBIT_ARCH),
    .copy = copy,
    .arange = arange,
    .elementwise = elementwise,
    .reduce = reduce,
    .rowwise = rowwise,
    .matmul = matmul,
    .take = take,
    .random = random,
    .nonzero = nonzero,
    .pool = pool,
    .convolve = convolve,
    .update = update,
    .attention = attention,
    .dense_loops = dense_loops,
    .calling = nullptr,
    .last_error = nullptr,
    .host_scalars = 0,
    .attention_fp16 = 0,
    .runs = nullptr,
    .context = nullptr,
    .channel_norm = channel_norm,
};

}  // namespace tb_cpu::TOPBIT_ARCH

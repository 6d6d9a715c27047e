// The backend kernel table of CUDA. All other symbols of this folder are hidden.
#include "cuda_operations.h"
#include "runtime/device.cuh"
#include "runtime/table.cuh"

namespace {

const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda",
    .copy = tb_cuda::copy,
    .arange = tb_cuda::arange,
    .elementwise = tb_cuda::elementwise,
    .reduce = tb_cuda::reduce,
    .rowwise = tb_cuda::rowwise,
    .matmul = tb_cuda::matmul,
    .take = tb_cuda::take,
    .random = tb_cuda::random,
    .nonzero = tb_cuda::nonzero,
    .pool = tb_cuda::pool,
    .convolve = tb_cuda::convolve,
    .update = tb_cuda::update,
    .attention = tb_cuda::attention,
    .dense_loops = nullptr,
    .calling = tb_cuda::calling,
    .last_error = tb_cuda::last_error,
    .host_scalars = 1,
    .attention_fp16 = 1,
    .runs = tb_cuda::runs,
    .context = nullptr,
    .channel_norm = nullptr,
};

}  // namespace

__attribute__((visibility("default"))) const tb_kernels* tb_cuda_kernels(void) { return &table; }

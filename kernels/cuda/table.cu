// The CUDA kernels as a table. Everything else in this folder is hidden from a shared library's users.
#include "launch.cuh"

namespace {

const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda",
    .copy = tb_cuda::copy,
    .arange = tb_cuda::arange,
    .pointwise = tb_cuda::pointwise,
    .reduce = nullptr,
    .rowwise = nullptr,
    .matmul = tb_cuda::matmul,
    .take = nullptr,
    .random = nullptr,
    .nonzero = nullptr,
    .pool = nullptr,
    .convolve = nullptr,
    .update = nullptr,
    .attention = nullptr,
    .dense_loop = nullptr,
    .last_error = tb_cuda::last_error,
};

}  // namespace

__attribute__((visibility("default"))) const tb_kernels* tb_cuda_kernels(void) { return &table; }

// The CUDA kernels as a table. Everything else in this folder is hidden from a shared library's users.
#include "launch.cuh"

namespace {

const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda",
    .fill = tb_cuda::fill,
    .arange = tb_cuda::arange,
    .copy = tb_cuda::copy,
    .unary = tb_cuda::unary,
    .binary = tb_cuda::binary,
    .compare = tb_cuda::compare,
    .sum = tb_cuda::sum,
    .argmax = tb_cuda::argmax,
    .matmul = tb_cuda::matmul,
    .log_softmax = tb_cuda::log_softmax,
    .log_softmax_backward = tb_cuda::log_softmax_backward,
    .nll_loss = tb_cuda::nll_loss,
    .nll_loss_backward = tb_cuda::nll_loss_backward,
    .last_error = tb_cuda::last_error,
};

}  // namespace

__attribute__((visibility("default"))) const tb_kernels* tb_cuda_kernels(void) { return &table; }

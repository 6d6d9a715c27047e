// The CUDA kernels as a table. Everything else in this folder is hidden from a shared library's users.
#include "launch.cuh"

namespace {

// Families of operations without CUDA kernels.
template <typename... Arguments>
tb_status not_there(Arguments...) {
  return tb_cuda::fail(cudaErrorNotSupported, "a kernel that this backend does not have");
}

const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda",
    .copy = tb_cuda::copy,
    .arange = tb_cuda::arange,
    .pointwise = tb_cuda::pointwise,
    .reduce = not_there,
    .rowwise = not_there,
    .matmul = tb_cuda::matmul,
    .take = not_there,
    .random = not_there,
    .nonzero = not_there,
    .pool = not_there,
    .last_error = tb_cuda::last_error,
};

}  // namespace

__attribute__((visibility("default"))) const tb_kernels* tb_cuda_kernels(void) { return &table; }

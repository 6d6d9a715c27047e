// The CUDA backend of a build without CUDA: the same symbols, no device, and an error that says what to do.
//
// CMake builds this file in place of kernels/cuda/, so that no caller needs to ask which of the two it has.
#include "layout.h"

namespace {

const char* text() {
  return "this build of topbit has no CUDA backend: no CUDA toolkit was found or TOPBIT_CUDA is OFF; "
         "install the toolkit and configure with -DTOPBIT_CUDA=ON";
}

template <typename... Arguments>
tb_status not_built(Arguments...) {
  return TB_NOT_BUILT;
}

int32_t no_devices() { return 0; }

// Null where the real table is, so that the same operators have rows.
constinit const tb_kernels kernels = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda/stub",
    .copy = not_built,
    .arange = not_built,
    .pointwise = not_built,
    .reduce = nullptr,
    .rowwise = nullptr,
    .matmul = not_built,
    .take = nullptr,
    .random = nullptr,
    .nonzero = nullptr,
    .pool = nullptr,
    .convolve = nullptr,
    .update = nullptr,
    .attention = nullptr,
    .dense_loop = nullptr,
    .last_error = text,
};

constinit const tb_memory memory = {
    .size = sizeof(tb_memory),
    .version = TB_ABI_VERSION,
    .device_count = no_devices,
    .allocate = not_built,
    .release = not_built,
    .copy_in = not_built,
    .copy_out = not_built,
    .synchronize = not_built,
    .last_error = text,
};

}  // namespace

const tb_kernels* tb_cuda_kernels(void) { return &kernels; }

const tb_memory* tb_cuda_memory(void) { return &memory; }

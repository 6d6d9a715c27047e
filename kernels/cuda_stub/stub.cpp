// The CUDA backend of a build without CUDA: the same symbols and no device; every entry fails with an error text
// that says what to install.
//
// CMake builds this file instead of kernels/cuda, so that callers need no conditional code.
#include "cuda_abi.h"
#include "cuda_operations.h"
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

// Entries without a status; unreachable without a device.
template <typename... Arguments>
void nothing(Arguments...) {}
template <typename... Arguments>
int32_t never(Arguments...) {
  return 0;
}
void* no_stream(int32_t) { return nullptr; }
void no_report(int32_t, tb_cuda_report* report) { *report = {}; }
void no_statistics(int32_t, tb_cuda_statistics* counts) { *counts = {}; }

// The same entries as the real table, so that the same operators have kernels.
constinit const tb_kernels kernels = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cuda/stub",
    .copy = not_built,
    .arange = not_built,
    .elementwise = not_built,
    .reduce = not_built,
    .rowwise = not_built,
    .matmul = not_built,
    .take = not_built,
    .random = not_built,
    .nonzero = not_built,
    .pool = not_built,
    .convolve = not_built,
    .update = not_built,
    .attention = not_built,
    .dense_loops = nullptr,
    .calling = nullptr,
    .last_error = text,
    .host_scalars = 1,
    .attention_fp16 = 0,
    .runs = tb_cuda::runs,
    .context = nullptr,
    .channel_norm = nullptr,
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

constinit const tb_cuda_runtime functions = {
    .size = sizeof(tb_cuda_runtime),
    .version = TB_ABI_VERSION,
    .properties = not_built,
    .take_report = no_report,
    .make_stream = not_built,
    .current_stream = no_stream,
    .set_current_stream = nothing,
    .synchronize_stream = not_built,
    .stream_is_done = not_built,
    .device_of_stream = not_built,
    .make_event = not_built,
    .drop_event = nothing,
    .record_event = not_built,
    .stream_waits_for = not_built,
    .synchronize_event = not_built,
    .event_is_done = not_built,
    .milliseconds_between = not_built,
    .statistics = no_statistics,
    .release_cached = not_built,
    .set_limit = nothing,
    .record_stream = not_built,
    .allocate_pinned = not_built,
    .release_pinned = nothing,
    .copy_in = not_built,
    .copy_out = not_built,
    .copy_across = not_built,
    .begin_capture = not_built,
    .end_capture = not_built,
    .launch_graph = not_built,
    .drop_graph = nothing,
    .set_deterministic = nothing,
    .is_deterministic = never,
    .stream_is_captured = never,
};

}  // namespace

const tb_kernels* tb_cuda_kernels(void) { return &kernels; }

const tb_memory* tb_cuda_memory(void) { return &memory; }

const tb_cuda_runtime* tb_cuda_runtime_functions(void) { return &functions; }

// The tb_cuda_runtime functions for topbit.cuda: streams, events, asynchronous copies, graphs.
#include <atomic>
#include <memory>
#include <mutex>

#include "layout.h"
#include "runtime/caching_allocator.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {
namespace {

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

// Makes the device current for a runtime call.
template <typename Call>
tb_status at_device(int32_t device, const char* what, Call call) {
  const device_guard guard(device);
  return guard.status() != TB_OK ? guard.status() : check(call(), what);
}

tb_status properties(int32_t device, tb_cuda_properties* out) {
  *out = {};
  cudaDeviceProp found;
  int driver = 0, runtime = 0;
  if (const tb_status status = check(cudaGetDeviceProperties(&found, device), "cudaGetDeviceProperties");
      status != TB_OK) {
    return status;
  }
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  memcpy(out->name, found.name, sizeof out->name);
  out->memory_bytes = found.totalGlobalMem;
  out->major = found.major;
  out->minor = found.minor;
  out->multiprocessors = found.multiProcessorCount;
  out->l2_bytes = found.l2CacheSize;
  out->shared_bytes = int32_t(found.sharedMemPerBlockOptin);
  out->driver_version = driver;
  out->runtime_version = runtime;
  return TB_OK;
}

tb_status make_stream(int32_t device, int32_t high_priority, void** stream) {
  *stream = nullptr;
  cudaStream_t made = nullptr;
  const tb_status status = at_device(device, "making a stream", [&] {
    // Lower numbers are higher priorities; the runtime clamps to the range of the device.
    return cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, high_priority != 0 ? -1 : 0);
  });
  *stream = made;
  return status;
}
void* current(int32_t device) { return current_stream(device); }
void set_current(int32_t device, void* stream) { set_current_stream(device, stream_of(stream)); }
tb_status synchronize_stream(int32_t device, void* stream) {
  return at_device(device, "waiting for a stream", [&] { return cudaStreamSynchronize(stream_of(stream)); });
}
tb_status done_or_not(cudaError_t found, const char* what, int32_t* done) {
  *done = found == cudaSuccess;
  return found == cudaErrorNotReady ? TB_OK : check(found, what);
}
tb_status stream_is_done(int32_t device, void* stream, int32_t* done) {
  const device_guard guard(device);
  return done_or_not(cudaStreamQuery(stream_of(stream)), "querying a stream", done);
}
tb_status device_of_stream(void* stream, int32_t* device) {
  int found = -1;
  const tb_status status = check(cudaStreamGetDevice(stream_of(stream), &found), "querying the device of a stream");
  *device = found;
  return status;
}

tb_status make_event(int32_t device, int32_t timing, void** event) {
  *event = nullptr;
  cudaEvent_t made = nullptr;
  const tb_status status = at_device(device, "making an event", [&] {
    return cudaEventCreateWithFlags(&made, timing != 0 ? cudaEventDefault : cudaEventDisableTiming);
  });
  *event = made;
  return status;
}
void drop_event(int32_t device, void* event) {
  const device_guard guard(device);
  cudaEventDestroy(event_of(event));
}
tb_status record_event(int32_t device, void* event, void* stream) {
  return at_device(device, "recording an event", [&] { return cudaEventRecord(event_of(event), stream_of(stream)); });
}
tb_status stream_waits_for(int32_t device, void* stream, void* event) {
  return at_device(device, "making a stream wait",
                   [&] { return cudaStreamWaitEvent(stream_of(stream), event_of(event), 0); });
}
tb_status synchronize_event(int32_t device, void* event) {
  return at_device(device, "waiting for an event", [&] { return cudaEventSynchronize(event_of(event)); });
}
tb_status event_is_done(int32_t device, void* event, int32_t* done) {
  const device_guard guard(device);
  return done_or_not(cudaEventQuery(event_of(event)), "querying an event", done);
}
tb_status milliseconds_between(void* from, void* to, float* milliseconds) {
  return check(cudaEventElapsedTime(milliseconds, event_of(from), event_of(to)), "the time between two events");
}

tb_status used_by(int32_t device, const void* address, void* stream) {
  return record_stream(device, address, stream_of(stream));
}
tb_status allocate_pinned(uint64_t bytes, void** out) {
  return check(cudaHostAlloc(out, bytes == 0 ? 1 : bytes, cudaHostAllocPortable), "pinned memory of the host");
}
void release_pinned(void* pinned) { cudaFreeHost(pinned); }
tb_status copy_in(int32_t device, void* to, const void* from_host, uint64_t bytes, void* stream) {
  return at_device(device, "copying from the host",
                   [&] { return cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, stream_of(stream)); });
}
tb_status copy_out(int32_t device, void* to_host, const void* from, uint64_t bytes, void* stream) {
  return at_device(device, "copying to the host",
                   [&] { return cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)); });
}
// Ordered by the current streams of both devices.
tb_status copy_across(int32_t to_device, void* to, int32_t from_device, const void* from, uint64_t bytes) {
  const auto join = [](int32_t waiting, int32_t other) {
    cudaEvent_t event = nullptr;
    tb_status status;
    {
      const device_guard guard(other);
      status = check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
      if (status == TB_OK) status = check(cudaEventRecord(event, current_stream(other)), "recording an event");
    }
    const device_guard guard(waiting);
    if (status == TB_OK) {
      status = check(cudaStreamWaitEvent(current_stream(waiting), event, 0), "making a stream wait");
    }
    if (event != nullptr) cudaEventDestroy(event);
    return status;
  };
  if (const tb_status status = join(to_device, from_device); status != TB_OK) return status;
  if (const tb_status status = at_device(
          to_device, "copying from device to device",
          [&] { return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, current_stream(to_device)); });
      status != TB_OK) {
    return status;
  }
  return join(from_device, to_device);
}

int32_t stream_is_captured(int32_t device, void* stream) {
  const device_guard guard(device);
  return is_captured(stream_of(stream));
}

// An instantiated graph and the memory it uses.
struct graph {
  block_cache* memory = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaEvent_t last = nullptr;  // after the last launch
  std::mutex lock;             // serializes launches: each sets Philox states that the next overwrites
};

__global__ void set_philox_state(tb_philox_state to) {
  to.address[0] = to.seed;
  to.address[1] = to.offset;
}

cudaError_t set_philox_states(const tb_philox_state* states, int32_t count, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 1;
  config.stream = stream;
  cudaError_t error = cudaSuccess;
  for (int32_t i = 0; error == cudaSuccess && i < count; ++i) {
    error = cudaLaunchKernelEx(&config, set_philox_state, states[i]);
  }
  return error;
}

tb_status begin_capture(int32_t device, void* stream, void** out) {
  *out = nullptr;
  if (stream == nullptr) {
    return refuse("the default stream cannot be captured, wanted a stream that was made");
  }
  const tb_status status = at_device(device, "starting a capture", [&] {
    return cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed);
  });
  if (status != TB_OK) return status;
  graph* const made = new graph;
  made->memory = begin_private(device, stream_of(stream));
  *out = made;
  return TB_OK;
}
tb_status end_capture(int32_t device, void* stream, void* given) {
  graph& g = *static_cast<graph*>(given);
  end_private(device, stream_of(stream));
  cudaGraph_t recorded = nullptr;
  tb_status status =
      at_device(device, "ending a capture", [&] { return cudaStreamEndCapture(stream_of(stream), &recorded); });
  if (status == TB_OK && recorded == nullptr) status = refuse("the capture is not valid");
  if (status == TB_OK) {
    status = at_device(device, "instantiating a graph", [&] { return cudaGraphInstantiate(&g.ready, recorded, 0); });
  }
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  return status;
}
tb_status launch_graph(int32_t device, void* given, const tb_philox_state* states, int32_t count, void* stream) {
  graph& g = *static_cast<graph*>(given);
  const std::lock_guard held(g.lock);
  return at_device(device, "launching a graph", [&] {
    cudaError_t error = cudaSuccess;
    if (g.last == nullptr) error = cudaEventCreateWithFlags(&g.last, cudaEventDisableTiming);
    if (error == cudaSuccess && count != 0) {
      error = cudaStreamWaitEvent(stream_of(stream), g.last, 0);
      if (error == cudaSuccess) error = set_philox_states(states, count, stream_of(stream));
    }
    if (error == cudaSuccess) error = cudaGraphLaunch(g.ready, stream_of(stream));
    return error == cudaSuccess ? cudaEventRecord(g.last, stream_of(stream)) : error;
  });
}
void drop_graph(int32_t device, void* given) {
  const std::unique_ptr<graph> g(static_cast<graph*>(given));
  const device_guard guard(device);
  // Waits for the event, not the device: another stream of the device may be capturing.
  if (g->last != nullptr) {
    cudaEventSynchronize(g->last);
    cudaEventDestroy(g->last);
  }
  if (g->ready != nullptr) cudaGraphExecDestroy(g->ready);
  drop_private(device, g->memory);
}

std::atomic<bool> deterministic_wanted{false};
void set_deterministic(int32_t on) { deterministic_wanted.store(on != 0, std::memory_order_relaxed); }
int32_t is_deterministic() { return deterministic(); }

const tb_cuda_runtime functions = {
    .size = sizeof(tb_cuda_runtime),
    .version = TB_ABI_VERSION,
    .properties = properties,
    .take_report = take_report,
    .make_stream = make_stream,
    .current_stream = current,
    .set_current_stream = set_current,
    .synchronize_stream = synchronize_stream,
    .stream_is_done = stream_is_done,
    .device_of_stream = device_of_stream,
    .make_event = make_event,
    .drop_event = drop_event,
    .record_event = record_event,
    .stream_waits_for = stream_waits_for,
    .synchronize_event = synchronize_event,
    .event_is_done = event_is_done,
    .milliseconds_between = milliseconds_between,
    .statistics = statistics,
    .release_cached = release_cached,
    .set_limit = set_limit,
    .record_stream = used_by,
    .allocate_pinned = allocate_pinned,
    .release_pinned = release_pinned,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_across = copy_across,
    .begin_capture = begin_capture,
    .end_capture = end_capture,
    .launch_graph = launch_graph,
    .drop_graph = drop_graph,
    .set_deterministic = set_deterministic,
    .is_deterministic = is_deterministic,
    .stream_is_captured = stream_is_captured,
};

}  // namespace

bool deterministic() { return deterministic_wanted.load(std::memory_order_relaxed); }

}  // namespace tb_cuda

__attribute__((visibility("default"))) const tb_cuda_runtime* tb_cuda_runtime_functions(void) {
  return &tb_cuda::functions;
}

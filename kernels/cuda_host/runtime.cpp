#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <vector>

struct cuda_host_graph {
  struct step {
    void (*work)(void*);
    void (*drop)(void*);
    void* argument;
  };
  std::vector<step> steps;
  int owners = 1;  // a graph and what is made of it share the steps
  ~cuda_host_graph() {
    for (const step& s : steps) s.drop(s.argument);
  }
};
struct cuda_host_stream {
  int device;
  cuda_host_graph* recording = nullptr;
};
struct cuda_host_event {
  std::chrono::steady_clock::time_point at;
};

namespace cuda_host {
namespace {

constexpr int devices = 2;
constexpr size_t device_bytes = size_t(1) << 30;
constexpr size_t page = 4096;

// The memory of all devices, next to each other, which is closed to the host while no device works. Opening and closing
// it is most of what a small launch costs; with TOPBIT_CUDA_HOST_OPEN=1 it stays open, for tests whose host is not in
// doubt.
struct machine {
  std::recursive_mutex lock;
  unsigned char* memory;
  const bool stays_open = getenv("TOPBIT_CUDA_HOST_OPEN") != nullptr;
  int working = 0;
  struct heap {
    std::map<size_t, size_t> free;  // from, bytes
    std::map<size_t, size_t> used;
    size_t in_use = 0;
  } heaps[devices];
  std::set<void*> pinned;

  machine() {
    memory = static_cast<unsigned char*>(mmap(nullptr, devices * device_bytes,
                                              stays_open ? PROT_READ | PROT_WRITE : PROT_NONE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory == MAP_FAILED) abort();
    for (heap& h : heaps) h.free[0] = device_bytes;
  }
};

machine& the_machine() {
  static machine* const one = new machine;
  return *one;
}

thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
  return error;
}

int device_of(const void* p) {
  const auto* at = static_cast<const unsigned char*>(p);
  machine& m = the_machine();
  if (at < m.memory || at >= m.memory + devices * device_bytes) return -1;
  return int(size_t(at - m.memory) / device_bytes);
}

}  // namespace

device_access::device_access() {
  machine& m = the_machine();
  m.lock.lock();
  if (m.working++ == 0 && !m.stays_open) mprotect(m.memory, devices * device_bytes, PROT_READ | PROT_WRITE);
}

device_access::~device_access() {
  machine& m = the_machine();
  if (--m.working == 0 && !m.stays_open) mprotect(m.memory, devices * device_bytes, PROT_NONE);
  m.lock.unlock();
}

cudaError_t submit(cudaStream_t stream, void (*work)(void*), void (*drop)(void*), void* argument) {
  if (stream != nullptr && stream->recording != nullptr) {
    stream->recording->steps.push_back({work, drop, argument});
    return cudaSuccess;
  }
  {
    const device_access open;
    work(argument);
  }
  drop(argument);
  return cudaSuccess;
}

bool launchable(const cudaLaunchConfig_t& config) {
  const dim3 g = config.gridDim, b = config.blockDim;
  const bool good = g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 0x7fffffff && g.y <= 65535 && g.z <= 65535 && b.x > 0 &&
                    b.y > 0 && b.z > 0 && uint64_t(b.x) * b.y * b.z <= 1024 && config.dynamicSmemBytes <= 227 << 10;
  if (!good) last = cudaErrorInvalidValue;
  return good;
}

}  // namespace cuda_host

using namespace cuda_host;

const char* cudaGetErrorString(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    default: return "an error of the emulated runtime";
  }
}
const char* cudaGetErrorName(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorStreamCaptureUnsupported: return "cudaErrorStreamCaptureUnsupported";
    default: return "cudaErrorUnknown";
  }
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last; }
cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = devices, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = current, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return result(cudaErrorInvalidDevice);
  current = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device < 0 || device >= devices) return result(cudaErrorInvalidDevice);
  *p = {};
  strcpy(p->name, "emulated on the host");
  p->totalGlobalMem = device_bytes;
  p->sharedMemPerBlock = 48 << 10;
  p->sharedMemPerBlockOptin = 227 << 10;
  p->major = 9;
  p->multiProcessorCount = 4;
  p->l2CacheSize = 1 << 20;
  p->maxThreadsPerBlock = 1024;
  p->warpSize = 32;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  switch (which) {
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
  }
  return error;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard held(the_machine().lock);
  *total = device_bytes;
  *free = device_bytes - the_machine().heaps[current].in_use;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** p, size_t bytes) {
  *p = nullptr;
  if (bytes == 0) return cudaSuccess;
  machine& m = the_machine();
  const std::lock_guard held(m.lock);
  auto& heap = m.heaps[current];
  const size_t wanted = (bytes + page - 1) / page * page;
  for (auto it = heap.free.begin(); it != heap.free.end(); ++it) {
    const auto [from, size] = *it;
    if (size < wanted) continue;
    heap.free.erase(it);
    if (size > wanted) heap.free[from + wanted] = size - wanted;
    heap.used[from] = wanted;
    heap.in_use += wanted;
    *p = m.memory + size_t(current) * device_bytes + from;
    // Nobody may rely on fresh memory.
    const device_access open;
    memset(*p, 0xA5, wanted < size_t(1) << 20 ? wanted : size_t(1) << 20);
    return cudaSuccess;
  }
  return result(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* p) {
  if (p == nullptr) return cudaSuccess;
  machine& m = the_machine();
  const std::lock_guard held(m.lock);
  const int device = device_of(p);
  if (device < 0) return result(cudaErrorInvalidValue);
  auto& heap = m.heaps[device];
  const auto found = heap.used.find(size_t(static_cast<unsigned char*>(p) - m.memory) - size_t(device) * device_bytes);
  if (found == heap.used.end()) return result(cudaErrorInvalidValue);
  auto [from, size] = *found;
  heap.used.erase(found);
  heap.in_use -= size;
  auto after = heap.free.find(from + size);
  if (after != heap.free.end()) {
    size += after->second;
    heap.free.erase(after);
  }
  auto before = heap.free.lower_bound(from);
  if (before != heap.free.begin() && (--before)->first + before->second == from) {
    before->second += size;
  } else {
    heap.free[from] = size;
  }
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) {
  *p = aligned_alloc(page, (bytes + page) / page * page);
  const std::lock_guard held(the_machine().lock);
  the_machine().pinned.insert(*p);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
  {
    const std::lock_guard held(the_machine().lock);
    if (the_machine().pinned.erase(p) == 0) return result(cudaErrorInvalidValue);
  }
  free(p);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) { return *device = host, cudaSuccess; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void* p) {
  const int device = device_of(p);
  *found = {device < 0 ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice, device, const_cast<void*>(p), nullptr};
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  const device_access open;
  memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  return submit(stream, [=] { memmove(to, from, bytes); });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return submit(stream, [=] { memset(to, value, bytes); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = new cuda_host_stream{current};
  return cudaSuccess;
}
// What waits for a stream that records is an error, as on a device.
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream != nullptr && stream->recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status =
      stream != nullptr && stream->recording != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  stream->recording = new cuda_host_graph;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = stream == nullptr ? nullptr : std::exchange(stream->recording, nullptr);
  return *graph != nullptr ? cudaSuccess : result(cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  ++graph->owners;
  *made = graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  const device_access open;
  for (const auto& step : graph->steps) step.work(step.argument);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (--graph->owners == 0) delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return cudaGraphDestroy(graph); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new cuda_host_event{};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->at = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
  return cudaSuccess;
}

// Emulated devices, their memory, and pinned host memory. streams.cpp has stream-ordered work.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <iterator>
#include <map>

#include "streams.h"

namespace cuda_emulation {
namespace {

constexpr size_t device_bytes = size_t(1) << 30;
constexpr size_t page = 4096;
constexpr size_t most_shared = 227 << 10;

// The memory of all devices is one mapping, which is inaccessible to the host while no device works, so that host
// accesses fault. Changing the protection is most of the cost of a small launch; with TOPBIT_CUDA_HOST_OPEN=1 the
// mapping stays accessible, for tests that do not check host accesses.
struct machine {
  std::recursive_mutex lock;
  unsigned char* memory;
  const bool stays_open = getenv("TOPBIT_CUDA_HOST_OPEN") != nullptr;
  int working = 0;
  struct heap {
    std::map<size_t, size_t> free;  // offset, bytes
    std::map<size_t, size_t> used;
    size_t in_use = 0;
  } heaps[devices];
  std::map<const void*, size_t> pinned;
  std::map<const void*, size_t> shared_of;  // dynamic shared memory allowed beyond 48 KiB, by kernel

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

std::recursive_mutex& machine_lock() { return the_machine().lock; }

int current_device() { return current; }

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
  return error;
}

bool is_pageable(const void* p) {
  machine& m = the_machine();
  const std::lock_guard held(m.lock);
  if (device_of(p) >= 0) return false;
  const auto after = m.pinned.upper_bound(p);
  if (after == m.pinned.begin()) return true;
  const auto [from, bytes] = *std::prev(after);
  return static_cast<const char*>(p) >= static_cast<const char*>(from) + bytes;
}

cudaError_t allow_dynamic_shared(const void* kernel, int bytes) {
  if (bytes < 0 || size_t(bytes) > most_shared) return result(cudaErrorInvalidValue);
  machine& m = the_machine();
  const std::lock_guard held(m.lock);
  m.shared_of[kernel] = size_t(bytes);
  return cudaSuccess;
}

bool launchable(const cudaLaunchConfig_t& config, const void* kernel) {
  const dim3 g = config.gridDim, b = config.blockDim;
  machine& m = the_machine();
  const std::lock_guard held(m.lock);
  const auto allowed = m.shared_of.find(kernel);
  const size_t most = allowed == m.shared_of.end() ? size_t(48) << 10 : allowed->second;
  const bool good = g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 0x7fffffff && g.y <= 65535 && g.z <= 65535 && b.x > 0 &&
                    b.y > 0 && b.z > 0 && uint64_t(b.x) * b.y * b.z <= 1024 && config.dynamicSmemBytes <= most;
  if (!good) last = cudaErrorInvalidValue;
  return good;
}

}  // namespace cuda_emulation

using namespace cuda_emulation;

const char* cudaGetErrorString(cudaError_t e) {
  switch (e) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
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
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
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
  p->sharedMemPerBlockOptin = most_shared;
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
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard held(the_machine().lock);
  *total = device_bytes;
  *free = device_bytes - the_machine().heaps[current].in_use;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** p, size_t bytes) {
  *p = nullptr;
  if (is_lost(current)) return result(cudaErrorIllegalAddress);
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
    // Poisons new memory, up to 1 MiB of it.
    const device_access open;
    memset(*p, 0xA5, wanted < size_t(1) << 20 ? wanted : size_t(1) << 20);
    return cudaSuccess;
  }
  return result(cudaErrorMemoryAllocation);
}
// Synchronizes with all devices, as the real cudaFree may.
cudaError_t cudaFree(void* p) {
  if (p == nullptr) return cudaSuccess;
  finish_all();
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
  the_machine().pinned[*p] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
  finish_all();
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

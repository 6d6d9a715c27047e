// The OpenCL side of the backend: devices, queues, memory and kernels. It knows nothing of topbit.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace ocl {

// An OpenCL call that failed, as a sentence.
struct error : std::runtime_error {
  cl_int status;
  error(cl_int s, const std::string& what) : std::runtime_error(what), status(s) {}
};
// "CL_OUT_OF_RESOURCES"
std::string name_of(cl_int status);
// Throws an error that names the call, unless it succeeded.
void check(cl_int status, const char* call);

// Addresses that topbit sees have a bit set that no address of the host has. So on a device that shares the host's
// memory, as PoCL's does, an access from the host crashes as it would with a card.
template <class T>
T* flipped(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) ^ (std::uintptr_t{1} << 62));
}

// A kernel is given its arguments and started under its mutex, since its arguments are a state.
struct kernel {
  cl_kernel handle;
  std::mutex mutex;
};

// Memory of a device, cached. A released block is used again by the queue for which it was allocated, behind the work
// that this queue was given before, so no one waits.
class pool {
 public:
  pool(cl_context c, cl_ulong largest) : context_(c), largest_(largest) {}
  // A device address. Throws an error of status CL_MEM_OBJECT_ALLOCATION_FAILURE.
  void* allocate(cl_command_queue q, std::size_t bytes);
  void release(void* p) noexcept;
  // The block at this address is not reused before what this queue has to do is done.
  void used_by(void* p, cl_command_queue q);
  // Frees what is cached, once all queues have finished.
  void trim();

 private:
  struct block {
    std::size_t bytes;
    cl_command_queue owner;
    std::vector<cl_command_queue> users;
  };
  void trim_locked();

  cl_context context_;
  cl_ulong largest_;
  std::mutex mutex_;
  std::unordered_map<void*, block> used_;
  std::map<std::pair<cl_command_queue, std::size_t>, std::vector<void*>> free_;
  std::size_t in_use_ = 0, cached_ = 0;  // bytes
};

struct device {
  device(cl_device_id i, cl_context c, std::string names, bool is_cpu, cl_ulong largest)
      : id(i), context(c), identity(std::move(names)), shares_cores(is_cpu), memory(c, largest) {}

  cl_device_id id;
  cl_context context;
  std::string identity;  // of device and driver: programs built for one are of no use to another
  bool shares_cores;     // a CPU: its work items run one after the other
  pool memory;
  cl_command_queue queue = nullptr;      // the default one
  std::mutex mutex;                      // of the next two
  std::vector<cl_command_queue> queues;  // all of them
  std::unordered_map<std::uint64_t, std::unique_ptr<kernel>> kernels;
};

// All devices with shared virtual memory and doubles, of all platforms. They are made on first use and stay.
const std::vector<std::unique_ptr<device>>& devices();
// Why there are none, as a sentence.
std::string why_none();

// The queue of a call: a stream of topbit's is a queue, and null is the device's default one.
cl_command_queue queue_of(device& d, void* stream);
cl_command_queue make_queue(device& d);
// Waits for all queues.
void finish(device& d);

// The kernel of this name in the program that source() returns, by key; built on first use, or read from the cache in
// the user's cache directory. The key must differ for different sources.
kernel& kernel_of(device& d, std::uint64_t key, const char* name, std::string (*source)(const void*), const void* of);

// Starts a kernel whose first argument is a struct of numbers and whose others are device addresses.
void start(kernel& k, cl_command_queue q, const void* numbers, std::size_t bytes,
           const std::array<const void*, 4>& addresses, std::array<std::size_t, 2> global,
           std::array<std::size_t, 2> local);

}  // namespace ocl

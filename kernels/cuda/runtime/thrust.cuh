// Runs Thrust algorithms in a call: in the call's stream, with temporary storage from `temporary`, without waiting
// unless they return a value. In the emulation they run on the host, as work of the stream.
#pragma once

#ifndef __CUDACC__
#  include "no_toolkit.h"
#endif

#include <stddef.h>
#include <thrust/execution_policy.h>
#include <thrust/system_error.h>

#include <new>
#ifdef __CUDACC__
#  include <thrust/system/cuda/execution_policy.h>
#else
#  include <thrust/system/cpp/execution_policy.h>
#endif

#include "runtime/launch.cuh"

namespace tb_cuda {

namespace thrust = THRUST_NS_QUALIFIER;

#ifdef __CUDACC__

// Allocator of Thrust's temporary storage; an algorithm makes few allocations.
class call_memory {
 public:
  using value_type = char;

  explicit call_memory(const scope& on) : on_(on) {}
  call_memory(const call_memory&) = delete;
  call_memory& operator=(const call_memory&) = delete;
  ~call_memory() {
    while (first_ != nullptr) deallocate(first_->memory.as<char>(), 0);
  }

  char* allocate(ptrdiff_t bytes) {
    piece* const made = new piece{{on_, static_cast<uint64_t>(bytes)}, first_};
    if (made->memory.status() != TB_OK) {
      failed_ = made->memory.status();
      delete made;
      throw std::bad_alloc();
    }
    first_ = made;
    return made->memory.as<char>();
  }
  void deallocate(char* data, size_t) {
    for (piece** at = &first_; *at != nullptr; at = &(*at)->next) {
      if ((*at)->memory.data() != data) continue;
      piece* const found = *at;
      *at = found->next;
      delete found;
      return;
    }
  }

  // The status of the last failed allocation, whose error text is set; TB_OK if none failed.
  tb_status failed() const { return failed_; }

 private:
  struct piece {
    temporary memory;
    piece* next;
  };
  const scope& on_;
  piece* first_ = nullptr;
  tb_status failed_ = TB_OK;
};

// Calls work(execution policy).
template <typename Work>
tb_status run_thrust(const scope& on, const char* what, Work work) {
  call_memory memory(on);
  try {
    work(thrust::cuda::par_nosync(memory).on(on.stream()));
    return check(cudaPeekAtLastError(), what);
  } catch (const thrust::system_error& error) {
    return fail(static_cast<cudaError_t>(error.code().value()), what);
  } catch (const std::bad_alloc&) {
    return memory.failed() != TB_OK ? memory.failed() : fail(cudaErrorMemoryAllocation, what);
  }
}

#else

template <typename Work>
tb_status run_thrust(const scope& on, const char* what, Work work) {
  return check(cuda_emulation::submit(on.stream(), [work] { work(thrust::cpp::par); }), what);
}

#endif

}  // namespace tb_cuda

// Error reports of kernels: an index out of range, an integer division by zero.
//
// Reports are asynchronous. The first thread that finds an error writes it to mapped host memory; the next call that
// waits for the device, or that takes reports, returns the error with the name of the operator that launched the
// kernel. The kernel skips the element and accesses nothing outside its operands.
#pragma once

#include "cuda_abi.h"
#include "runtime/launch.cuh"

namespace tb_cuda {

struct error_record {
  uint64_t ticket;  // of the launch; 0: no report
  uint64_t taken;   // the last ticket whose report was taken; later ones may report
  int64_t value;
  int32_t status;
  int32_t which;
};

struct reporter {
  unsigned long long* first;  // in device memory: the ticket of the last report
  volatile error_record* host;
  uint64_t ticket;

  __device__ void operator()(tb_status status, int64_t value, int32_t which = 0) const {
    if (first == nullptr) return;
    const unsigned long long before = *static_cast<volatile unsigned long long*>(first);
    if (before > host->taken || atomicCAS(first, before, static_cast<unsigned long long>(ticket)) != before) return;
    host->value = value;
    host->status = status;
    host->which = which;
    __threadfence_system();
    host->ticket = ticket;
  }

  // A nonnegative index, or -1 if out of range, which is reported.
  __device__ int64_t index(int64_t given, int64_t length, bool wraps = false, int32_t which = 0) const {
    const int64_t at = wraps && given < 0 ? given + length : given;
    if (at >= 0 && at < length) return at;
    (*this)(TB_BAD_INDEX, given, which);
    return -1;
  }
};

// A reporter for the kernel that the caller launches next, attributed to the operator being called.
reporter report_for(const scope& on);
// Returns the report since the last call, and clears it.
void take_report(int device, tb_cuda_report* report);

}  // namespace tb_cuda

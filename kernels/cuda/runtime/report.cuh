// What a kernel finds wrong with elements: an index out of range, a division of integers by zero.
//
// The host does not wait for a kernel, so it is told later: the first thread to find something writes it into memory of
// the host, and the next call that waits for the device, or the next that reports, gets the error, with the name of the
// operator that launched the kernel. A kernel goes on without the element: it reads and writes nothing outside its
// operands.
#pragma once

#include "cuda_abi.h"
#include "runtime/launch.cuh"

namespace tb_cuda {

struct told {
  uint64_t ticket;  // of the launch; 0: nothing was told
  uint64_t taken;   // the last ticket that was told and taken: what comes after it may be told
  int64_t value;
  int32_t status;
  int32_t which;
};

struct reporter {
  unsigned long long* first;  // of the device: who told last
  volatile told* host;
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

  // An index made positive, or -1 where it is out of range, which is reported.
  __device__ int64_t index(int64_t given, int64_t length, bool wraps = false, int32_t which = 0) const {
    const int64_t at = wraps && given < 0 ? given + length : given;
    if (at >= 0 && at < length) return at;
    (*this)(TB_BAD_INDEX, given, which);
    return -1;
  }
};

// For a kernel of this call. The caller launches it next; what it reports is said of the operator that is being called.
reporter report_for(const scope& on);
// What was reported since the last time, which is forgotten then.
void take_report(int device, tb_cuda_report* report);

}  // namespace tb_cuda

module;

#include "kernel_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

void check(device d, tb_status status, std::string_view doing) {
  if (status == TB_OK) return;
  throw device_error(std::string(doing) + " on " + to_string(d) + ": " + tb_cuda_memory()->last_error());
}

void* allocate(device d, std::size_t bytes) {
  void* p = nullptr;
  check(d, tb_cuda_memory()->allocate(d.index, bytes, &p), "allocating " + std::to_string(bytes) + " bytes");
  return p;
}

// Nothing can be done about memory that cannot be given back, and a destructor asks.
void release(device d, void* p) noexcept { tb_cuda_memory()->release(d.index, p); }

void copy_in(device d, void* to, const void* from, std::size_t bytes) {
  check(d, tb_cuda_memory()->copy_in(d.index, to, from, bytes), "copying from the host");
}
void copy_out(device d, void* to, const void* from, std::size_t bytes) {
  check(d, tb_cuda_memory()->copy_out(d.index, to, from, bytes), "copying to the host");
}

constexpr memory_hook cuda_memory{allocate, release, copy_in, copy_out};

}  // namespace

int cuda_device_count() noexcept { return tb_cuda_memory()->device_count(); }

std::string why_no_cuda() {
  if (cuda_available()) return {};
  return std::string("no CUDA device: ") + tb_cuda_memory()->last_error();
}

void synchronize(device d) { check(d, tb_cuda_memory()->synchronize(d.index), "waiting for work"); }

bool detail::register_cuda() {
  set_memory_hook(backend::CUDA, cuda_memory);
  author::register_strided_backend(*tb_cuda_kernels(), key::CUDA);
  return true;
}

}  // namespace topbit

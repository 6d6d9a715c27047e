module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit {

namespace {

const tb_memory& memory() { return *tb_cuda_memory(); }
const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

void* allocate(device d, std::size_t bytes) {
  void* p = nullptr;
  detail::check_cuda(d, memory().allocate(d.index, bytes, &p), "allocating " + std::to_string(bytes) + " bytes");
  return p;
}

// Called by destructors; a failure cannot be handled.
void release(device d, void* p) noexcept { memory().release(d.index, p); }

void copy_in(device d, void* to, const void* from, std::size_t bytes) {
  detail::check_cuda(d, memory().copy_in(d.index, to, from, bytes), "copying from the host");
}
void copy_out(device d, void* to, const void* from, std::size_t bytes) {
  detail::check_cuda(d, memory().copy_out(d.index, to, from, bytes), "copying to the host");
  detail::check_reports(d);
}
void copy_across(device to, void* to_data, device from, const void* from_data, std::size_t bytes) {
  detail::check_cuda(to, runtime().copy_across(to.index, to_data, from.index, from_data, bytes),
                     "copying from " + to_string(from));
}
void start_copy_in(device d, void* to, const void* from, std::size_t bytes) {
  detail::check_cuda(d, runtime().copy_in(d.index, to, from, bytes, runtime().current_stream(d.index)),
                     "copying from the host");
}
void start_copy_out(device d, void* to, const void* from, std::size_t bytes) {
  detail::check_cuda(d, runtime().copy_out(d.index, to, from, bytes, runtime().current_stream(d.index)),
                     "copying to the host");
}

constexpr memory_hook cuda_memory_hook{allocate,    release,       copy_in,       copy_out,
                                       copy_across, start_copy_in, start_copy_out};

}  // namespace

int cuda_device_count() noexcept { return memory().device_count(); }

std::string cuda_unavailable_reason() {
  if (cuda_available()) return {};
  return std::string("no CUDA device: ") + memory().last_error();
}

void detail::check_cuda_device(device d) {
  if (d.type != backend::CUDA) throw device_error("found " + to_string(d) + ", wanted a CUDA device");
  author::check_device(d);
}

cuda_properties properties_of(device d) {
  detail::check_cuda_device(d);
  tb_cuda_properties p;
  detail::check_cuda(d, runtime().properties(d.index, &p), "reading properties");
  return {p.name,     p.memory_bytes, p.major,          p.minor,          p.multiprocessors,
          p.l2_bytes, p.shared_bytes, p.driver_version, p.runtime_version};
}

void set_deterministic(bool on) noexcept { runtime().set_deterministic(on); }
bool is_deterministic() noexcept { return runtime().is_deterministic() != 0; }

void detail::check_cuda(device d, int status, std::string_view doing) {
  if (status == TB_OK) return;
  // An invalid index makes the CUDA runtime fail with a message of its own; report the index instead.
  const int count = cuda_device_count();
  if (status != TB_OUT_OF_MEMORY && (d.index < 0 || d.index >= count) && count > 0) check_cuda_device(d);
  const std::string text = std::string(doing) + " on " + to_string(d) + ": " + memory().last_error();
  if (status == TB_OUT_OF_MEMORY) throw out_of_device_memory(text + author::memory_notes(d));
  throw device_error(text);
}

void detail::check_reports(device d) {
  tb_cuda_report report;
  runtime().take_report(d.index, &report);
  if (report.status == TB_OK) return;
  const std::string name = report.operator_name;
  const std::string begin = name + " on " + to_string(d) + ": ";
  const std::string end =
      "; reported now, since kernels run asynchronously (TOPBIT_CUDA_BLOCKING=1 reports at the call)";
  switch (report.status) {
    case TB_BAD_INDEX:
      throw shape_error(begin + "found index " + std::to_string(report.value) + ", which is out of range" + end, name);
    case TB_DIVISION_BY_ZERO: throw error(begin + "found a divisor of 0 for integers" + end, name);
    default: throw error(begin + "an element is invalid" + end, name);
  }
}

bool detail::register_cuda() {
  set_cuda_device_hook();
  set_memory_hook(backend::CUDA, cuda_memory_hook);
  author::register_strided_backend(*tb_cuda_kernels(), key::CUDA);
  return true;
}

}  // namespace topbit

module;

#include "cuda_abi.h"

module topbit.cuda;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace {

const tb_memory& memory() { return *tb_cuda_memory(); }
const tb_cuda_runtime& runtime() { return *tb_cuda_runtime_functions(); }

// Kernels that have run may have left a report.
void check_wait(device d, int status, std::string_view doing) {
  detail::check_cuda(d, status, doing);
  detail::check_reports(d);
}

// The runtime asks the driver each time.
int count() {
  static const int devices = cuda_device_count();
  return devices;
}

void wait_for_all(device d) { check_wait(d, memory().synchronize(d.index), "waiting for work"); }

void* make_stream(device d, bool high_priority) {
  void* made = nullptr;
  detail::check_cuda(d, runtime().make_stream(d.index, high_priority, &made), "making a stream");
  return made;
}

void destroy_event(device d, void* event) noexcept { runtime().drop_event(d.index, event); }

void* record(device d, void* stream, bool timing) {
  void* event = nullptr;
  detail::check_cuda(d, runtime().make_event(d.index, timing, &event), "making an event");
  try {
    detail::check_cuda(d, runtime().record_event(d.index, event, stream), "recording an event");
  } catch (...) {
    destroy_event(d, event);
    throw;
  }
  return event;
}

void wait(device d, void* stream, void* event) {
  detail::check_cuda(d, runtime().stream_waits_for(d.index, stream, event), "making a stream wait");
}

bool done(device d, void* event) {
  std::int32_t done = 0;
  detail::check_cuda(d, runtime().event_is_done(d.index, event, &done), "querying an event");
  return done != 0;
}

void synchronize_event(device d, void* event) {
  check_wait(d, runtime().synchronize_event(d.index, event), "waiting for an event");
}

bool stream_done(device d, void* stream) {
  std::int32_t done = 0;
  detail::check_cuda(d, runtime().stream_is_done(d.index, stream, &done), "querying a stream");
  return done != 0;
}

void synchronize_stream(device d, void* stream) {
  check_wait(d, runtime().synchronize_stream(d.index, stream), "waiting for a stream");
}

double milliseconds(device d, void* from, void* to) {
  float elapsed = 0;
  detail::check_cuda(d, runtime().milliseconds_between(from, to, &elapsed),
                     "the time between two events, which want timing=true and to be done,");
  return elapsed;
}

void record_stream(device d, void* data, void* stream) {
  detail::check_cuda(d, runtime().record_stream(d.index, data, stream), "record_stream");
}

void set_current(device d, void* stream) noexcept { runtime().set_current_stream(d.index, stream); }

device device_of(void* stream) {
  std::int32_t found = 0;
  detail::check_cuda(cuda(), runtime().device_of_stream(stream, &found), "querying the device of a stream");
  return cuda(found);
}

void* allocate_pinned(device, std::size_t bytes) {
  void* p = nullptr;
  detail::check_cuda(cuda(), runtime().allocate_pinned(bytes, &p), "allocating " + std::to_string(bytes) + " bytes");
  return p;
}
void release_pinned(device, void* p) noexcept { runtime().release_pinned(p); }

device_memory_statistics statistics(device d) {
  tb_cuda_statistics s;
  runtime().statistics(d.index, &s);
  return {s.in_use,   s.peak_in_use,   s.reserved, s.peak_reserved,  s.allocations,    s.reused,
          s.segments, s.out_of_memory, s.limit,    s.free_on_device, s.total_on_device};
}

void release_cached(device d) { detail::check_cuda(d, runtime().release_cached(d.index), "releasing memory"); }

void set_limit(device d, std::uint64_t bytes) { runtime().set_limit(d.index, bytes); }

}  // namespace

void detail::set_cuda_device_hook() {
  set_device_hook(backend::CUDA, {.count = count,
                                  .why_none = cuda_unavailable_reason,
                                  .synchronize = wait_for_all,
                                  .streams = {.make = make_stream,
                                              .record = record,
                                              .destroy_event = destroy_event,
                                              .wait = wait,
                                              .done = done,
                                              .synchronize = synchronize_event,
                                              .stream_done = stream_done,
                                              .synchronize_stream = synchronize_stream,
                                              .milliseconds = milliseconds,
                                              .record_stream = record_stream,
                                              .set_current = set_current,
                                              .device_of = device_of},
                                  .allocate_pinned = allocate_pinned,
                                  .release_pinned = release_pinned,
                                  .statistics = statistics,
                                  .release_cached = release_cached,
                                  .set_memory_limit = set_limit});
}

}  // namespace topbit

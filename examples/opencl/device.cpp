// What topbit is told: memory, streams, the kernel table and the name. Linking this file suffices.
#include <string>

#include "kernels.h"

import topbit;
import topbit.backend;

namespace tb = topbit;

namespace {

ocl::device& at(tb::device d) { return *ocl::devices()[static_cast<std::size_t>(d.index)]; }
cl_command_queue queue(tb::device d, void* stream) { return ocl::queue_of(at(d), stream); }
cl_command_queue current(tb::device d) { return queue(d, tb::author::current_stream(d)); }

template <class Run>
auto reported(tb::device d, Run run) {
  try {
    return run();
  } catch (const ocl::error& e) {
    const std::string text = to_string(d) + ": " + e.what();
    if (e.status == CL_MEM_OBJECT_ALLOCATION_FAILURE) throw tb::out_of_device_memory(text);
    throw tb::device_error(text);
  }
}

void* allocate(tb::device d, std::size_t bytes) {
  return reported(d, [&] { return at(d).memory.allocate(current(d), bytes); });
}
void release(tb::device d, void* p) noexcept { at(d).memory.release(p); }
void move(tb::device d, void* to, const void* from, std::size_t bytes, cl_bool waits) {
  if (bytes == 0) return;
  reported(d, [&] {
    ocl::check(clEnqueueSVMMemcpy(current(d), waits, to, from, bytes, 0, nullptr, nullptr), "clEnqueueSVMMemcpy");
  });
}
void copy_in(tb::device d, void* to, const void* from, std::size_t bytes) {
  move(d, ocl::flipped(to), from, bytes, CL_TRUE);
}
void copy_out(tb::device d, void* to, const void* from, std::size_t bytes) {
  move(d, to, ocl::flipped(from), bytes, CL_TRUE);
}

// A stream is a queue, and an event is an event.
void* make_stream(tb::device d, bool) {
  return reported(d, [&] { return ocl::make_queue(at(d)); });
}
cl_event event_of(void* e) { return static_cast<cl_event>(e); }
void* record(tb::device d, void* stream, bool) {
  return reported(d, [&] {
    cl_event made = nullptr;
    ocl::check(clEnqueueMarkerWithWaitList(queue(d, stream), 0, nullptr, &made), "clEnqueueMarkerWithWaitList");
    // Another queue may wait for it without a word to this one.
    ocl::check(clFlush(queue(d, stream)), "clFlush");
    return made;
  });
}
void destroy_event(tb::device, void* e) noexcept { clReleaseEvent(event_of(e)); }
void wait(tb::device d, void* stream, void* e) {
  const cl_event event = event_of(e);
  reported(d, [&] {
    ocl::check(clEnqueueBarrierWithWaitList(queue(d, stream), 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
  });
}
bool done(tb::device d, void* e) {
  cl_int state = CL_QUEUED;
  reported(d, [&] {
    ocl::check(clGetEventInfo(event_of(e), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
               "clGetEventInfo");
  });
  return state == CL_COMPLETE;
}
void synchronize_event(tb::device d, void* e) {
  const cl_event event = event_of(e);
  reported(d, [&] { ocl::check(clWaitForEvents(1, &event), "clWaitForEvents"); });
}
double milliseconds(tb::device d, void* from, void* to) {
  cl_ulong time[2]{};
  reported(d, [&] {
    for (int i = 0; i < 2; ++i) {
      ocl::check(clGetEventProfilingInfo(event_of(i == 0 ? from : to), CL_PROFILING_COMMAND_END, sizeof time[i],
                                         &time[i], nullptr),
                 "clGetEventProfilingInfo");
    }
  });
  return static_cast<double>(time[1] - time[0]) * 1e-6;
}
void record_stream(tb::device d, void* data, void* stream) { at(d).memory.used_by(data, queue(d, stream)); }

int count() { return static_cast<int>(ocl::devices().size()); }
void synchronize(tb::device d) {
  reported(d, [&] { ocl::finish(at(d)); });
}
void release_cached(tb::device d) { at(d).memory.trim(); }

std::int32_t runs(std::int32_t entry, std::int32_t code) {
  if (entry == TB_ENTRY_ELEMENTWISE) return ocl::runs_elementwise(code);
  return entry == TB_ENTRY_REDUCE ? ocl::runs_reduction(code) : 1;
}

const tb_kernels kernels = [] {
  tb_kernels k{};
  k.size = sizeof k;
  k.version = TB_ABI_VERSION;
  k.name = "opencl";
  k.copy = ocl::copy;
  k.elementwise = ocl::elementwise;
  k.reduce = ocl::reduce;
  k.last_error = ocl::last_error;
  k.host_scalars = 1;
  k.runs = runs;
  return k;
}();

[[maybe_unused]] const tb::backend opencl =
    tb::author::register_backend("opencl", {.memory = {allocate, release, copy_in, copy_out},
                                            .device = {.count = count,
                                                       .why_none = ocl::why_none,
                                                       .synchronize = synchronize,
                                                       .streams = {.make = make_stream,
                                                                   .record = record,
                                                                   .destroy_event = destroy_event,
                                                                   .wait = wait,
                                                                   .done = done,
                                                                   .synchronize = synchronize_event,
                                                                   .milliseconds = milliseconds,
                                                                   .record_stream = record_stream},
                                                       .release_cached = release_cached},
                                            .kernels = &kernels});

}  // namespace

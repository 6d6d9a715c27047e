// Streams and graphs with the latest possible execution: work stays in its stream's queue until something waits for
// it, and then only the work needed for that runs. A missing wait, or reuse of memory that another stream still
// uses, thus gives wrong results in every run.
#include "streams.h"

#include <string.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace {

struct step {
  bool (*work)(void*);
  void (*drop)(void*);
  void* argument;

  step(bool (*work)(void*), void (*drop)(void*), void* argument) : work(work), drop(drop), argument(argument) {}
  step(step&& other) noexcept : work(other.work), drop(other.drop), argument(std::exchange(other.argument, nullptr)) {}
  step(const step&) = delete;
  ~step() {
    if (argument != nullptr) drop(argument);
  }
  bool run() const { return work(argument); }
};
using steps = std::vector<step>;

// One recording of an event.
struct mark {
  cuda_host_stream* in;
  bool done = false;
  std::chrono::steady_clock::time_point at{};
};

// Queued work of a stream.
struct piece {
  std::shared_ptr<mark> after;      // must complete first, if not null
  std::function<bool()> work = {};  // returns false if it touched invalid memory
};

}  // namespace

struct cuda_host_graph {
  std::shared_ptr<steps> recorded;
  std::shared_ptr<mark> last;  // after the last launch
};
struct cuda_host_stream {
  int device;
  std::unique_ptr<steps> recording;
  std::deque<piece> queue;
};
struct cuda_host_event {
  std::shared_ptr<mark> last;
};

namespace cuda_emulation {
namespace {

// With this many queued pieces, the host executes one before it adds another, as a device's launch queue would block.
constexpr size_t longest_queue = 1024;

// The streams of a device, the default stream first; they live as long as the process.
std::vector<cuda_host_stream*>& streams_of(int device) {
  static auto* const all = [] {
    auto* const made = new std::vector<cuda_host_stream*>[devices];
    for (int d = 0; d < devices; ++d) made[d].push_back(new cuda_host_stream{d, nullptr, {}});
    return made;
  }();
  return all[device];
}

// A null stream is the default stream of the current device.
cuda_host_stream& stream_of(cudaStream_t stream) {
  return stream != nullptr ? *stream : *streams_of(current_device()).front();
}

bool lost[devices];

void advance(cuda_host_stream& stream);

void finish(const mark& wanted) {
  while (!wanted.done && !lost[wanted.in->device]) advance(*wanted.in);
}

// Executes the next piece of work, after the work of other streams that it waits for.
void advance(cuda_host_stream& stream) {
  const device_access open;
  if (const auto& after = stream.queue.front().after) finish(*after);
  const std::function<bool()> work = std::move(stream.queue.front().work);
  stream.queue.pop_front();
  if (!work || lost[stream.device] || work()) return;
  lost[stream.device] = true;
}

void finish(cuda_host_stream& stream) {
  const device_access open;
  while (!stream.queue.empty()) advance(stream);
}

// The return value of calls that wait or start work.
cudaError_t state_of(const cuda_host_stream& stream) {
  return lost[stream.device] ? result(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t push(cuda_host_stream& stream, piece next) {
  if (stream.queue.size() >= longest_queue) advance(stream);
  stream.queue.push_back(std::move(next));
  return state_of(stream);
}

std::shared_ptr<mark> marked(cuda_host_stream& stream) {
  const auto made = std::make_shared<mark>(&stream);
  push(stream, {nullptr, [made] {
                  made->at = std::chrono::steady_clock::now();
                  return made->done = true;
                }});
  return made;
}

cudaError_t submit_step(cuda_host_stream& stream, step one) {
  if (stream.recording != nullptr) {
    stream.recording->push_back(std::move(one));
    return cudaSuccess;
  }
  return push(stream, {nullptr, [s = std::make_shared<step>(std::move(one))] { return s->run(); }});
}

}  // namespace

bool is_lost(int device) { return lost[device]; }

void finish_all() {
  const std::lock_guard held(machine_lock());
  for (int d = 0; d < devices; ++d) {
    for (cuda_host_stream* const s : streams_of(d)) finish(*s);
  }
}

cudaError_t submit(cudaStream_t stream, bool (*work)(void*), void (*drop)(void*), void* argument) {
  const std::lock_guard held(machine_lock());
  return submit_step(stream_of(stream), step(work, drop, argument));
}

}  // namespace cuda_emulation

using namespace cuda_emulation;

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard held(machine_lock());
  for (cuda_host_stream* const s : streams_of(current_device())) {
    if (s->recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
    finish(*s);
  }
  return is_lost(current_device()) ? result(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}
// A captured copy keeps host addresses. Else a pageable source is copied at once, and for a pageable target it waits.
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr) return submit(stream, [=] { memmove(to, from, bytes); });
  cudaError_t error = cudaSuccess;
  if (is_pageable(from)) {
    const auto* const first = static_cast<const unsigned char*>(from);
    error = submit(stream, [to, kept = std::vector<unsigned char>(first, first + bytes)] {
      memmove(to, kept.data(), kept.size());
    });
  } else {
    error = submit(stream, [=] { memmove(to, from, bytes); });
  }
  return is_pageable(to) ? cudaStreamSynchronize(stream) : error;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return submit(stream, [=] { memset(to, value, bytes); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  const std::lock_guard held(machine_lock());
  *stream = new cuda_host_stream{current_device(), nullptr, {}};
  streams_of(current_device()).push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return *device = stream_of(stream).device, cudaSuccess;
}
// Waiting for a capturing stream is an error, as on a device.
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  finish(s);
  return state_of(s);
}
// Each query executes one piece, so that polling terminates.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  if (s.queue.empty()) return state_of(s);
  advance(s);
  return cudaErrorNotReady;
}
// Ignored while capturing: recorded steps run in the order of the calls.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr || event->last == nullptr) return cudaSuccess;
  return push(s, {event->last});
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const std::lock_guard held(machine_lock());
  *status = stream_of(stream).recording != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  const std::lock_guard held(machine_lock());
  if (stream == nullptr || stream->recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  stream->recording = std::make_unique<steps>();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const std::lock_guard held(machine_lock());
  *graph = nullptr;
  if (stream == nullptr || stream->recording == nullptr) return result(cudaErrorStreamCaptureInvalidated);
  *graph = new cuda_host_graph{std::move(stream->recording), nullptr};
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = new cuda_host_graph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr) return result(cudaErrorStreamCaptureUnsupported);
  // Launches of one graph do not overlap.
  const cudaError_t error =
      push(s, {graph->last, [all = graph->recorded] {
                 return std::all_of(all->begin(), all->end(), [](const step& one) { return one.run(); });
               }});
  graph->last = marked(s);
  return error;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return delete graph, cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return delete graph, cudaSuccess; }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new cuda_host_event{};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard held(machine_lock());
  cuda_host_stream& s = stream_of(stream);
  if (s.recording != nullptr) return cudaSuccess;
  event->last = marked(s);
  return state_of(s);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard held(machine_lock());
  if (event->last == nullptr) return cudaSuccess;
  finish(*event->last);
  return state_of(*event->last->in);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard held(machine_lock());
  if (event->last == nullptr || event->last->done) return cudaSuccess;
  if (const cudaError_t error = state_of(*event->last->in); error != cudaSuccess) return error;
  advance(*event->last->in);
  return cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const std::lock_guard held(machine_lock());
  if (from->last == nullptr || to->last == nullptr) return result(cudaErrorInvalidValue);
  if (!from->last->done || !to->last->done) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(to->last->at - from->last->at).count();
  return cudaSuccess;
}

// The CUDA runtime functions that topbit.cuda uses besides kernels and memory: streams, events, graphs, memory
// statistics. Streams, events and graphs are opaque pointers. Functions that fail return a status;
// tb_memory::last_error of tb_cuda_memory() has the text.
#pragma once

#include "kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_cuda_properties {
  char name[256];
  uint64_t memory_bytes;
  int32_t major, minor;  // compute capability
  int32_t multiprocessors;
  int32_t l2_bytes;
  int32_t shared_bytes;                     // maximum shared memory per block
  int32_t driver_version, runtime_version;  // 13000 for 13.0
  int32_t reserved;
} tb_cuda_properties;

// Bytes of device memory: used by allocated blocks (in_use) and held by the caching allocator (reserved).
typedef struct tb_cuda_statistics {
  uint64_t in_use, peak_in_use, reserved, peak_reserved, limit;
  uint64_t allocations, reused, segments, out_of_memory;
  uint64_t free_on_device, total_on_device;
} tb_cuda_statistics;

// An asynchronous error report of a kernel.
typedef struct tb_cuda_report {
  int32_t status;  // TB_OK: no error
  int32_t which;
  int64_t value;
  char operator_name[64];
} tb_cuda_report;

// The Philox state of a graph's calls with one generator: the address that its kernels read (tb_random::philox_state),
// and its value.
typedef struct tb_philox_state {
  uint64_t* address;  // on the device: two words, seed and offset
  uint64_t seed, offset;
} tb_philox_state;

typedef struct tb_cuda_runtime {
  uint32_t size;
  uint32_t version;

  tb_status (*properties)(int32_t device, tb_cuda_properties*);
  // Returns and clears this device's error report; does not block.
  void (*take_report)(int32_t device, tb_cuda_report*);

  // Streams live as long as the process. Null is the device's default stream. The current stream is per thread and
  // device: calls without a stream use it.
  tb_status (*make_stream)(int32_t device, int32_t high_priority, void** stream);
  void* (*current_stream)(int32_t device);
  void (*set_current_stream)(int32_t device, void* stream);
  tb_status (*synchronize_stream)(int32_t device, void* stream);
  tb_status (*stream_is_done)(int32_t device, void* stream, int32_t* done);
  tb_status (*device_of_stream)(void* stream, int32_t* device);  // stream must not be null

  tb_status (*make_event)(int32_t device, int32_t timing, void** event);
  void (*drop_event)(int32_t device, void* event);
  tb_status (*record_event)(int32_t device, void* event, void* stream);
  tb_status (*stream_waits_for)(int32_t device, void* stream, void* event);
  tb_status (*synchronize_event)(int32_t device, void* event);
  tb_status (*event_is_done)(int32_t device, void* event, int32_t* done);
  tb_status (*milliseconds_between)(void* from, void* to, float* milliseconds);

  // Memory.
  void (*statistics)(int32_t device, tb_cuda_statistics*);
  tb_status (*release_cached)(int32_t device);
  void (*set_limit)(int32_t device, uint64_t bytes);  // of reserved device memory; 0: no limit
  // The block that contains this address is used by the stream too: it is not reused before the stream's work is done.
  tb_status (*record_stream)(int32_t device, const void* address, void* stream);
  tb_status (*allocate_pinned)(uint64_t bytes, void** out);
  void (*release_pinned)(void* pinned);
  // Stream-ordered: host memory must stay valid until the copy is done. If pinned, the call does not block.
  tb_status (*copy_in)(int32_t device, void* to, const void* from_host, uint64_t bytes, void* stream);
  tb_status (*copy_out)(int32_t device, void* to_host, const void* from, uint64_t bytes, void* stream);
  tb_status (*copy_across)(int32_t to_device, void* to, int32_t from_device, const void* from, uint64_t bytes);

  // Graphs. Between begin and end, this thread's calls in the stream are recorded, not executed; their allocations
  // belong to the graph until it is destroyed.
  tb_status (*begin_capture)(int32_t device, void* stream, void** graph);
  tb_status (*end_capture)(int32_t device, void* stream, void* graph);
  // Writes the states once earlier launches of the graph, in any stream, no longer read them, and launches the graph.
  tb_status (*launch_graph)(int32_t device, void* graph, const tb_philox_state* states, int32_t count, void* stream);
  void (*drop_graph)(int32_t device, void* graph);

  void (*set_deterministic)(int32_t on);
  int32_t (*is_deterministic)(void);

  // 1 if the stream is being captured.
  int32_t (*stream_is_captured)(int32_t device, void* stream);
} tb_cuda_runtime;

const tb_cuda_runtime* tb_cuda_runtime_functions(void);

#ifdef __cplusplus
}
#endif

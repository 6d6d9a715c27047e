// What a device can do besides holding tensors: how many there are, whether its work has to be waited for, streams,
// pinned host memory, and what its memory is used for. A backend says so in a hook; everything in it is optional.
export module topbit.tensor:device_hook;

import topbit.std;
import topbit.core;
import :device;
import :storage;

namespace topbit {

/// Memory of one device, in bytes. 0 where a device cannot tell.
export struct device_memory_statistics {
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0;      // by tensors
  std::uint64_t bytes_reserved = 0, peak_bytes_reserved = 0;  // in use, or cached for reuse
  std::uint64_t allocations = 0;                              // allocations so far
  std::uint64_t reused = 0;                                   // of these, how many were served from a cache
  std::uint64_t segments = 0;                                 // allocations from the device's driver
  std::uint64_t out_of_memory = 0;                            // failed allocations
  std::uint64_t limit = 0;                                    // of reserved bytes; 0: none
  std::uint64_t bytes_free_on_device = 0, bytes_on_device = 0;
};

/// Streams of a device: work in one stream is ordered, work in two streams may overlap. Streams and events are the
/// backend's pointers; a null stream is the device's default one. An event may be waited for by a stream of another
/// device of the type. Functions throw device_error, and may be called by several threads at once.
export struct stream_hook {
  // All of these, or none: then a device has its default stream alone.
  void* (*make)(device, bool high_priority) = nullptr;           // a stream that stays for the life of the process
  void* (*record)(device, void* stream, bool timing) = nullptr;  // a new event, not null: the stream's work up to now
  void (*destroy_event)(device, void* event) noexcept = nullptr;
  void (*wait)(device, void* stream, void* event) = nullptr;  // later work in the stream waits; the host does not
  bool (*done)(device, void* event) = nullptr;
  void (*synchronize)(device, void* event) = nullptr;  // the host waits
  // Optional. Of a stream itself: without these an event is recorded and waited for.
  bool (*stream_done)(device, void* stream) = nullptr;
  void (*synchronize_stream)(device, void* stream) = nullptr;
  double (*milliseconds)(device, void* from, void* to) = nullptr;  // between two events with timing
  // This block is not reused before the stream's work is done, nor before that of the stream which was current when it
  // was allocated. A backend without this has to order the reuse of memory behind all of its streams.
  void (*record_stream)(device, void* data, void* stream) = nullptr;
  void (*set_current)(device, void* stream) noexcept = nullptr;  // told of this thread's choice
  device (*device_of)(void* stream) = nullptr;                   // of a stream that was made elsewhere
  friend bool operator==(const stream_hook&, const stream_hook&) = default;
};

/// Functions of a device type besides its memory_hook. Each is optional. They throw device_error, and may be called by
/// several threads at once.
export struct device_hook {
  int (*count)() = nullptr;               // not negative; asked at each allocation; default: one device
  std::string (*why_none)() = nullptr;    // a sentence, for the error of a device where count() is 0
  void (*synchronize)(device) = nullptr;  // waits for all work; default: work is done when a call returns
  stream_hook streams{};
  // Both or none: host memory from and to which copies need not wait. The device is cpu. Releasing waits for copies
  // that still use the block; any thread may do it, also while the process ends.
  void* (*allocate_pinned)(device, std::size_t bytes) = nullptr;
  void (*release_pinned)(device, void*) noexcept = nullptr;
  device_memory_statistics (*statistics)(device) = nullptr;  // default: topbit counts what tensors hold
  void (*release_cached)(device) = nullptr;                  // waits for the device; default: nothing is cached
  void (*set_memory_limit)(device, std::uint64_t bytes) = nullptr;
};

/// Installs the hook of a device type for good; a later one replaces it. The hook is copied. Throws device_error for
/// cpu and meta, and bad_argument, saying which function is missing, if it has a part of the functions that belong
/// together.
export void set_device_hook(device_type t, const device_hook& hook);

/// The number of devices of a type that this process can use: 1 for cpu, meta, and a type whose backend does not say; 0
/// for a type without memory.
export int device_count(device_type t);

/// Waits for all work on the device. Kernels may run asynchronously, so an error that they find in an element is thrown
/// by the next call that waits: this one, one that copies elements to the host, or one of a stream or an event. Throws
/// device_error for a device that does not exist, or that failed.
export void synchronize(device d);

/// For the CPU the bytes of host_memory(). For a device whose hook does not tell: the bytes that tensors hold. Cost:
/// some loads, or what the hook does: CUDA locks and asks the driver, some microseconds. Throws device_error for a
/// device that does not exist.
export device_memory_statistics device_memory(device d);
/// Gives unused memory back to the device's driver, or to the system, after waiting for the device. Throws device_error
/// for a device that does not exist.
export void release_cached_memory(device d);
/// The most memory of the device that this process reserves; 0 for no limit. What is reserved already stays. Throws
/// device_error for a device that does not exist, or without such a limit.
export void set_memory_limit(device d, std::uint64_t bytes);

export namespace author {

/// Throws device_error, saying which devices there are, unless this one exists. Of a type without a device_hook every
/// device with memory may.
void check_device(device d);
/// Of a device type; without functions where none was set. Valid for the life of the process.
const device_hook& device_hook_of(device_type t) noexcept;
/// The memory hook of pinned host memory for this device type; null where it has none.
const memory_hook* pinned_memory_of(device_type t) noexcept;

}  // namespace author

namespace detail {

// Of memory that backends provide, unless they count it themselves.
void count_memory_of(device_type t);
void count_allocated(device where, std::size_t bytes) noexcept;
void count_freed(device where, std::size_t bytes) noexcept;

}  // namespace detail

}  // namespace topbit

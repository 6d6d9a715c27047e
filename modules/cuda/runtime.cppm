// CUDA devices: queries, and errors that kernels report.
//
// Kernels run asynchronously, so an error they find in an element is thrown by the next call that waits: synchronize(),
// one that copies elements to the host, or one of a stream or an event. It throws what the operator would have thrown
// on the host, such as shape_error for an index out of range, and names the operator. Invalid elements have been
// skipped, and the device stays usable. With TOPBIT_CUDA_BLOCKING=1 in the environment every call waits for its kernel,
// and throws itself.
export module topbit.cuda:runtime;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// CUDA devices this process can use; 0 without a driver, without a GPU, or in a build without the CUDA toolkit.
export int cuda_device_count() noexcept;
export inline bool cuda_available() noexcept { return cuda_device_count() > 0; }

/// Why there is no CUDA device, as a sentence; empty if there is one.
export std::string cuda_unavailable_reason();

/// Device properties.
export struct cuda_properties {
  std::string name;
  std::uint64_t memory_bytes = 0;
  int major = 0, minor = 0;  // of its compute capability
  int multiprocessors = 0;
  int l2_bytes = 0;
  int shared_bytes = 0;                         // of a block, at most
  int driver_version = 0, runtime_version = 0;  // 13000 is 13.0
};
/// Throws device_error if there is no such device.
export cuda_properties properties_of(device d);

/// Deterministic mode: sums of floats into elements that several threads add to use a fixed order, which is slower. Off
/// by default; process-wide.
export void set_deterministic(bool on) noexcept;
export bool is_deterministic() noexcept;

namespace detail {

// Throws the error of a CUDA runtime status; `doing` begins the message.
void check_cuda(device d, int status, std::string_view doing);
// Throws the error reported by kernels of the device, if any.
void check_reports(device d);
// Throws device_error unless it is an existing CUDA device.
void check_cuda_device(device d);
// Streams, events, pinned memory and statistics of CUDA devices.
void set_cuda_device_hook();

}  // namespace detail

}  // namespace topbit

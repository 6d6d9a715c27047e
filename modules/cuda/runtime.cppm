// What a program asks of the CUDA runtime: which devices there are, and whether they are done.
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

/// What a device is.
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

/// Waits for all work on the device.
///
/// Kernels run later than the calls that start them, so what one finds wrong with an element is told to the next call
/// that waits: this one, one that brings elements to the host, or one of stream and event. It throws what the operator
/// would have thrown on the host, shape_error for an index out of range, and names the operator. Elements that were
/// wrong have been left out, and the device goes on. With TOPBIT_CUDA_BLOCKING=1 in the environment every call waits
/// for its kernel, and throws itself.
///
/// Throws device_error with the runtime's text where the device failed.
export void synchronize(device d);

/// Whether kernels give the same bits in every run: sums of floats into elements that several threads add to are made
/// in order then, which is slower. Off at first; for the whole process.
export void set_deterministic(bool on) noexcept;
export bool is_deterministic() noexcept;

namespace detail {

// Throws what a status of the CUDA runtime means; `doing` begins the sentence.
void check_cuda(device d, int status, std::string_view doing);
// Throws what kernels of the device reported, if they did.
void check_reports(device d);
// Throws device_error unless it is a CUDA device that is there.
void check_cuda_device(device d);

}  // namespace detail

}  // namespace topbit

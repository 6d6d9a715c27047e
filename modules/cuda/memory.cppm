// Memory of CUDA devices, and memory of the host that they copy from and to by themselves.
export module topbit.cuda:memory;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Bytes of tensors on one device. Freed blocks are kept and handed out again in the order of their stream, without
/// waiting for the device. Where the device has no more, all that is kept is given back to it, and if that does not
/// help the call throws out_of_device_memory; smaller calls go on to work.
export struct cuda_memory_statistics {
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0;
  std::uint64_t bytes_reserved = 0, peak_bytes_reserved = 0;  // held of the device: in use or kept
  std::uint64_t allocations = 0;                              // allocations so far
  std::uint64_t reused = 0;                                   // of these, how many were served from a cache
  std::uint64_t segments = 0;                                 // allocations of the runtime that are held
  std::uint64_t out_of_memory = 0;                            // times that there was none
  std::uint64_t limit = 0;                                    // 0: none
  std::uint64_t bytes_free_on_device = 0, bytes_on_device = 0;
};
/// Locks, and asks the driver for what is free: some microseconds. Throws device_error for a device that is not there.
export cuda_memory_statistics cuda_memory(device d);

/// Gives what is kept back to the device, after waiting for it. An allocation that finds no memory does this by itself.
export void release_cached_cuda_memory(device d);
/// The most that this process holds of the device; 0 for no limit. What is held above it already stays. Throws
/// device_error for a device that is not there.
export void set_cuda_memory_limit(device d, std::uint64_t bytes);

/// A copy of a host tensor in pinned memory, from and to which copies with non_blocking=true do not wait. Throws
/// device_error where there is no device or no such memory.
export tensor pin_memory(const tensor& host);
export bool is_pinned(const tensor& t) noexcept;

}  // namespace topbit

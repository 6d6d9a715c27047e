// CUDA device memory, and pinned host memory.
export module topbit.cuda:memory;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// Memory statistics of one device. Freed blocks are cached and reused in stream order, without synchronisation. When
/// the device is out of memory, all cached blocks are freed; if that does not help the call throws
/// out_of_device_memory. Smaller calls still work.
export struct cuda_memory_statistics {
  std::uint64_t bytes_in_use = 0, peak_bytes_in_use = 0;
  std::uint64_t bytes_reserved = 0, peak_bytes_reserved = 0;  // reserved: in use or cached
  std::uint64_t allocations = 0;                              // allocations so far
  std::uint64_t reused = 0;                                   // of these, how many were served from a cache
  std::uint64_t segments = 0;                                 // allocations from the CUDA runtime
  std::uint64_t out_of_memory = 0;                            // failed allocations
  std::uint64_t limit = 0;                                    // 0: none
  std::uint64_t bytes_free_on_device = 0, bytes_on_device = 0;
};
/// Locks, and queries free memory from the driver: some microseconds. Throws device_error for a device that does not
/// exist.
export cuda_memory_statistics cuda_memory(device d);

/// Frees cached memory, after synchronising. A failing allocation does this itself.
export void release_cached_cuda_memory(device d);
/// The most device memory that this process reserves; 0 for no limit. Memory already reserved above it stays. Throws
/// device_error for a device that does not exist.
export void set_cuda_memory_limit(device d, std::uint64_t bytes);

/// A copy of a host tensor in pinned memory, with which copies with non_blocking=true do not block. Throws device_error
/// without a device or without such memory.
export tensor pin_memory(const tensor& host);
export bool is_pinned(const tensor& t) noexcept;

}  // namespace topbit

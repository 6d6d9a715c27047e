// Pinned host memory: copies between it and a device need not wait.
export module topbit.ops:create.pinned;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit {

/// A copy of a host tensor in pinned memory of a device, with which copies with non_blocking=true do not block. Throws
/// device_error for a tensor that is not on the host, a device that does not exist, or one without such memory.
tensor pin_memory(const tensor& host, device d = cuda());
/// Whether the tensor is in pinned memory of any device.
bool is_pinned(const tensor& x) noexcept;

}  // namespace topbit

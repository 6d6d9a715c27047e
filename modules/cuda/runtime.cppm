// What a program asks of the CUDA runtime.
export module topbit.cuda:runtime;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// CUDA devices this process can use; 0 without a driver, without a GPU, or in a build without the CUDA toolkit.
export int cuda_device_count() noexcept;
export inline bool cuda_available() noexcept { return cuda_device_count() > 0; }

/// Why there is no CUDA device, as a sentence; empty if there is one.
export std::string why_no_cuda();

/// Waits for all work on the device. Throws device_error with the runtime's text.
export void synchronize(device d);

}  // namespace topbit

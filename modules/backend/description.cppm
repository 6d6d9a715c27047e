// What a device is made of, and its registration.
export module topbit.backend:description;

import topbit.std;
import topbit.core;
import topbit.tensor;

// Defined by <topbit/kernel_abi.h>, which backends with kernels include.
extern "C++" struct tb_kernels;

export namespace topbit::author {

/// A device as its vendor describes it. The first four functions of `memory` are required; the rest is optional.
/// Functions throw device_error.
struct backend_description {
  memory_hook memory;
  /// How many devices there are, whether work has to be waited for, streams, pinned memory, statistics.
  device_hook device{};
  /// The kernels that the device has; the host computes the others. It has to stay valid for the life of the process.
  /// tb_kernels::runs says which operations an entry has; an entry that returns TB_UNSUPPORTED_DTYPE, having written
  /// nothing, leaves the call to the host too.
  const tb_kernels* kernels = nullptr;
  /// Operators of other libraries that have a kernel for the CPU and none for this device run on the host, where their
  /// schema says what they write.
  bool boxed_fallback = true;
};

/// Makes a device of this name, on the next free private backend: it prints and parses so ("chip:0"), and
/// every operator of topbit.ops works on it, with gradients, random numbers and checkpoints. An operator for which the
/// description has no kernel copies the elements it touches to the host, runs the CPU's kernel on them, and copies back
/// what that wrote; operands that share memory share it there too. So two threads must not write to elements of one
/// tensor that lie between each other's. For the life of the process: a plugin with a device must stay loaded.
///
/// Throws bad_registration if a required function is missing, or one of a group that belongs together, if the name is
/// in use (in whatever case), is no identifier or is that of a key, if all eight private backends are taken, or if the
/// table is of another version of the kernel ABI; then nothing is registered. In an initialiser of a plugin it throws
/// nothing: the plugin is refused with that sentence.
///
/// Entries are given this thread's current stream of the device in tb_call::stream, and the functions of `memory` find
/// it with current_stream(): memory belongs to the stream that is current in allocate(), copy_in() and copy_out() wait
/// for what the current stream was told before.
backend register_backend(std::string_view name, const backend_description& description,
                         std::source_location where = std::source_location::current());

}  // namespace topbit::author

// What of a backend's work runs on the host: whether it may, and what it costs.
export module topbit.backend:fallback;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::backends {

/// What to do when an operator of a backend has to run on the host. allow: run it. warn: run it, and write a line to
/// standard error, once for each operator. refuse: throw no_kernel; what
/// other kernels of the same operator have written before stays.
enum class fallback_policy : std::uint8_t { allow, warn, refuse };
/// "allow", "warn", "refuse"
std::string_view name_of(fallback_policy p) noexcept;

/// For the operators of a backend of this name, or whose names begin with what is before a final `*`. The latest
/// pattern that matches decides. Without any, kernels missing in the backend's table run on the host without a word,
/// since results are the same, and operators of other libraries, which the table does not know, after a warning.
/// TOPBIT_FALLBACK=allow, warn or refuse decides for all backends, before every pattern. Throws bad_argument for a
/// backend that author::register_backend() did not make.
void set_fallback_policy(backend b, fallback_policy p, std::string_view pattern = "*");

/// How often, and how, one operator of a backend ran on the host.
struct fallback_row {
  backend which = backend::none;
  std::string op;      // "aten::add.Tensor"
  std::string entry;   // of the kernel table: "reduce"; empty for an operator of another library
  std::string reason;  // "no entry", "no code", "no dtype", "no kernel"
  std::uint64_t calls = 0;
  std::uint64_t bytes_out = 0, bytes_in = 0;  // copied from the device to the host, and back
  std::int64_t nanoseconds = 0;               // with the copies
};

/// Of all backends since the process began, or since reset_fallback_report(): the most time first. Cost: a lock and a
/// copy.
std::vector<fallback_row> fallback_report();
void reset_fallback_report();

/// A table with a line for each row.
std::string to_string(std::span<const fallback_row> rows);

}  // namespace topbit::backends

// Anomaly mode: where calls were recorded, and which gradient rule made the first NaN.
export module topbit.autograd:anomaly;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit {

/// For the length of the scope, on this thread: recorded calls and in-place writes store a stack trace, which errors of
/// backward print, and a gradient rule that returns NaN is an error that names it. Slow, and the stack traces of writes
/// are kept until the process ends, each once: for debugging.
export class [[nodiscard("the guard ends with the full expression that makes it")]] detect_anomaly {
 public:
  detect_anomaly() noexcept;
  detect_anomaly(const detect_anomaly&) = delete;
  detect_anomaly& operator=(const detect_anomaly&) = delete;
  ~detect_anomaly();

 private:
  bool before_;
};

namespace detail {

extern constinit thread_local bool looks_for_anomalies [[gnu::tls_model("initial-exec")]];

// Stores a stack trace of this thread.
void store_trace(node& n);
// "; it was recorded in f <- g <- main", or nothing.
std::string trace_text(const node& n);
// A writer's name as stored in storages; in anomaly mode a separate one per stack trace, so that neither storages nor
// ordinary writes carry more.
const std::string_view* store_writer_trace(std::string_view writer);
inline const std::string_view* writer_here(const std::string_view& writer) {
  if (looks_for_anomalies) [[unlikely]]
    return store_writer_trace(writer);
  return &writer;
}
// "; it was written in f <- g <- main", or nothing.
std::string writer_trace_text(const std::string_view* writer);
// Throws error if a gradient has a NaN.
void check_for_nan(const node& n, std::span<const tensor> of_inputs);

}  // namespace detail

}  // namespace topbit

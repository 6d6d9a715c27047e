// Looking for what went wrong: where calls were recorded, and which rule made the first NaN.
export module topbit.autograd:anomaly;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :node;

namespace topbit {

/// For the length of the scope, on this thread: calls that are recorded, and calls that write in place, remember from
/// where they were called, which errors of backward tell, and a rule that gives NaN is an error that names it. Slow,
/// and the places of writes are kept as long as the process, each once: for finding mistakes.
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

// Remembers the functions that are active on this thread.
void keep_place(node& n);
// "; it was recorded in f <- g <- main", or nothing.
std::string place_of(const node& n);
// A writer's name as storages keep it; where anomalies are looked for, one of its own for the functions that are active
// on this thread, so that neither storages nor ordinary writes carry more.
const std::string_view* keep_writer_place(std::string_view writer);
inline const std::string_view* writer_here(const std::string_view& writer) {
  if (looks_for_anomalies) [[unlikely]]
    return keep_writer_place(writer);
  return &writer;
}
// "; it was written in f <- g <- main", or nothing.
std::string place_of_writer(const std::string_view* writer);
// Throws error if a gradient has a NaN.
void check_for_nan(const node& n, std::span<const tensor> of_inputs);

}  // namespace detail

}  // namespace topbit

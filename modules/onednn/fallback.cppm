// Operators that oneDNN does not compute: they run on strided copies and return strided tensors, are counted, and can
// be refused.
export module topbit.onednn:fallback;

import topbit.std;
import topbit.core;

export namespace topbit::onednn {

enum class dense_calls : std::uint8_t {
  allowed,
  refused  // layout_error, before anything is computed
};
/// For all threads; returns what it was before. Allowed unless set.
dense_calls set_dense_calls(dense_calls policy) noexcept;

struct dense_call {
  std::string op;  // "aten::exp"
  std::uint64_t calls = 0;
};
/// The operators that were called on strided copies, by any thread, most calls first. Cost: a lock and a copy.
std::vector<dense_call> dense_call_report();
void reset_dense_call_report();
/// A table with a line for each operator.
std::string to_string(std::span<const dense_call> report);

}  // namespace topbit::onednn

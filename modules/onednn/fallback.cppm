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

/// The operators that were called on strided copies, by any thread, most calls first; to_string() makes it a table.
/// Cost: a lock and a copy.
std::vector<author::call_count> dense_call_report();
void reset_dense_call_report();

}  // namespace topbit::onednn

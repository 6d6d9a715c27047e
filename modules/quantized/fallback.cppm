// Operators that have no kernel for quantized tensors: an error, or, in a scope that asks for it, their kernel for
// strided tensors on dequantized arguments.
export module topbit.quantized:fallback;

import topbit.std;
import topbit.core;

export namespace topbit::quantized {

/// While it lives, operators without a kernel for quantized tensors are called with dequantized arguments on this
/// thread; otherwise they throw layout_error. Slow: each call dequantizes again. An operator that would write to a
/// quantized tensor throws as before. The calls are counted, and traces show the calls of dequantize.
class [[nodiscard("the guard ends with the full expression that makes it")]] dequantize_guard {
 public:
  dequantize_guard() noexcept;
  dequantize_guard(const dequantize_guard&) = delete;
  dequantize_guard& operator=(const dequantize_guard&) = delete;
  ~dequantize_guard();
};

/// The operators that were called so by any thread, most calls first; to_string() makes it a table. Cost: a lock and a
/// copy.
std::vector<author::call_count> dequantize_report();
void reset_dequantize_report();

}  // namespace topbit::quantized

// Calls on strided copies. Internal.
module topbit.onednn:dense_calls;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;

namespace topbit::onednn {

// The fallback of the key: for every operator without a kernel.
void on_strided_copies(const operator_handle& op, boxed_stack& stack);

// Counts such a call; throws layout_error where they are refused.
void announce_dense_call(std::string_view op);

// Recorded.
inline tensor dense(const tensor& t) { return is_blocked(t) ? to_dense(t) : t; }
inline std::optional<tensor> dense(const std::optional<tensor>& t) {
  return is_given(t) ? std::optional(dense(*t)) : std::nullopt;
}
template <class T>
const T& dense(const T& x) noexcept {
  return x;
}
// A tensor in oneDNN's format, where it can be one.
tensor blocked(const tensor& t);

// The write to a strided argument is counted by the call that this key serves, and by no call in the scope.
struct [[nodiscard]] counted_once : exclude_guard {
  counted_once() noexcept : exclude_guard(key_set(key::ADInplaceOrView)) {}
};
// The operator where what it writes is strided.
template <const auto& Op, class Written, class... A>
Written& write_dense(Written& written, const A&... a) {
  const counted_once guard;
  return Op(written, dense(a)...);
}

// The operator on strided copies, for kernels that leave a call to it. The result is strided.
template <const auto& Op, class... A>
auto in_dense(const A&... a) {
  announce_dense_call(Op.name());
  return Op(dense(a)...);
}

}  // namespace topbit::onednn

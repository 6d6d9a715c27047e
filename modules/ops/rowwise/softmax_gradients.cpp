// Gradient rules of softmax, log_softmax and their backward operators.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

using softmax_rule = derivative<aten::_softmax, keep<the_result>, [](T g, T y, std::int64_t dim, bool) {
  return aten::_softmax_backward_data(g, y, dim, y.dtype());
}>;
using log_softmax_rule = derivative<aten::_log_softmax, keep<the_result>, [](T g, T y, std::int64_t dim, bool) {
  return aten::_log_softmax_backward_data(g, y, dim, y.dtype());
}>;

// The gradient rule of y * (g - sum(g * y)); `up` is the incoming gradient.
using softmax_backward_kernel = derivative<aten::_softmax_backward_data, keep<0, 1>,
                                           [](T up, T, T y, std::int64_t dim, dtype) {
                                             return aten::_softmax_backward_data(up, y, dim, y.dtype());
                                           },
                                           [](T up, T g, T y, std::int64_t dim, dtype) {
                                             return up * (g - sum(g * y, {dim}, true)) - g * sum(up * y, {dim}, true);
                                           }>;
// The gradient rule of g - exp(y) * sum(g).
using log_softmax_backward_rule =
    derivative<aten::_log_softmax_backward_data, keep<0, 1>,
               [](T up, T, T y, std::int64_t dim, dtype) { return up - sum(up * aten::exp(y), {dim}, true); },
               [](T up, T g, T y, std::int64_t dim, dtype) { return -(up * aten::exp(y) * sum(g, {dim}, true)); }>;

constexpr author::kernel_row rows[] = {
    gradient_row<aten::_softmax, softmax_rule>(),
    gradient_row<aten::_softmax_backward_data, softmax_backward_kernel>(),
    gradient_row<aten::_log_softmax, log_softmax_rule>(),
    gradient_row<aten::_log_softmax_backward_data, log_softmax_backward_rule>(),
};

}  // namespace

std::span<const author::kernel_row> softmax_gradients() { return rows; }

}  // namespace topbit::detail

// Gradient rules of copies, and of operators that overwrite elements.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

// Copies to the argument's device; the engine converts the dtype.
struct copy_rule {
  device where;
  template <class... Options>
  static copy_rule save(T self, const Options&...) {
    return {self.device()};
  }
  grads1 backward(T g, std::array<bool, 1>) const { return {to(g, where)}; }
};

// The overwritten elements have no gradient.
struct overwrite_rule {
  device from;
  static constexpr bool keeps_first_argument = false;
  static overwrite_rule save(T, T source, bool, T) { return {source.device()}; }
  grads2 backward(T g, wants2 wanted) const { return {tensor(), wanted[1] ? to(g, from) : tensor()}; }
};

// The engine sums the gradient of a value that is broadcast to all elements.
struct fill_gradient {
  device from;
  static fill_gradient save(T, T value, T) { return {value.device()}; }
  grads2 backward(T g, wants2 wanted) const { return {tensor(), wanted[1] ? to(g, from) : tensor()}; }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::_to_copy, copy_rule>(),        gradient_row<aten::clone, copy_rule>(),
    gradient_row<aten::copy_, overwrite_rule>(),      gradient_row<aten::fill_Scalar_, erase_rule<>>(),
    gradient_row<aten::zero_, erase_rule<>>(),        gradient_row<aten::fill_Scalar, erase_rule<>>(),
    gradient_row<aten::fill_Tensor, fill_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> create_gradients() { return rows; }

}  // namespace topbit::detail

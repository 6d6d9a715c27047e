// Gradients of copies, and of elements that are overwritten.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// To where and what the argument was; the engine sees to the dtype.
struct copy_rule {
  device where;
  template <class... Options>
  static copy_rule save(T self, const Options&...) {
    return {self.device()};
  }
  grads1 backward(T g, std::array<bool, 1>) const { return {to(g, where)}; }
};

// What was there before has no part in the result.
struct overwrite_rule {
  device from;
  static constexpr bool keeps_first_argument = false;
  static overwrite_rule save(T, T source, bool, T) { return {source.device()}; }
  grads2 backward(T g, wants2 wanted) const { return {tensor(), wanted[1] ? to(g, from) : tensor()}; }
};
template <const auto& Op>
using erase_rule = derivative<Op, keep<>, no_gradient>;

// The engine sums the gradient of a value that every element got.
struct fill_gradient {
  device from;
  static fill_gradient save(T, T value, T) { return {value.device()}; }
  grads2 backward(T g, wants2 wanted) const { return {tensor(), wanted[1] ? to(g, from) : tensor()}; }
};

constexpr author::kernel_row rows[] = {
    gradient_row<ops::to_copy, copy_rule>(),
    gradient_row<ops::clone, copy_rule>(),
    gradient_row<ops::copy_, overwrite_rule>(),
    gradient_row<ops::fill_, erase_rule<ops::fill_>>(),
    gradient_row<ops::zero_, erase_rule<ops::zero_>>(),
    gradient_row<ops::fill, erase_rule<ops::fill>>(),
    gradient_row<ops::fill_tensor, fill_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> copy_gradients() { return rows; }

}  // namespace topbit::detail

// Gradient rules of unique and its forms, which have no derivative.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

// Not differentiable. Throws, since ignoring the call would lose a gradient.
template <const auto& Op, std::size_t Results>
struct unique_kernel {
  static unique_kernel save(const auto&...) { return {}; }
  grads1 backward(const std::array<tensor, Results>&, want1) const {
    throw error(std::string(Op.name()) + ": found a gradient, wanted none: it has no derivative; detach() its argument",
                std::string(Op.name()));
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::_unique2, unique_kernel<aten::_unique2, 3>>(),
    gradient_row<aten::_unique, unique_kernel<aten::_unique, 2>>(),
    gradient_row<aten::unique_dim, unique_kernel<aten::unique_dim, 3>>(),
    gradient_row<aten::unique_consecutive, unique_kernel<aten::unique_consecutive, 3>>(),
    gradient_row<aten::unique_dim_consecutive, unique_kernel<aten::unique_dim_consecutive, 3>>(),
};

}  // namespace

std::span<const author::kernel_row> unique_gradients() { return rows; }

}  // namespace topbit::detail

// Gradient rules of cross products.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

struct cross_gradient {
  saved_tensor self, other;
  std::int64_t dim;
  static cross_gradient save(T self, T other, std::int64_t dim, T) {
    return {saved_tensor(self), saved_tensor(other), dim};
  }
  static cross_gradient save(T self, T other, std::optional<std::int64_t> dim, T r) {
    return save(self, other, dim.value_or(std::ranges::find(self.sizes(), 3) - self.sizes().begin()), r);
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? aten::linalg_cross(other.get(), g, arg<"dim"> = dim) : tensor(),
            wanted[1] ? aten::linalg_cross(g, self.get(), arg<"dim"> = dim) : tensor()};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::linalg_cross, cross_gradient>(),
    gradient_row<aten::cross, cross_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> vectors_gradients() { return rows; }

}  // namespace topbit::detail

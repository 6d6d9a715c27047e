// Gradient rules of cross products and distances.
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

// By all differences, as the sum over the rows of the other argument.
struct cdist_gradient {
  saved_tensor x1, x2;
  saved_result result;
  double p;
  static cdist_gradient save(T x1, T x2, double p, std::optional<std::int64_t>, T r) {
    return {saved_tensor(x1), saved_tensor(x2), saved_result(r), p};
  }
  grads2 backward(T g, wants2 wanted) const {
    const tensor a = x1.get(), b = x2.get(), each = aten::unsqueeze(g, -1);
    const tensor differences = to(aten::unsqueeze(a, -2), g.dtype()) - to(aten::unsqueeze(b, -3), g.dtype());
    const tensor all = norm_gradient(each, differences, aten::unsqueeze(result.get(), -1), p, each.sizes());
    return {wanted[0] ? sum(all, {-2}) : tensor(), wanted[1] ? -sum(all, {-3}) : tensor()};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::linalg_cross, cross_gradient>(),
    gradient_row<aten::cross, cross_gradient>(),
    gradient_row<aten::cdist, cdist_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> vectors_gradients() { return rows; }

}  // namespace topbit::detail

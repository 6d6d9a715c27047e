// Gradient formulas of the matrix products.
export module topbit.ops:product_gradients;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :elementwise;
import :gradients;
import :linalg;
import :view;

namespace topbit::detail {

// a @ b, of matrices or batches of them.
template <const auto& Product>
struct product_gradient {
  saved_tensor a, b;
  static product_gradient save(const tensor& a, const tensor& b, const tensor&) {
    return {saved_tensor(a), saved_tensor(b)};
  }
  grads2 backward(const tensor& g, wants2 wanted) const {
    constexpr std::string_view op = Product.name();
    return {wanted[0] ? Product(g, ops::transpose(b.get(op), -2, -1)) : tensor(),
            wanted[1] ? Product(ops::transpose(a.get(op), -2, -1), g) : tensor()};
  }
};

// beta * self + alpha * a @ b.
template <const auto& Product>
struct add_product_gradient {
  kind_of self;
  product_gradient<Product> product;
  scalar beta, alpha;
  static add_product_gradient save(const tensor& self, const tensor& a, const tensor& b, const scalar& beta,
                                   const scalar& alpha, const tensor& result) {
    return {self, product_gradient<Product>::save(a, b, result), beta, alpha};
  }
  std::array<tensor, 3> backward(const tensor& g, std::array<bool, 3> wanted) const {
    const auto times = [&](const scalar& factor) { return factor == scalar(1) ? g : ops::mul_scalar(g, factor); };
    const bool products = wanted[1] || wanted[2];
    const grads2 of_product = products ? product.backward(times(alpha), {wanted[1], wanted[2]}) : grads2{};
    return {wanted[0] ? self.reduce(times(beta)) : tensor(), of_product[0], of_product[1]};
  }
};

using mm_rule = product_gradient<ops::mm>;
using bmm_rule = product_gradient<ops::bmm>;
using addmm_rule = add_product_gradient<ops::mm>;
using baddbmm_rule = add_product_gradient<ops::bmm>;

}  // namespace topbit::detail

// Gradients of the matrix products.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

tensor turned(T m) { return ops::transpose(m, -2, -1); }

// a @ b, of matrices or batches of them.
template <const auto& Product>
using product_rule = derivative<Product, keep<0, 1>, [](T g, T, T b) { return Product(g, turned(b)); },
                                [](T g, T a, T) { return Product(turned(a), g); }>;

// beta * self + alpha * a @ b.
template <const auto& Op, const auto& Product>
using add_product_rule =
    derivative<Op, keep<1, 2>, [](T g, T, T, const scalar& beta, const scalar&) { return times(g, beta); },
               [](T g, T, T b, const scalar&, const scalar& alpha) { return times(Product(g, turned(b)), alpha); },
               [](T g, T a, T, const scalar&, const scalar& alpha) { return times(Product(turned(a), g), alpha); }>;

constexpr author::kernel_row rows[] = {
    gradient_row<ops::mm, product_rule<ops::mm>>(),
    gradient_row<ops::bmm, product_rule<ops::bmm>>(),
    gradient_row<ops::addmm, add_product_rule<ops::addmm, ops::mm>>(),
    gradient_row<ops::baddbmm, add_product_rule<ops::baddbmm, ops::bmm>>(),
};

}  // namespace

std::span<const author::kernel_row> product_gradients() { return rows; }

}  // namespace topbit::detail

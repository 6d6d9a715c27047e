// Gradients of operators of several tensors, element by element.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// The factor of `other`, and no more: a gradient is a floating number, whatever alpha was.
template <int Sign>
struct add_rule {
  double alpha;
  static constexpr bool keeps_first_argument = false;
  static add_rule save(T, T, const scalar& alpha, T) { return {Sign * alpha.to_double()}; }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? g : tensor(), wanted[1] ? times(g, scalar(alpha)) : tensor()};
  }
};

// Each element's gradient goes where the element came from.
using where_rule =
    derivative<ops::where, keep<0>, no_gradient, [](T g, T c) { return ops::where_scalar_other(c, g, 0); },
               [](T g, T c) { return ops::where_scalar_self(c, 0, g); }>;

using mul_rule = derivative<ops::mul, keep<0, 1>, [](T g, T, T b) { return g * b; }, [](T g, T a, T) { return g * a; }>;
using div_rule = derivative<ops::div, keep<1, the_result>, [](T g, T b, T) { return g / b; },
                            [](T g, T b, T y) { return -(g / b * y); }>;

constexpr author::kernel_row rows[] = {
    gradient_row<ops::add, add_rule<1>>(),  gradient_row<ops::add_, add_rule<1>>(),
    gradient_row<ops::sub, add_rule<-1>>(), gradient_row<ops::sub_, add_rule<-1>>(),
    gradient_row<ops::mul, mul_rule>(),     gradient_row<ops::mul_, mul_rule>(),
    gradient_row<ops::div, div_rule>(),     gradient_row<ops::div_, div_rule>(),
    gradient_row<ops::where, where_rule>(),
};

}  // namespace

std::span<const author::kernel_row> arithmetic_gradients() { return rows; }

}  // namespace topbit::detail

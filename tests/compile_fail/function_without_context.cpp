// expect: error: static assertion failed: apply: my_product: forward\(\) is 'tensor \(\*\)\(const tensor&, const tensor&\)', wanted a static function whose first argument is 'function_context&'$
// topic: rules
// forward() keeps things for backward() in its context.
#include <array>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

struct my_product {
#ifndef FIXED
  static tensor forward(const tensor& a, const tensor& b);
  static std::array<tensor, 2> backward(topbit::function_context& c, const tensor& gradient);
#else
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
  static std::array<tensor, 2> backward(topbit::function_context& c, const tensor& gradient);
#endif
};
void use(const tensor& a, const tensor& b) { topbit::apply<my_product>(a, b); }

// expect: error: static assertion failed: apply: my_product: needs backward\(\), static, of 'function_context&' and 'const tensor&', found none that takes them$
// topic: rules
// A function has a backward().
#include <array>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

struct my_product {
#ifndef FIXED
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
#else
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
  static std::array<tensor, 2> backward(topbit::function_context& c, const tensor& gradient);
#endif
};
void use(const tensor& a, const tensor& b) { topbit::apply<my_product>(a, b); }

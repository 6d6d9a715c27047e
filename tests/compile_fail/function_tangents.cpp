// expect: error: static assertion failed: apply: my_product: found a jvp\(\) that does not take 'function_context&' and 'const std::array<tensor, 2>&', a tangent for each tensor of forward\(\)$
// topic: rules
// jvp() takes a tangent for each tensor of forward().
#include <array>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

struct my_product {
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
  static std::array<tensor, 2> backward(topbit::function_context& c, const tensor& gradient);
#ifndef FIXED
  static tensor jvp(topbit::function_context& c, const tensor& tangent);
#else
  static tensor jvp(topbit::function_context& c, const std::array<tensor, 2>& tangents);
#endif
};
void use(const tensor& a, const tensor& b) { topbit::apply<my_product>(a, b); }

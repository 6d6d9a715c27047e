// expect: error: static assertion failed: apply: my_product: backward\(\) returns 'tensor', wanted 'std::array<tensor, 2>', a gradient for each tensor of forward\(\)$
// topic: rules
// backward() returns a gradient for each tensor of forward().
#include <array>
import topbit.core;
import topbit.tensor;
import topbit.autograd;
using topbit::tensor;

struct my_product {
#ifndef FIXED
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
  static tensor backward(topbit::function_context& c, const tensor& gradient);
#else
  static tensor forward(topbit::function_context& c, const tensor& a, const tensor& b);
  static std::array<tensor, 2> backward(topbit::function_context& c, const tensor& gradient);
#endif
};
void use(const tensor& a, const tensor& b) { topbit::apply<my_product>(a, b); }

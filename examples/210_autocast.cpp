// 210: lower precision for a scope, a policy for an operator of one's own, and a wrapper written by hand.
#include <cstdio>
#include <string>

import topbit;
import topbit.autocast;
namespace tb = topbit;
namespace aten = topbit::aten;

tb::tensor loss_of(const tb::tensor& x, const tb::tensor& weight, const tb::tensor& target) {
  const tb::autocast scope(tb::backend::CPU);  // bfloat16
  const tb::tensor y = tb::matmul(x, weight);  // casts x and weight, computes in bfloat16
  return tb::mse_loss(y, target);              // casts y, computes in float32
}

inline constexpr tb::op<"my::matmul(Tensor self, Tensor other) -> Tensor"> my_matmul;
inline constexpr tb::op<"my::blend(Tensor a, Tensor b) -> Tensor"> blend;

tb::tensor matmul_any(const tb::tensor& self, const tb::tensor& other) { return tb::matmul(self, other); }
tb::tensor blend_any(const tb::tensor& a, const tb::tensor& b) { return a * 0.5 + b * 0.5; }

const auto library = tb::library("my").def(my_matmul).def(blend);
const auto composites =
    tb::implement("my", tb::key::CompositeImplicitAutograd).impl<&matmul_any>(my_matmul).impl<&blend_any>(blend);

inline constexpr auto my_casts = tb::casts::policies(tb::casts::lower<my_matmul>{});
const auto installed = tb::author::install_casts<tb::backend::CPU, my_casts>();

// By hand: brings its arguments to the widest of their dtypes.
tb::tensor blend_autocast(const tb::tensor& a, const tb::tensor& b) {
  const tb::exclude_guard no_autocast(tb::key::AutocastFunctionality);
  constexpr tb::backend cpu = tb::backend::CPU;
  tb::dtype type = tb::author::promote_type(tb::autocast_dtype(cpu), a, cpu);
  type = tb::author::promote_type(type, b, cpu);
  return blend(tb::author::cached_cast(a, type, cpu), tb::author::cached_cast(b, type, cpu));
}
const auto wrapper = tb::implement("my", tb::key::AutocastCPU).impl<&blend_autocast>(blend);

void print(const char* what, const tb::tensor& t) {
  std::printf("%s: %s\n", what, std::string(tb::name_of(t.dtype())).c_str());
}

int main() {
  const tb::tensor x = tb::ones({2, 2}), weight = tb::require_grad(tb::ones({2, 2}));
  const tb::tensor loss = loss_of(x, weight, tb::zeros({2, 2}));
  tb::backward(loss);
  print("loss", loss);
  print("gradient of the weight", tb::leaf_grad(weight));

  print("outside", my_matmul(x, x));
  const tb::autocast scope(tb::backend::CPU);
  print("inside", my_matmul(x, x));
  print("blended", blend(my_matmul(x, x), x));
  print("a sum", x + x);
}

// prints: loss: float32
// prints: gradient of the weight: float32
// prints: outside: float32
// prints: inside: bfloat16
// prints: blended: float32
// prints: a sum: float32

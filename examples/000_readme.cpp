// The example of README.md.
#include <iostream>
import topbit;
namespace tb = topbit;

// The C++ signature is computed from the schema.
inline constexpr tb::op<"my::scaled_add(Tensor self, Tensor other, *, Scalar scale=2) -> Tensor"> scaled_add;

// Composed of other operators, it runs on every backend and is differentiable. A parameter that does not
// match the schema would not compile.
tb::tensor scaled_add_kernel(const tb::tensor& self, const tb::tensor& other, const tb::scalar& scale) {
  return self + other * scale;
}
const auto kernels = tb::library("my").def(scaled_add).impl<&scaled_add_kernel>(scaled_add);

int main() {
  const tb::tensor a({1.F, 2, 3}), b({10.F, 20, 30});
  std::cout << scaled_add(a, b) << '\n';                          // prints: [21., 42., 63.] (float32 [3])
  std::cout << scaled_add(a, b, tb::arg<"scale"> = 0.5) << '\n';  // prints: [ 6., 12., 18.] (float32 [3])
  const auto why = tb::explain(scaled_add, a, b);                 // runs nothing
  std::cout << why.selected << '\n';                              // prints: AutogradCPU
}

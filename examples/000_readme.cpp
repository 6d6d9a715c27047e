// The example of README.md.
#include <cstdio>
#include <string>
import topbit;
namespace tb = topbit;

// The C++ signature is computed from the schema.
inline constexpr tb::op<"demo::scaled_add(Tensor self, Tensor other, *, Scalar scale=2) -> Tensor"> scaled_add;

// Composed of other operators, it runs on every backend and is differentiable. A mismatched parameter would not
// compile.
tb::tensor scaled_add_kernel(const tb::tensor& self, const tb::tensor& other, const tb::scalar& scale) {
  return self + other * scale;
}
const auto kernels = tb::library("demo").def(scaled_add).impl<&scaled_add_kernel>(scaled_add);

int main() {
  const auto a = tb::from_values<float>({1, 2, 3}, {3}), b = tb::from_values<float>({10, 20, 30}, {3});
  std::puts(to_string(scaled_add(a, b)).c_str());                          // prints: [21, 42, 63] (float32 [3])
  std::puts(to_string(scaled_add(a, b, tb::arg<"scale"> = 0.5)).c_str());  // prints: [6, 12, 18] (float32 [3])
  const auto why = tb::explain(scaled_add, a, b);                          // runs nothing
  std::puts(to_string(why.selected).c_str());                              // prints: AutogradCPU
}

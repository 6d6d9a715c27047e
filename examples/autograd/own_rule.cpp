// A user-defined differentiable operator: a kernel, a gradient rule, and a line that registers each.
#include <array>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <vector>

import topbit;
namespace tb = topbit;

inline constexpr tb::op<"demo::cube(Tensor self, *, float scale=1.0) -> Tensor"> cube;
static tb::tensor cube_kernel(const tb::tensor& self, double scale) { return self * self * self * scale; }

inline constexpr tb::op<"demo::product(Tensor a, Tensor b) -> Tensor"> product;
static tb::tensor product_kernel(const tb::tensor& a, const tb::tensor& b) { return a * b; }
using product_rule = tb::author::in_parts<
    product, tb::author::formula<tb::author::keep<1>, [](const tb::tensor& g, const tb::tensor& b) { return g * b; }>,
    tb::author::formula<tb::author::keep<0>, [](const tb::tensor& g, const tb::tensor& a) { return g * a; }>>;

struct cube_rule {
  tb::saved_tensor self;  // read by backward; a write in between is an error
  double scale;
  static cube_rule save(const tb::tensor& self, double scale, const tb::tensor& /*result*/) {
    return {tb::saved_tensor(self), scale};
  }
  std::array<tb::tensor, 1> backward(const tb::tensor& gradient, std::array<bool, 1> /*wanted*/) const {
    return {gradient * self.get() * self.get() * (3 * scale)};
  }
};

const auto kernels = tb::library("demo")
                         .def(cube)
                         .impl<&cube_kernel>(cube, tb::key::CompositeExplicitAutograd)
                         .impl<&tb::author::autograd_kernel<cube, cube_rule>::run>(cube, tb::key::Autograd)
                         .def(product)
                         .impl<&product_kernel>(product, tb::key::CompositeExplicitAutograd)
                         .impl<&tb::author::autograd_kernel<product, product_rule>::run>(product, tb::key::Autograd);

int main() {
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2}, {2}));
  tb::backward(tb::sum(cube(x)));
  std::cout << tb::leaf_grad(x) << '\n';  // prints: [ 3., 12.] (float64 [2])

  // The gradient declaration as reported by introspection.
  const tb::gradient_declaration said = tb::declaration_of(tb::find("demo::cube"));
  std::puts(std::string(name_of(said)).c_str());  // prints: rule

  // Is the rule right? Checked by finite differences of the function's values, and of its gradients.
  const auto f = [](std::span<const tb::tensor> in) { return std::vector<tb::tensor>{cube(in[0])}; };
  const std::vector<tb::tensor> inputs{x};
  std::puts(tb::gradcheck(f, inputs) && tb::gradgradcheck(f, inputs) ? "right" : "wrong");  // prints: right

  const auto of_two = [](std::span<const tb::tensor> in) {
    return std::vector<tb::tensor>{product(in[0], cube(in[0]))};
  };
  std::puts(tb::gradgradcheck(of_two, inputs) ? "right" : "wrong");  // prints: right
}

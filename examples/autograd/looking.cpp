// When a gradient is missing or wrong: error messages, strict mode, anomaly mode, and drawing the graph.
#include <algorithm>
#include <cstdio>
#include <string>

import topbit;
namespace tb = topbit;

// An operator without a gradient rule.
inline constexpr tb::op<"demo::blur(Tensor self) -> Tensor"> blur;
static tb::tensor blur_kernel(const tb::tensor& self) { return self * 0.5; }
const auto kernels = tb::library("demo").def(blur).impl<&blur_kernel>(blur, tb::key::CPU);

// Divides by zero by mistake.
struct broken {
  static tb::tensor forward(tb::function_context&, const tb::tensor& x) { return x * 1.0; }
  static tb::tensor backward(tb::function_context&, const tb::tensor& gradient) { return gradient * 0.0 / 0.0; }
};

// The first part of an error message.
template <class F>
static void print_error(F&& f) {
  try {
    f();
    std::puts("no error");
  } catch (const tb::error& e) {
    const std::string text = e.what();
    std::puts(text.substr(0, std::min(text.find(" ("), text.find(';'))).c_str());
  }
}

int main() {
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2}, {2}));

  // The call runs; backward throws. In strict mode the call throws.
  const tb::tensor y = blur(x);
  print_error([&] { tb::backward(tb::sum(y)); });  // prints: demo::blur: has no gradient rule
  const tb::missing_rule before = tb::set_missing_rule(tb::missing_rule::raises_in_forward);
  print_error([&] { blur(x); });  // prints: demo::blur: has no gradient rule
  tb::set_missing_rule(before);

  // The same as data, before anything runs.
  for (const tb::declared_gradient& d : tb::declared_gradients()) {
    if (d.op == "demo::blur") std::puts(std::string(name_of(d.findings[0].what)).c_str());  // prints: missing rule
  }

  // A write to a saved tensor is detected.
  tb::tensor w = tb::from_values<double>({3, 4}, {2});
  const tb::tensor z = tb::sum(x * w);
  tb::zero_(w);
  print_error([&] { tb::backward(z); });
  // prints: aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by aten::zero_: found version 1, wanted 0

  // Anomaly mode reports the gradient rule that returned the first NaN.
  const tb::detect_anomaly looking;
  print_error([&] { tb::backward(tb::sum(tb::apply<broken>(x))); });
  // prints: broken: its gradient rule gave NaN for argument 1

  // The graph as a self-contained SVG page; graph_as_dot() returns it for Graphviz.
  const std::string page = tb::graph_as_svg(tb::sum(x * x));
  std::puts(page.substr(0, 4).c_str());  // prints: <svg
}

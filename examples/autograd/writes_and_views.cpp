// Operators that write to an argument, and operators whose result is a view: what autograd needs for them.
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

import topbit;
namespace tb = topbit;
namespace key = topbit::key;

// Writes to its argument and returns it. The rule is that of the functional form.
inline constexpr tb::op<"demo::double_(Tensor(a!) self) -> Tensor(a!)"> double_;
static tb::tensor& double_kernel(tb::tensor& self) { return self *= 2.0; }
struct double_rule {
  static constexpr bool keeps_first_argument = false;  // it reads no elements, so none are copied before the write
  static double_rule save(const tb::tensor&, const tb::tensor&) { return {}; }
  std::array<tb::tensor, 1> backward(const tb::tensor& gradient, std::array<bool, 1>) const { return {gradient * 2.0}; }
};

// Writes to an argument, and has no rule: it refuses if a gradient would be lost.
inline constexpr tb::op<"demo::double_to(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> double_to;
static tb::tensor& double_to_kernel(const tb::tensor& self, tb::tensor& out) { return tb::copy_(out, self * 2.0); }

// A view of its argument, made by a kernel.
inline constexpr tb::op<"demo::head(Tensor(a) self) -> Tensor(a)"> head;
static tb::tensor head_kernel(const tb::tensor& self) {
  return tb::author::make_view(self, {1}, {self.strides()[0]}, tb::author::record_of(self).offset);
}
struct head_rule {
  std::int64_t count;
  static head_rule save(const tb::tensor& self, const tb::tensor&) { return {self.sizes()[0]}; }
  std::array<tb::tensor, 1> backward(const tb::tensor& gradient, std::array<bool, 1>) const {
    const std::array<std::int64_t, 2> behind{0, count - 1};
    return {tb::constant_pad_nd(gradient, behind)};
  }
};

const auto kernels = tb::library("demo")
                         .def(double_)
                         .impl<&double_kernel>(double_, key::CPU)
                         .impl<&tb::author::autograd_kernel<double_, double_rule>::run>(double_, key::Autograd)
                         .impl<&tb::author::counts_writes<double_>::run>(double_, key::ADInplaceOrView)
                         .def(double_to)
                         .impl<&double_to_kernel>(double_to, key::CPU)
                         .impl<&tb::author::in_place_autograd<double_to>::run>(double_to, key::Autograd)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(double_to, key::ADInplaceOrView)
                         .def(head)
                         .impl<&head_kernel>(head, key::CPU)
                         .impl<&tb::author::autograd_kernel<head, head_rule>::run>(head, key::Autograd)
                         .impl<&tb::author::tracks_view<head>::run>(head, key::ADInplaceOrView);

int main() {
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2, 3}, {3}));
  const tb::tensor y = x * 1.0;
  tb::tensor first = head(y);
  double_(first);          // a write to the view reaches y, and y's gradient
  std::cout << y << '\n';  // prints: [2., 2., 3.] (float64 [3])
  tb::backward(tb::sum(y));
  std::cout << tb::leaf_grad(x) << '\n';  // prints: [2., 1., 1.] (float64 [3])

  try {
    tb::tensor out = tb::from_values<double>({0, 0, 0}, {3});
    double_to(x, tb::arg<"out"> = out);
  } catch (const tb::error& e) {
    std::puts(std::string(e.op()).c_str());  // prints: demo::double_to
  }

  // Missing declarations are found without running anything.
  for (const char* name : {"demo::double_", "demo::double_to", "demo::head"})
    std::printf("%zu", tb::declared_gradients(std::array{tb::find(name)})[0].findings.size());
  std::puts("");  // prints: 000
}

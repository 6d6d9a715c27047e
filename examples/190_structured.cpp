// A structured operator: a shape function and one kernel give the functional, in-place and out forms, and all of them
// on the meta device.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

import topbit;
namespace tb = topbit;

// 1. Three operators, one for each form: each element is smoothed with the one before it.
inline constexpr tb::op<"demo::smooth(Tensor self, float weight) -> Tensor"> smooth;
inline constexpr tb::op<"demo::smooth_(Tensor(a!) self, float weight) -> Tensor(a!)"> smooth_;
inline constexpr tb::op<"demo::smooth.out(Tensor self, float weight, *, Tensor(a!) out) -> Tensor(a!)"> smooth_out;
// One name for two of them: the arguments select the operator.
inline constexpr tb::overloads<smooth, smooth_out> smoothed;

// 2. The shape function: the metadata of the result, or an error. `op` is the form that was called.
static tb::author::result_meta smooth_meta(std::string_view op, const tb::tensor& self, double) {
  if (self.dim() != 1 || self.dtype() != tb::dtype::float32)
    throw tb::shape_error(std::string(op) + ": found " + to_string(self.sizes()) + ", wanted one dimension of float32",
                          std::string(op));
  return {.sizes = self.sizes(), .type = self.dtype(), .where = self.device(), .strides = {}};
}

// 3. The kernel: the arguments, then the tensor to write. It has the sizes of the shape function, and any strides.
static void smooth_cpu(const tb::tensor& self, double weight, const tb::tensor& out) {
  const float* from = self.data_ptr<float>();
  float* to = out.data_ptr<float>();
  float last = self.numel() != 0 ? from[0] : 0;
  for (std::int64_t i = 0; i < self.numel(); ++i) {
    last += static_cast<float>(weight) * (from[i * self.strides()[0]] - last);
    to[i * out.strides()[0]] = last;
  }
}

// 4. All forms from both. The kernel reads an element before it writes it, so the result may be the argument.
using forms = tb::author::structured<&smooth_meta, {.in_place = true}, smooth, smooth_, smooth_out>;

const auto operators = tb::library("demo").def(smooth).def(smooth_).def(smooth_out);
const bool kernels = [] {
  tb::author::register_rows(forms::rows<&smooth_cpu>(tb::key::CPU));
  tb::author::register_rows(forms::meta_rows());
  return true;
}();

int main() {
  tb::tensor x = tb::from_values<float>({0, 8, 8, 0}, {4});
  std::cout << smooth(x, 0.5) << '\n';  // prints: [0., 4., 6., 3.] (float32 [4])

  // 5. A column of a matrix: the kernel writes it directly.
  tb::tensor table = tb::zeros({4, 2}), column = tb::select(table, 1, 1);
  smoothed(x, 0.5, tb::arg<"out"> = column);
  std::cout << table << '\n';
  // prints: [[0., 0.],
  // prints:  [0., 4.],
  // prints:  [0., 6.],
  // prints:  [0., 3.]] (float32 [4, 2])

  // 6. A result that overlaps an argument in part is computed in a temporary, and copied.
  tb::tensor behind = tb::index(x, tb::slice(1, tb::none));
  smooth_out(tb::index(x, tb::slice(0, 3)), 0.5, behind);
  std::cout << x << '\n';                // prints: [0., 0., 4., 6.] (float32 [4])
  std::cout << smooth_(x, 0.5) << '\n';  // prints: [0., 0., 2., 4.] (float32 [4])

  // 7. On the meta device only the shape function runs.
  std::cout << smooth(tb::to(x, tb::meta), 0.5) << '\n';  // prints: (float32 [4] on meta)

  // 8. Errors are thrown before anything is written, and name the form.
  try {
    smooth_out(x, 0.5, behind);
  } catch (const tb::shape_error& e) {
    std::puts(e.what());  // prints: demo::smooth.out: the result has sizes [4], the tensor to write [3]
  }
}

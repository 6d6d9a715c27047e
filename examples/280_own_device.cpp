// A device of your own: four functions and a name, in backend/chip.cpp, which is linked. What it has no kernels for
// runs on the host, over copies of the elements that a kernel touches; a report says what.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

import topbit;
import topbit.backend;
namespace tb = topbit;

// An operator of another library, which knows nothing of the device.
inline constexpr tb::op<"demo::first_row(Tensor(a) self) -> Tensor(a)"> first_row;
static tb::tensor first_row_cpu(const tb::tensor& self) { return tb::select(self, 0, 0); }
const auto demo = tb::library("demo").def(first_row).impl<&first_row_cpu>(first_row, tb::key::CPU);

int main() {
  const tb::device chip = tb::parse_device("chip");

  // 1. Factories, arithmetic, views, gradients and printing work.
  tb::tensor w = tb::to(tb::tensor({{1.F, 2}, {3, 4}}), chip);
  tb::require_grad(w);
  tb::backward(tb::sum(w * w));
  std::cout << tb::leaf_grad(w) << '\n';
  // prints: [[2., 4.],
  // prints:  [6., 8.]] (float32 [2, 2] on chip:0)

  // 2. Operands that share memory share it on the host too.
  tb::tensor x = tb::to(tb::tensor({1.F, 2, 3, 4}), chip);
  tb::tensor tail = tb::slice(x, 0, 2, 4);
  tail += tb::slice(x, 0, 0, 2);
  std::cout << x << '\n';  // prints: [1., 2., 4., 6.] (float32 [4] on chip:0)

  // 3. So do operators of other libraries: the result of this one is a view on the device. It was worth a warning on
  // standard error, unless that is allowed.
  tb::backends::set_fallback_policy(chip.type, tb::backends::fallback_policy::allow, "demo::*");
  const tb::no_grad as_it_has_no_gradient;
  tb::tensor row = first_row(w);
  tb::fill_(row, 9);
  std::cout << w << '\n';
  // prints: [[9., 9.],
  // prints:  [3., 4.]] (float32 [2, 2] on chip:0)

  // 4. What ran on the host, and why. to_string() makes a table of it.
  std::vector<tb::backends::fallback_row> rows = tb::backends::fallback_report();
  std::ranges::sort(rows, {}, &tb::backends::fallback_row::op);  // the most time came first
  for (const tb::backends::fallback_row& r : rows) {
    if (r.op == "aten::mul.Tensor" || r.op == "demo::first_row") {
      std::cout << r.op << ": " << r.reason << ' ' << r.entry << ", " << r.bytes_out << " bytes out\n";
    }
  }
  // prints: aten::mul.Tensor: no entry elementwise, 56 bytes out
  // prints: demo::first_row: no kernel , 16 bytes out

  // 5. What must run on the device throws.
  tb::backends::set_fallback_policy(chip.type, tb::backends::fallback_policy::refuse, "aten::_softmax*");
  try {
    tb::softmax(x, 0);
  } catch (const tb::no_kernel& e) {
    const std::string text = e.what();
    std::cout << text.substr(0, text.find(';')) << '\n';
  }
  // prints: aten::softmax.int: in aten::_softmax: found no entry rowwise of the kernels of chip, and running on the host is refused
}

// Tensors: creation, broadcasting, views, copies. Every line that computes is an operator call.
#include <cstdio>
#include <iostream>
#include <vector>

import topbit;
namespace tb = topbit;

int main() {
  // 1. A tensor has sizes, an element type and a device; copying it copies a reference. One floating-point number in
  // the braces makes all elements float32; integers alone are int64.
  const tb::tensor a = tb::tensor({{1.F, 2, 3}, {4, 5, 6}});
  std::cout << a << '\n';
  // prints: [[1., 2., 3.],
  // prints:  [4., 5., 6.]] (float32 [2, 3])

  // 2. Sizes align at the end; 1 and missing dimensions are repeated.
  const tb::tensor row = tb::tensor({10.F, 20, 30});
  std::cout << a + row << '\n';
  // prints: [[11., 22., 33.],
  // prints:  [14., 25., 36.]] (float32 [2, 3])

  // 3. A number promotes by category only.
  const tb::tensor counts = tb::tensor({1, 2});
  std::cout << counts * 3 << '\n';                                // prints: [3, 6] (int64 [2])
  std::cout << counts * 0.5 << '\n';                              // prints: [0.5, 1. ] (float32 [2])
  std::cout << tb::to_string(row / 7, {.precision = 2}) << '\n';  // prints: [1.43, 2.86, 4.29] (float32 [3])

  // 4. Views share memory.
  const tb::tensor columns = tb::t(a);
  std::cout << columns << '\n';
  // prints: [[1., 4.],
  // prints:  [2., 5.],
  // prints:  [3., 6.]] (float32 [3, 2])
  tb::tensor first = tb::slice(a, 0, 0, 1);
  first += row;
  std::cout << columns << '\n';
  // prints: [[11.,  4.],
  // prints:  [22.,  5.],
  // prints:  [33.,  6.]] (float32 [3, 2])

  // 5. On the meta device there are shapes but no elements: a whole model can be checked without computing.
  const tb::tensor big = tb::empty({100'000, 100'000}, tb::arg<"device"> = tb::meta);
  std::cout << tb::mm(big, big) << '\n';  // prints: (float32 [100000, 100000] on meta)

  // 6. A mismatch is an error that says what was found and wanted, before anything is written.
  try {
    tb::mm(a, a);
  } catch (const tb::shape_error& e) {
    std::puts(e.what());  // prints: aten::mm: found [2, 3] and [2, 3], wanted [m, k] and [k, n]
  }
}

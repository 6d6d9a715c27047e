// Tensors: creation, broadcasting, views, copies. Every line that computes is an operator call.
#include <cstdio>
#include <string>
#include <vector>

import topbit;
namespace tb = topbit;

static void print(const tb::tensor& t) { std::puts(to_string(t).c_str()); }

int main() {
  // 1. A tensor has sizes, an element type and a device; copying it copies a reference.
  const tb::tensor a = tb::from_values<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  print(a);  // prints: [[1, 2, 3], [4, 5, 6]] (float32 [2, 3])

  // 2. Sizes align at the end; 1 and missing dimensions are repeated.
  const tb::tensor row = tb::from_values<float>({10, 20, 30}, {3});
  print(a + row);  // prints: [[11, 22, 33], [14, 25, 36]] (float32 [2, 3])

  // 3. A number promotes by category only.
  const tb::tensor counts = tb::from_values<std::int64_t>({1, 2}, {2});
  print(counts * 3);    // prints: [3, 6] (int64 [2])
  print(counts * 0.5);  // prints: [0.5, 1] (float32 [2])

  // 4. Views share memory.
  const tb::tensor columns = tb::ops::t(a);
  print(columns);  // prints: [[1, 4], [2, 5], [3, 6]] (float32 [3, 2])
  tb::tensor first = tb::ops::slice(a, 0, 0, 1);
  first += row;
  print(columns);  // prints: [[11, 4], [22, 5], [33, 6]] (float32 [3, 2])

  // 5. On the meta device there are shapes but no elements: a whole model can be checked without computing.
  const tb::tensor big = tb::ops::empty(tb::dims{100'000, 100'000}, tb::arg<"device"> = tb::meta);
  print(tb::ops::mm(big, big));  // prints: (float32 [100000, 100000] on meta)

  // 6. A mismatch is an error that says what was found and wanted, before anything is written.
  try {
    tb::ops::mm(a, a);
  } catch (const tb::shape_error& e) {
    std::puts(e.what());  // prints: aten::mm: found [2, 3] and [2, 3], wanted [m, k] and [k, n]
  }
}

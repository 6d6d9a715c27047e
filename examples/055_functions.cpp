// Functions: one name for every operator of a family. The compiler picks the operator from the arguments.
#include <iostream>

import topbit;
namespace tb = topbit;

int main() {
  // 1. Lists go in braces; sizes and dimensions are integers.
  tb::tensor a = tb::zeros({2, 3});
  tb::tensor b = tb::tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  std::cout << a + b << '\n';
  // prints: [[1., 2., 3.],
  // prints:  [4., 5., 6.]] (float32 [2, 3])
  std::cout << tb::to_string(b / 3, {.precision = 2}) << '\n';
  // prints: [[0.33, 0.67, 1.  ],
  // prints:  [1.33, 1.67, 2.  ]] (float32 [2, 3])

  // 2. max of a tensor, of two, along a dimension: one name.
  auto [values, indices] = tb::max(b, 1);
  std::cout << values << ' ' << indices << '\n';  // prints: [3., 6.] (float32 [2]) [2, 2] (int64 [2])
  tb::tensor mask = tb::eq(b, 3);
  std::cout << tb::where(mask, b, 0) << '\n';
  // prints: [[0., 0., 3.],
  // prints:  [0., 0., 0.]] (float32 [2, 3])

  // 3. Keyword arguments, out among them, go by name.
  tb::tensor total = tb::sum(b, {1}, tb::arg<"keepdim"> = true);
  std::cout << total << '\n';
  // prints: [[ 6.],
  // prints:  [15.]] (float32 [2, 1])
  tb::add(a, b, tb::arg<"out"> = a);
  tb::tensor perm = tb::randperm(5, tb::arg<"generator"> = tb::generator(7));
  tb::tensor c = tb::reshape(tb::arange(6), {2, -1});
  tb::tensor d = tb::where(b > 2, b, 0);
  tb::tensor e = tb::conv2d(tb::rand({1, 3, 8, 8}), tb::rand({4, 3, 3, 3}), tb::arg<"padding"> = 1);
  std::cout << tb::sum(perm) << ' ' << c.sizes() << ' ' << e.sizes() << '\n';
  // prints: 10 (int64 []) [2, 3] [1, 4, 8, 8]
  std::cout << (tb::item<bool>(tb::all(tb::eq(a, b))) ? "a is b" : "they differ") << '\n';  // prints: a is b
  std::cout << tb::sum(d) << '\n';                                                          // prints: 18. (float32 [])

  // 4. The operator that a call means has a handle, in tb::aten: what is implemented, explained and redispatched.
  std::cout << tb::explain(tb::add, a, 2).op << '\n';        // prints: aten::add.Scalar
  std::cout << tb::aten::max_dim.name() << '\n';             // prints: aten::max.dim
  std::cout << tb::explain(tb::add, a, b).selected << '\n';  // prints: AutogradCPU
}

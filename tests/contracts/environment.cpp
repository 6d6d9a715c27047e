// A program with a kernel that breaks its schema, called on two threads, and one that does not: what TOPBIT_CHECK
// prints.
#include <iostream>
#include <thread>

import topbit.core;
import topbit.ops;
import topbit.tensor;
import topbit.contracts;
namespace tb = topbit;

inline constexpr tb::op<"planted::writes(Tensor self) -> Tensor"> writes;
inline constexpr tb::op<"planted::forgotten_(Tensor(a!) self) -> Tensor(a!)"> forgotten;
inline constexpr tb::op<"planted::counts(Tensor self) -> Tensor"> counts;
tb::tensor writes_kernel(const tb::tensor& self) {
  self.data_ptr<float>()[0] += 1;
  return tb::clone(self);
}
tb::tensor& forgotten_kernel(tb::tensor& self) { return self; }
tb::tensor counts_kernel(const tb::tensor& self) {
  static double calls = 0;
  return self + ++calls;
}
const auto kernels = tb::library("planted")
                         .def(writes)
                         .def(forgotten)
                         .def(counts)
                         .impl<&writes_kernel>(writes, tb::key::CPU)
                         .impl<&forgotten_kernel>(forgotten, tb::key::CPU)
                         .impl<&counts_kernel>(counts, tb::key::CPU);

int main() {
  const auto work = [] {
    tb::tensor x = tb::tensor({1.f, 2});
    std::cout << writes(x) << '\n';
    for (int i = 0; i < 100; ++i) forgotten(x);
  };
  std::thread(work).join();
  work();
  std::thread([] { counts(tb::tensor({1.f})); }).join();
}

// The same program on a GPU: only the device of the tensors changes. Without a GPU it reports what is missing.
#include <cstdio>
#include <iostream>

import topbit;
import topbit.cuda;
namespace tb = topbit;

int main() {
  const tb::device where = tb::cuda_available() ? tb::cuda() : tb::cpu;
  const tb::tensor a = tb::to(tb::from_values<float>({1, 2, 3, 4}, {2, 2}), where);
  const tb::tensor product = tb::to(tb::mm(a, a) + 1, tb::cpu);
  std::cout << product << '\n';
  // prints: [[ 8., 11.],
  // prints:  [16., 23.]] (float32 [2, 2])

  if (!tb::cuda_available()) {
    try {
      tb::to(a, tb::cuda());
    } catch (const tb::device_error&) {
      std::fprintf(stderr, "%s\n", tb::cuda_unavailable_reason().c_str());
    }
  }
}

// Errors on a device: an index found by a kernel, and out of memory.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

import topbit;
import topbit.cuda;
namespace tb = topbit;

int main() {
  if (!tb::cuda_available()) {
    std::puts(tb::cuda_unavailable_reason().c_str());
    return 77;  // a skipped test
  }
  const tb::device where = tb::cuda();
  const tb::tensor rows = tb::to(tb::from_values<float>({1, 2, 3, 4, 5, 6}, {3, 2}), where);
  const tb::tensor wrong = tb::to(tb::from_values<std::int64_t>({0, 5}, {2}), where);
  const tb::tensor right = tb::to(tb::from_values<std::int64_t>({0, 2}, {2}), where);

  try {
    const tb::tensor picked = tb::index_select(rows, 0, wrong);  // launches a kernel and returns
    tb::synchronize(where);                                      // waits, and throws
  } catch (const tb::shape_error& e) {
    std::puts(std::string(e.op()).c_str());  // prints: aten::index_select
  }
  const tb::tensor picked = tb::to(tb::index_select(rows, 0, right), tb::cpu);  // the device remains usable
  std::cout << picked << '\n';
  // prints: [[1., 2.],
  // prints:  [5., 6.]] (float32 [2, 2])

  tb::set_memory_limit(where, std::uint64_t{64} << 20);
  try {
    const tb::tensor large = tb::empty({1 << 26}, tb::arg<"device"> = where);
  } catch (const tb::out_of_device_memory& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("no room for 256 MiB");  // prints: no room for 256 MiB
  }
  tb::set_memory_limit(where, 0);
  const tb::device_memory_statistics memory = tb::device_memory(where);
  std::printf("%d\n", memory.bytes_in_use <= memory.bytes_reserved);  // prints: 1
  std::printf("%d\n", static_cast<int>(memory.out_of_memory));        // prints: 1
}

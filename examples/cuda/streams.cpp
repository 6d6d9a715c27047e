// Two streams: one computes, the other copies results to the host concurrently.
#include <cstdio>

import topbit;
import topbit.cuda;
namespace tb = topbit;

static tb::tensor bring_rows(int count) {
  const tb::stream computing = tb::stream::from_pool(tb::cuda()), copying = tb::stream::from_pool(tb::cuda());
  const tb::tensor results = tb::pin_memory(tb::zeros({count, 1000}));
  for (int i = 0; i < count; ++i) {
    tb::tensor x;
    {
      const tb::stream_guard guard(computing);
      x = tb::full({1000}, i, tb::arg<"dtype"> = tb::dtype::float32, tb::arg<"device"> = tb::cuda());
      x = x * x + 1;
    }
    copying.wait(computing.record());
    {
      const tb::stream_guard guard(copying);
      tb::tensor row = tb::select(results, 0, i);
      tb::copy_(row, x, tb::arg<"non_blocking"> = true);
    }
    tb::record_stream(x, copying);  // x is destroyed here, its memory is reused after the copy
  }
  copying.synchronize();
  return results;
}

int main() {
  if (!tb::cuda_available()) {
    std::puts(tb::cuda_unavailable_reason().c_str());
    return 77;  // a skipped test
  }
  const tb::stream here = tb::stream::current(tb::cuda());
  const tb::event from = here.record(true);
  const tb::tensor results = bring_rows(4);
  std::printf("%g\n", static_cast<double>(tb::item<float>(tb::sum(results))));  // prints: 18000

  const tb::event to = here.record(true);
  to.synchronize();
  std::fprintf(stderr, "%.3f ms\n", tb::milliseconds_between(from, to));
}

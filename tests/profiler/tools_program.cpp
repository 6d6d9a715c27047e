// A program without a thought of tools, run with TOPBIT_TOOLS.
import topbit;
import topbit.profiler;

namespace tb = topbit;

int main() {
  const tb::observe::profile_range range("main");
  const tb::tensor x = tb::ones({4});
  const tb::tensor sums = tb::cumsum(x + x, 0);
  (void)tb::sum(sums);
  tb::tensor pair = tb::clone(tb::ones({2}));
  tb::copy_(pair, tb::ones({1}));
  (void)tb::to(pair, tb::dtype::float64);
}

// A program without a thought of tools, run with TOPBIT_TOOLS.
import topbit;
import topbit.profiler;

namespace tb = topbit;

int main() {
  const tb::observe::profile_range range("main");
  const tb::tensor x = tb::ones({4});
  (void)tb::sum(x + x);
}

// 260: observers and profiles. A lambda that is told of every call, and where the time and the memory of a small
// training step go.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

import topbit;
import topbit.profiler;
namespace tb = topbit;

struct network {
  tb::tensor hidden = tb::require_grad(tb::full({32, 64}, 0.01));
  tb::tensor last = tb::require_grad(tb::full({10, 32}, 0.01));
  tb::tensor operator()(const tb::tensor& x) const { return tb::linear(tb::relu(tb::linear(x, hidden)), last); }
};

void step(const network& net, const tb::tensor& x) {
  tb::tensor loss;
  {
    const tb::observe::profile_range range("forward");
    loss = tb::mean(net(x));
  }
  const tb::observe::profile_range range("backward");
  tb::backward(loss);
}

int main() {
  const network net;
  const tb::tensor x = tb::ones({256, 64});
  {
    const tb::observe::observer printing([](const tb::observe::event& e) {
      if (e.kind() == tb::observe::kind::call)
        std::printf("%*s%s\n", 2 * static_cast<int>(e.depth()), "", std::string(e.name()).c_str());
    });
    (void)tb::mean(net(x));
  }

  tb::profile::session p({.costs = true, .memory = true});
  for (int i = 0; i < 20; ++i) step(net, x);
  p.stop();
  const tb::profile::table t = p.table();
  // std::puts(tb::to_string(t.grouped()).c_str()) prints all of it; the times differ from run to run.
  for (const tb::profile::row& r : t.grouped(tb::profile::grouping::ranges, tb::profile::column::name).rows) {
    if (r.name == "aten::mm" && r.kind == tb::observe::kind::call)
      std::printf("%s in %s: %d calls, %.0f operations\n", r.name.c_str(), r.range.c_str(), static_cast<int>(r.calls),
                  r.work->products);
  }
  std::printf("%s allocates\n",
              t.grouped(tb::profile::grouping::names, tb::profile::column::allocated).rows[0].name.c_str());
  p.write_trace("step.json.gz");  // for Perfetto, or: topbit profile step.json.gz
  std::printf("%d nodes in the trace\n",
              static_cast<int>(std::ranges::count_if(tb::profile::read_trace("step.json.gz").rows, [](const auto& r) {
                return r.kind == tb::observe::kind::backward;
              })));
  std::remove("step.json.gz");
}

// prints: aten::linear
// prints:   aten::linear
// prints:     aten::t
// prints:       aten::transpose.int
// prints:     aten::matmul
// prints:       aten::mm
// prints: aten::relu
// prints:   aten::relu
// prints: aten::linear
// prints:   aten::linear
// prints:     aten::t
// prints:       aten::transpose.int
// prints:     aten::matmul
// prints:       aten::mm
// prints: aten::mean
// prints:   aten::sum
// prints:     aten::sum
// prints:   aten::div.Scalar
// prints:     aten::div.Tensor
// prints:       aten::div.Tensor
// prints: aten::mm in backward: 60 calls, 27525120 operations
// prints: aten::mm in forward: 40 calls, 24248320 operations
// prints: aten::mm allocates
// prints: 4 nodes in the trace

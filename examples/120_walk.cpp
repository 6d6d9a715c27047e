// 120: one step of evaluation, written once, on any device. Inputs are moved to the device, the model, its results, the
// labels and the loss stay there. The npu is an external backend: only npu/npu.cpp is linked.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

import topbit;
import topbit.cuda;
namespace tb = topbit;

struct model {
  tb::tensor weight, bias;
  tb::tensor operator()(const tb::tensor& x) const { return tb::mm(x, weight) + bias; }
};

// Where a call would run, without running it.
template <class Op, class... A>
std::string runs_at(const Op& op, const A&... arguments) {
  const tb::no_grad below_autograd;
  return to_string(tb::explain(op, arguments...).selected);
}

void walk(tb::device where) {
  const auto there = [&](const tb::tensor& host) { return tb::to(host, where); };
  const model m{there(tb::from_values<float>({1, -1, 0, 2, 0, 1}, {2, 3})),
                there(tb::from_values<float>({0, 1, 0}, {3}))};

  const tb::tensor input = there(tb::from_values<float>({1, 2, 3, -1}, {2, 2}));
  const tb::tensor output = tb::log_softmax(m(input), -1);
  const tb::tensor host_labels = tb::from_values<std::int64_t>({2, 0}, {2}), labels = there(host_labels);
  const tb::tensor loss = tb::nll_loss(output, labels);

  std::printf("%s: mm at %s, nll_loss at %s, output and loss on %s and %s\n", to_string(where).c_str(),
              runs_at(tb::aten::mm, input, m.weight).c_str(),
              runs_at(tb::aten::nll_loss_forward, output, labels, std::nullopt, 1, -100).c_str(),
              to_string(output.device()).c_str(), to_string(loss.device()).c_str());
  if (where != tb::meta) std::printf("  loss %.4f\n", tb::item(loss));  // meta has shapes and no elements

  // Labels on another device are neither moved silently nor a crash.
  try {
    tb::nll_loss(output, tb::to(host_labels, where == tb::cpu ? tb::meta : tb::cpu));
  } catch (const tb::device_error& e) {
    std::printf("  %s\n", e.what());
  }
}

// With the argument cuda: the same on a GPU. A separate run, so that the output of the other one is the same
// everywhere.
int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "cuda") == 0) {
    if (!tb::cuda_available()) return std::puts(tb::cuda_unavailable_reason().c_str()), 77;
    walk(tb::cuda());
    return 0;
  }
  walk(tb::cpu);
  walk(tb::meta);
  walk(tb::parse_device("npu"));
}

// prints: cpu: mm at CPU, nll_loss at CPU, output and loss on cpu and cpu
// prints:   loss 1.6124
// prints:   aten::nll_loss: found argument 1 'self' on cpu and argument 2 'target' on meta, wanted one device; move one with to()
// prints: meta: mm at Meta, nll_loss at Meta, output and loss on meta and meta
// prints:   aten::nll_loss: found argument 1 'self' on meta and argument 2 'target' on cpu, wanted one device; move one with to()
// prints: npu:0: mm at npu, nll_loss at npu, output and loss on npu:0 and npu:0
// prints:   loss 1.6124
// prints:   aten::nll_loss: found argument 1 'self' on npu:0 and argument 2 'target' on cpu, wanted one device; move one with to()

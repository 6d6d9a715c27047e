// 270: graphs. A program is recorded: what it called is printed, replayed for other inputs, on another device, from a
// file.
#include <cstdio>
#include <string>

import topbit;
import topbit.graphs;

namespace tb = topbit;
namespace graphs = topbit::graphs;

struct network {
  tb::tensor weight = tb::full({2, 3}, 0.5);
  static void each_parameter(auto& self, auto&& visit) { visit("weight", self.weight); }
  tb::tensor operator()(const tb::tensor& x) const { return tb::softmax(tb::linear(x, weight), 1); }
};

int main() {
  const network net;
  const tb::tensor x = tb::tensor({{1.f, 2, 3}, {4, 5, 6}});

  // Inputs are given anew to each replay; parameters are the tensors themselves.
  graphs::recorder recording({.inputs = {{"x", x}}, .parameters = tb::named_parameters(net)});
  const tb::tensor y = net(x);
  const graphs::graph g = recording.finish({{"y", y}});
  std::printf("%s", to_string(g).c_str());

  // Other inputs of the same sizes.
  const tb::tensor other = tb::ones({2, 3});
  if (!tb::equal(graphs::replay(g, {other})[0], net(other))) return 1;

  // On Meta, where tensors have sizes and no elements: what memory the program needs.
  const tb::device meta{tb::backend::Meta};
  const tb::tensor there = tb::author::make_tensor(x.sizes(), x.dtype(), meta);
  const tb::tensor sizes = graphs::replay(g, {there}, {.map = {{tb::cpu, meta}}})[0];
  std::printf("%s on meta, %d bytes at most\n", tb::to_string(sizes.sizes()).c_str(),
              static_cast<int>(graphs::peak_bytes(g)));

  // One file, with the parameters' elements.
  graphs::save_graph("step.safetensors", g);
  const graphs::graph loaded = graphs::load_graph("step.safetensors");
  std::remove("step.safetensors");
  if (!tb::equal(graphs::replay(loaded, {x})[0], y)) return 1;

  // Recordings with two sizes are a program of any size.
  const auto rows = [&](int n) {
    return graphs::record([&](const tb::tensor& t) { return net(t) * t.size(0); },
                          {.parameters = tb::named_parameters(net)}, tb::ones({n, 3}));
  };
  graphs::sized_replayer any_size(graphs::free_size(rows(4), rows(7)));
  const tb::tensor large = tb::ones({100, 3});
  if (!tb::equal(any_size({large})[0], net(large) * 100)) return 1;

  // An element that the program read is read again: if it differs, the program might have gone another way.
  const graphs::graph scaled = graphs::record([](const tb::tensor& t) { return t * tb::item(tb::sum(t)); }, x);
  try {
    graphs::replay(scaled, {other});
  } catch (const graphs::graph_mismatch& e) {
    std::printf("%s\n", e.what());
  }
}

// prints: topbit graph 1.0
// prints: operator aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
// prints: operator aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
// prints: operator aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor
// prints: input %0 "x": float32[2,3] cpu s0:24
// prints: parameter %1 "weight": float32[2,3] cpu s1:24
// prints: %2: float32[2,2] cpu s2:16 = aten::linear(%0, %1, None)
// prints: %3: float32[2,2] cpu s3:16 = aten::softmax.int(%2, 1, None) {
// prints:   %3 = aten::_softmax(%2, 1, False)
// prints: }
// prints: output "y" %3
// prints: [2, 2] on meta, 80 bytes at most
// prints: replay: node 1, aten::_local_scalar_dense: found 6.0, the recording has 21.0, and the program may have gone another way

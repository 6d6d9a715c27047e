// Graphs as text and JSON are read back as they were, and what is no graph is refused with its place.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace graphs = topbit::graphs;
using graphs::graph;
using programs::small;
using tb::tensor;

TEST_CASE("text: a line for each node, declarations where a tensor is first mentioned", "[graphs]") {
  const tensor x = programs::counted({2, 3}), w = tb::require_grad(programs::counted({4, 3}));
  const tb::generator own(7);
  graphs::recorder recording({.inputs = {{"x", x}}, .parameters = {{"w", w}}});
  tensor y = tb::mm(x, tb::swapaxes(w, 0, 1));
  tb::backward(y, tb::ones({2, 4}));
  {
    const tb::no_grad no_graph;
    tb::bernoulli_(y, 0.5, tb::arg<"generator"> = own);
  }
  const graph g = recording.finish({{"y", y}});
  CHECK(graphs::to_string(g) == R"(topbit graph 1.0
operator aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)
operator aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
operator aten::mm(Tensor self, Tensor mat2) -> Tensor
operator aten::ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
operator aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
operator aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)
input %0 "x": float32[2,3] cpu s0:24
parameter %1 "w": float32[4,3] cpu s1:48 grad
%2: float32[3,4]{1,3} cpu s1 grad = aten::swapaxes(%1, 0, 1) {
  %2 = aten::transpose.int(%1, 0, 1)  # 1
}
%3: float32[2,4] cpu s2:32 grad = aten::mm(%0, %2)  # 2
%4: float32[2,4] cpu s3:32 = aten::ones([2, 4], dtype=None, layout=None, device=None, pin_memory=None)
%5: float32[4,2]{1,4} cpu s3 = aten::transpose.int(%4, -2, -1) backward of 2
%6: float32[4,3] cpu s4:48 = aten::mm(%5, %0) backward of 2
%7: float32[3,4]{1,3} cpu s4 = aten::transpose.int(%6, -2, -1) backward of 2
%8: float32[4,3] cpu s4 = aten::transpose.int(%7, 0, 1) backward of 1
%9: float32[4,3] cpu s5:48 = aten::clone(%8, memory_format=contiguous_format) no_grad
%3 = aten::bernoulli_.float(%3, 0.5, generator=generator) no_grad draws 8 from 1:7+0
output "y" %3
)");
}

TEST_CASE("text: what is printed is read back as the same graph", "[graphs]") {
  for (const auto& [name, g] : programs::all()) {
    INFO(name);
    const std::string text = graphs::to_string(g);
    const graph read = graphs::parse_graph(text);
    CHECK(graphs::to_string(read) == text);
    CHECK_FALSE(graphs::compare_graphs(g, read));
    CHECK(read.nodes().size() == g.nodes().size());
    CHECK(read.written() == g.written());
    CHECK(read.escapes() == g.escapes());
    const std::string json = graphs::to_json(g);
    const graph from_json = graphs::graph_from_json(json);
    CHECK(graphs::to_json(from_json) == json);
    CHECK(graphs::to_string(from_json) == text);
  }
}

TEST_CASE("text: a program that is read replays as the one that was recorded", "[graphs]") {
  const tensor x = programs::counted({4, 2});
  const graph g = programs::lists();
  const tensor y = graphs::replay(g, {x})[0];
  CHECK(tb::equal(graphs::replay(graphs::parse_graph(graphs::to_string(g)), {x})[0], y));
  CHECK(tb::equal(graphs::replay(graphs::graph_from_json(graphs::to_json(g)), {x})[0], y));
  const graph drawn = programs::random_numbers();
  const tensor square = programs::counted({4, 4});
  CHECK(tb::equal(graphs::replay(graphs::parse_graph(graphs::to_string(drawn)), {square})[0],
                  graphs::replay(drawn, {square})[0]));
}

TEST_CASE("text: blanks, comments, single quotes and defaults are read, of people too", "[graphs]") {
  const graph g = graphs::parse_graph(
      "# by hand\n\ntopbit graph 1.7\n"
      "operator aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      "  input %0 'x' : float [ 2 ] cpu s0 : 8   # an alias of float32\n"
      "%1: float32[2] cpu s1:8 = aten::add.Tensor( %0 ,%0 )\n"
      "output 'y' %1");
  CHECK(graphs::to_string(g) ==
        "topbit graph 1.0\n"
        "operator aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
        "input %0 \"x\": float32[2] cpu s0:8\n"
        "%1: float32[2] cpu s1:8 = aten::add.Tensor(%0, %0, alpha=1)\n"
        "output \"y\" %1\n");
  const tensor x = tb::tensor({1.f, 2});
  CHECK(tb::equal(graphs::replay(g, {x})[0], x + x));
}

TEST_CASE("text: tensors and storages that no call mentions are kept", "[graphs]") {
  const std::string text =
      "topbit graph 1.0\n"
      "storage s1:64 cuda:1\n"
      "input %0 \"x\": float32[2] cpu s0:8\n"
      "unused %1: int64[0,3] cpu\n"
      "unused %2: float32[1]{7} meta s1+5 grad\n"
      "unused %3: bool[] opaque cpu\n"
      "output \"again\" %0\n"
      "output \"x\" %0\n";
  CHECK(graphs::to_string(graphs::parse_graph(text)) == text);
  CHECK(graphs::to_string(graphs::graph_from_json(graphs::to_json(graphs::parse_graph(text)))) == text);
}

TEST_CASE("text: names and faults may be any text", "[graphs]") {
  const std::string text =
      "topbit graph 1.0\n"
      "operator aten::neg(Tensor self) -> Tensor\n"
      "input %0 \"a \\\"b\\\" # \\n \\x1b ü\": float32[] cpu s0:4\n"
      "%1: float32[] cpu s1:4 = aten::neg(%0) update fault \"one, # two\" fault \"three\"\n"
      "output \"\" %1\n";
  const graph g = graphs::parse_graph(text);
  CHECK(g.inputs()[0].name == "a \"b\" # \n \x1b ü");
  CHECK(g.faults()[1].text == "three");
  CHECK(graphs::to_string(g) == text);
  CHECK(graphs::to_string(graphs::graph_from_json(graphs::to_json(g))) == text);
  const graph not_utf8 = graphs::parse_graph("topbit graph 1.0\ninput %0 \"\\xff\": float32[] cpu s0:4\n");
  CHECK(not_utf8.inputs()[0].name == "\xff");
  CHECK(toy::text_of<graphs::graph_error>([&] { graphs::to_json(not_utf8); }) ==
        "to_json: found the name \"\\xff\", wanted UTF-8");
}

TEST_CASE("text: an operator may have gained arguments that have defaults", "[graphs]") {
  const std::string older = programs::replaced(programs::replaced(small, ", Scalar alpha=1) -> Tensor", ") -> Tensor"),
                                               "(%3, 1.5, 1)", "(%3, 1.5)");
  CHECK(graphs::to_string(graphs::parse_graph(older)) == small);
}

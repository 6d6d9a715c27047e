#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using tb::tensor;
using toy::text_of;

namespace {
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("graph: each call and each leaf is drawn once, with the metadata of its result", "[autograd][graph]") {
  const tensor a = tb::require_grad(tensor_of({1, 2}, {2})), b = tb::require_grad(tensor_of({3, 4}, {2}));
  const tensor product = a * b;
  const tensor y = aten::sum(product * product);
  CHECK(tb::graph_as_dot(y) ==
        "digraph gradients {\n"
        "  rankdir=TB;\n"
        "  node [shape=box, fontname=\"sans-serif\"];\n"
        "  n0 [label=\"aten::sum\\nfloat64 []\"];\n"
        "  n1 [label=\"aten::mul.Tensor\\nfloat64 [2]\"];\n"
        "  n2 [label=\"aten::mul.Tensor\\nfloat64 [2]\"];\n"
        "  n3 [label=\"leaf\\nfloat64 [2]\", shape=ellipse];\n"
        "  n4 [label=\"leaf\\nfloat64 [2]\", shape=ellipse];\n"
        "  n0 -> n1;\n"
        "  n1 -> n2;\n"
        "  n1 -> n2;\n"
        "  n2 -> n3;\n"
        "  n2 -> n4;\n"
        "}\n");
  const std::string svg = tb::graph_as_svg(y);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<rect x=") == 5);
  CHECK(count(svg, "<line ") == 5);
  CHECK(count(svg, ">leaf</text>") == 2);
}

TEST_CASE("graph: results of one call are one box", "[autograd][graph]") {
  const tensor x = tb::require_grad(tensor_of({3, 1, 2, 6, 5, 4}, {2, 3}));
  const tensor y = aten::layer_norm(x, std::vector<std::int64_t>{3});
  CHECK(count(tb::graph_as_dot(y), "native_layer_norm") == 1);
}

TEST_CASE("graph: omitted nodes are counted", "[autograd][graph]") {
  tensor y = tb::require_grad(tensor_of({1}, {1}));
  for (int i = 0; i < 20; ++i) y = y * 2;
  const std::string dot = tb::graph_as_dot(y, 5);
  CHECK(count(dot, "label=\"aten::mul") == 5);
  CHECK(count(dot, "16 more nodes are not shown") == 1);
  CHECK(count(tb::graph_as_svg(y, 5), "16 more nodes are not shown") == 1);
}

TEST_CASE("graph: a tensor without a graph is refused", "[autograd][graph]") {
  CHECK(text_of<tb::error>([] { tb::graph_as_dot(tensor_of({1}, {1})); }) ==
        "graph: found a tensor that was not computed from one that requires a gradient");
}

// Pictures: which boxes and edges there are, and that both forms are well-formed.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace graphs = topbit::graphs;
using graphs::graph;
using tb::tensor;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size()) ++found;
  return found;
}
bool has(std::string_view text, std::string_view what) { return count(text, what) != 0; }

// Every element is closed where it must be, and no attribute has a character that it must not have.
bool is_well_formed(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string_view::npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos || std::ranges::count(tag, '"') % 2 != 0) return false;
    const std::string name(tag.substr(0, tag.find(' ')));
    if (name.starts_with('/')) {
      if (open.empty() || "/" + open.back() != name) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

}  // namespace

TEST_CASE("draw: data edges are solid, aliases dashed, the order of writes red", "[graphs]") {
  const tensor x = programs::counted({2, 2});
  const graph g = graphs::record(
      [](const tensor& a) {
        tensor y = tb::neg(a);             // n1
        tensor row = tb::select(y, 0, 0);  // n2, an alias
        tb::abs_(row);                     // n3, which writes what n4 reads
        return tb::exp(y);                 // n4
      },
      x);
  const std::string dot = graphs::as_dot(g);
  CHECK(has(dot, "n0 [label=\"input \\\"0\\\"\\n%0: float32[2,2] cpu\", shape=ellipse"));
  CHECK(has(dot, "n1 [label=\"aten::neg\\n%1: float32[2,2] cpu\", shape=box"));
  CHECK(has(dot, "  n0 -> n1;\n"));
  CHECK(has(dot, "  n1 -> n2 [style=dashed];\n"));
  CHECK(has(dot, "  n2 -> n3;\n"));
  CHECK(has(dot, "  n1 -> n4;\n"));
  CHECK(has(dot, "  n3 -> n4 [color=\"#cc0000\"];\n"));
  CHECK(has(dot, "  n4 -> n5;\n"));
  CHECK(count(dot, "->") == 6);
  const std::string svg = graphs::as_svg(g);
  CHECK(count(svg, "<path ") == 6);
  CHECK(count(svg, "stroke-dasharray") == 1);
  CHECK(count(svg, "stroke=\"#cc0000\"") == 1);
}

TEST_CASE("draw: a composite is a region around its parts, captured tensors are grey", "[graphs]") {
  const graph g = graphs::parse_graph(programs::small);
  const std::string dot = graphs::as_dot(g);
  const std::size_t region = dot.find("subgraph cluster_2 {\n    label=\"aten::linear\"");
  REQUIRE(region != std::string::npos);
  const std::size_t end = dot.find("\n  }\n", region);
  CHECK(dot.find("aten::t\\n") < end);
  CHECK(dot.find("aten::mm\\n") < end);
  CHECK(dot.find("aten::add.Scalar\\n") > end);
  CHECK(count(dot, "{") == count(dot, "}"));
  CHECK_FALSE(has(dot, "#dddddd"));
  const graph captured = graphs::record([](const tensor& x) { return x * tb::tensor(2.f); }, programs::counted({2}));
  CHECK(count(graphs::as_dot(captured), "fillcolor=\"#dddddd\"") == 1);
  CHECK(count(graphs::as_svg(captured), "fill=\"#dddddd\"") == 1);
}

TEST_CASE("draw: pictures of all programs are well-formed", "[graphs]") {
  for (const auto& [name, g] : programs::all()) {
    INFO(name);
    const std::string svg = graphs::as_svg(g), dot = graphs::as_dot(g);
    CHECK(is_well_formed(svg));
    CHECK(count(dot, "{") == count(dot, "}"));
    CHECK(std::ranges::count(dot, '"') % 2 == 0);
  }
  const graph odd = graphs::parse_graph("topbit graph 1.0\ninput %0 \"<a & 'b'>\\\\\\\"\": float32[] cpu s0:4\n");
  CHECK(is_well_formed(graphs::as_svg(odd)));
  CHECK(has(graphs::as_svg(odd), "&lt;a &amp; 'b'&gt;"));
}

TEST_CASE("draw: a large program is drawn in part, and says so", "[graphs]") {
  const graph g = programs::training_step(programs::network{});
  const std::string svg = graphs::as_svg(g, 3), dot = graphs::as_dot(g, 3);
  const std::string note = std::to_string(g.nodes().size() - 3) + " more calls are not shown";
  CHECK(has(svg, note));
  CHECK(has(dot, note));
  CHECK(is_well_formed(svg));
  CHECK(count(dot, "{") == count(dot, "}"));
  CHECK_FALSE(has(graphs::as_svg(g), "not shown"));
}

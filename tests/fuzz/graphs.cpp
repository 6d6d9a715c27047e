// Any bytes are a graph, as text or JSON, or an error that a terminal can show; what is printed of a graph is read back
// as the same graph.
//
// JSON begins with '{'. A unit of the module, built together with the readers, so that libFuzzer sees which of their
// code has run.
module;
#include "require.h"
module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :draw;
import :text;

namespace topbit::graphs {
namespace {

using fuzz::require;

void check(std::string_view input) {
  const graph g = input.starts_with('{') ? graph_from_json(input) : parse_graph(input);
  for (number i = 0; i < g.nodes().size(); ++i) {
    const node& n = g.nodes()[i];
    require(n.end > i && n.end <= g.nodes().size(), "parts are nodes after it");
    require(n.forward == nothing || n.forward < i, "a gradient is one of a node before it");
    g.each_tensor(g.arguments(n), [&](number t, const argument&) {
      const number maker = g.tensors()[t].maker;
      require(t < g.tensors().size(), "an argument is a tensor");
      require(g.tensors()[t].from != source::node || maker < i, "a tensor is made before it is read");
    });
  }
  const std::string text = to_string(g);
  require(to_string(parse_graph(text)) == text, "what is printed is read back");
  as_dot(g);
  as_svg(g);
  std::string json;
  try {
    json = to_json(g);
  } catch (const graph_error&) {
    return;  // a name that is not UTF-8
  }
  const graph again = graph_from_json(json);
  require(to_json(again) == json, "JSON is read back");
  require(to_string(again) == text, "JSON has all that the text has");
}

}  // namespace
}  // namespace topbit::graphs

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    topbit::graphs::check({reinterpret_cast<const char*>(data), size});
  } catch (const topbit::error& e) {
    fuzz::require_shown_safely(e.what(), 10'000, [](unsigned char c) { return c == '\n' || fuzz::is_shown(c); });
  }
  return 0;
}

// Pictures of graphs: calls in the order of the program, regions of composites around their parts.
//
// Solid: the call reads the tensor. Dashed: its result shares the tensor's memory. Red: it must come later, since one
// of the two writes memory that the other uses too.
export module topbit.graphs:draw;

import topbit.std;
import :graph;

export namespace topbit::graphs {

/// In the language of Graphviz: `dot -Tsvg graph.dot -o graph.svg`. Captured tensors are grey. Not more than `most`
/// calls; the rest is counted.
std::string as_dot(const graph& g, std::size_t most = 1000);

/// The same as an SVG that needs nothing else: a line for each call, from top to bottom, with the edges at the right.
std::string as_svg(const graph& g, std::size_t most = 1000);

}  // namespace topbit::graphs

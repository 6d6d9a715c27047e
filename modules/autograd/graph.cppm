// Drawing the recorded graph.
export module topbit.autograd:graph;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// The graph from which `roots` were computed, in the language of Graphviz: a box for each call, with its operator and
/// what its result looks like, an ellipse for each leaf; arrows follow the gradients. At most `most` nodes, the nearest
/// to the roots; a separate box counts omitted ones.
export std::string graph_as_dot(std::span<const tensor> roots, std::size_t most = 1000);
export std::string graph_as_dot(const tensor& root, std::size_t most = 1000);

/// The same as a self-contained SVG drawing: a row for each distance from the leaves.
export std::string graph_as_svg(std::span<const tensor> roots, std::size_t most = 1000);
export std::string graph_as_svg(const tensor& root, std::size_t most = 1000);

}  // namespace topbit

// The recorded graph as a picture.
export module topbit.autograd:graph;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// The graph from which `roots` were computed, in the language of Graphviz: a box for each call, with its operator and
/// what its result looks like, an ellipse for each leaf; arrows go the way gradients go. `most` nodes at the most, the
/// nearest to the roots; what is left out is said in a box of its own.
export std::string graph_as_dot(std::span<const tensor> roots, std::size_t most = 1000);
export std::string graph_as_dot(const tensor& root, std::size_t most = 1000);

/// The same drawn, as an SVG page that needs no other program: a row for each distance from the leaves.
export std::string graph_as_svg(std::span<const tensor> roots, std::size_t most = 1000);
export std::string graph_as_svg(const tensor& root, std::size_t most = 1000);

}  // namespace topbit

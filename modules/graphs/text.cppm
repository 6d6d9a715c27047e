// Graphs as text, for people, and as JSON, for programs. Both are read back as the same graph, with the same numbers,
// but for the elements of parameters and captured tensors, which they do not have.
//
//   topbit graph 1.0
//   operator aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
//   operator aten::t(Tensor(a) self) -> Tensor(a)
//   operator aten::mm(Tensor self, Tensor mat2) -> Tensor
//   input %0 "x": float32[64,8] cpu s0:2048
//   parameter %1 "hidden.weight": float32[4,8] cpu s1:128 grad
//   %3: float32[64,4] cpu s2:1024 = aten::linear(%0, %1, None) {
//     %2: float32[8,4]{1,8} cpu s1 = aten::t(%1)
//     %3 = aten::mm(%0, %2)
//   }
//   output "y" %3
//
// A tensor is declared where it is first mentioned: dtype, sizes, {strides} unless they are row-major, a layout unless
// it is strided, device, storage with its bytes where that is mentioned first, +offset unless it is 0, grad if it
// requires a gradient. Results are tensors, lists, or values in quotes. A call ends in `backward of 3`, the number of
// the node whose gradient it computes, `update`, `draws 12 from 0:6+40`, which is generator 0 with seed 6 at position
// 40, `fault "text"`, where there is such. Tensors and storages that no call mentions have lines of their own,
// `unused %4: float32[2] cpu` and `storage s3:64 cpu`. Blank lines, and what follows a # outside of quotes, are
// skipped.
export module topbit.graphs:text;

import topbit.std;
import :graph;

export namespace topbit::graphs {

/// Equal graphs give equal texts.
/// Cost     about 100 bytes a node
std::string to_string(const graph& g);
/// Reads what to_string() wrote, or a person. It believes nothing: at most a million nodes, 64 arguments each, parts 64
/// deep; every tensor made before it is read and inside its storage, every operator registered with the same schema, or
/// one with further arguments that have defaults.
///
/// Errors   graph_error with the line, and for a mistake in writing the column, what was found and what was wanted
/// Cost     time and memory grow with the text
graph parse_graph(std::string_view text);

/// One object, {"topbit_graph": {"major": 1, "minor": 0}, "operators": [...], "storages": [...], "tensors": [...],
/// "inputs": [...], "parameters": [...], "captured": [...], "nodes": [...], "outputs": [...], "faults": [...]}, on one
/// line. Calls have arguments and results as in the text; tensors, storages and nodes are numbered by their order.
///
/// Errors   graph_error for a name that is not UTF-8, and for a constant of a type that has no text
std::string to_json(const graph& g);
/// Reads what to_json() wrote, of this major version; members that it does not know are skipped, and not written again.
/// It believes as little as parse_graph(), with the same limits.
///
/// Errors   graph_error with the byte of the text, or the member or node, what was found and what was wanted
graph graph_from_json(std::string_view text);

}  // namespace topbit::graphs

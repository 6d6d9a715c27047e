// Graphs made smaller. A pass makes a new graph and says what it did; of a call that it cannot prove to be what it
// needs it leaves everything as it is, and says why.
export module topbit.graphs:passes;

import topbit.std;
import :graph;

export namespace topbit::graphs {

/// What a pass did with a node of the graph it was given, or why it left it.
struct pass_note {
  number node;
  bool changed;
  std::string text;
};
struct pass_result {
  graphs::graph graph;
  std::vector<pass_note> notes;
};

/// Removes the calls of which nothing is read: that make no tensor that is read or returned, write no memory that is
/// read afterwards or comes from outside, and are not tagged escape, effect or collective. Calls that draw random
/// numbers go too, as the others keep the positions of theirs. Calls that did not do what their schema says, as
/// graph::faults() has them, stay. Cost: one visit of each node.
pass_result remove_dead_code(const graph& g);

/// Makes one call of several that compute the same: of one operator, with the same constants by type and bits, on the
/// same tensors at the same versions of their storages. Calls that write, draw random numbers, or are tagged escape,
/// effect, collective or nondeterministic stay, and so do calls whose results are written later or returned both.
/// Cost: one visit of each node, and a text for each.
pass_result merge_common_calls(const graph& g);

/// A graph without writes and without views, but where these reach the caller: each write makes new elements of the
/// whole storage that it wrote (as_strided_scatter), a view that is read after it is a copy out of those
/// (as_strided_copy), and at the end what was written from outside is copied there, in the order of inputs, parameters
/// and captured tensors. An operator that writes becomes the one that returns what it wrote, add for add_ and add.out;
/// where there is none, it writes a copy that nothing else has. Composites go by their parts. Outputs have the strides
/// and the shared memory of the recording. Formula: docs/graphs.md. Cost: one visit of each node.
pass_result functionalize(const graph& g);

/// "node 3, aten::mm: removed, nothing reads it", a line each.
std::string to_string(std::span<const pass_note> notes, const graph& given);

}  // namespace topbit::graphs

// Graphs in files: one of safetensors, so that every reader of these shows the tensors, and nothing in it is run.
export module topbit.graphs:file;

import topbit.std;
import :graph;

export namespace topbit::graphs {

/// Writes a graph with the elements of its parameters and captured tensors. The file's metadata have to_json() as
/// "topbit.graph". Parameters have their names in the file, captured tensors "captured.0" and so on; where several
/// share their memory, or one does not fill its, the whole memory is one flat tensor, "storage.3" of storage 3. Written
/// as save_tensors() writes, also from other devices.
///
/// Errors   graph_error for a graph without elements, as one read from text is, and for what to_json() refuses; error
///          where save_tensors() throws one: for a name that is there twice, and for a graph whose JSON takes more than
///          the 100 MB that the format allows
void save_graph(const std::string& path, const graph& g);

/// Reads what save_graph() wrote. Tensors are on the host, with the strides and the shared memory of the recording;
/// those that required a gradient do again. A replay copies them to other devices. It believes nothing, as
/// graph_from_json() and load_tensors(); memory is bounded by the file's size.
///
/// Errors   graph_error for a file without a graph or without its tensors, and where graph_from_json() throws one;
///          error where load_tensors() throws one
graph load_graph(const std::string& path);

}  // namespace topbit::graphs

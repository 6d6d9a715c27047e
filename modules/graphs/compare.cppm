// Where two programs are not the same, and whether one depends on the elements of its inputs.
export module topbit.graphs:compare;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;
import :recorder;

export namespace topbit::graphs {

/// The first difference of two graphs.
struct difference {
  number node = nothing;  ///< of both; nothing for a difference of inputs, parameters or outputs
  std::string what;       ///< "operator", "argument 'alpha'", "sizes of a result"
  std::string a, b;       ///< the calls as text, or what else differs; empty where there is none
};

/// Compares inputs and parameters, then node by node operators, arguments, results, nesting, phases, and how much is
/// drawn at random, then outputs. Tensors are the same where the same nodes make them, whatever their numbers, with
/// equal dtype, sizes, strides, device and shared memory; constants where type and text are, captured numbers too.
/// Other elements are not compared, neither are those that calls returned to the host as numbers, nor positions of
/// random numbers. Cost     two texts a node
std::optional<difference> compare_graphs(const graph& a, const graph& b);

/// "node 3, argument 'alpha':\n  aten::add...\n  aten::add..."
std::string to_string(const difference& d);

/// A tensor like `t` for another recording: other floating elements in one of two ways, integers in another order, so
/// that indices stay valid.
tensor other_elements(const tensor& t, int way);

/// Records f(inputs...), which returns a tensor, with these elements, with negative ones, and with small ones. A
/// difference is control flow or a constant that depends on elements: a replay of the recording is right for some
/// inputs only. No difference is no proof. f is called three times. Throws what record() and f throw.
template <class F, std::same_as<tensor>... T>
std::optional<difference> check_recording(F&& f, const recorder_options& options, const T&... inputs) {
  const graph first = record(f, options, inputs...);
  for (const int way : {0, 1}) {
    std::optional<difference> found = compare_graphs(first, record(f, options, other_elements(inputs, way)...));
    if (found) return found;
  }
  return std::nullopt;
}
template <class F, std::same_as<tensor>... T>
std::optional<difference> check_recording(F&& f, const T&... inputs) {
  return check_recording(std::forward<F>(f), recorder_options{}, inputs...);
}

}  // namespace topbit::graphs

// Running the graph in reverse.
export module topbit.autograd:engine;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export struct backward_options {
  /// Keeps the saved tensors, so that the graph can be run again. Otherwise each node frees them after it has run.
  bool retain_graph = false;
  /// Records the run itself, so that gradients have gradients; keeps the graph.
  bool create_graph = false;
  /// The leaves that accumulate a gradient; all if empty.
  std::vector<tensor> inputs = {};
};

/// Adds the gradients of `root` to all leaves it was computed from. Without `gradient`, root must have one element.
///
/// Cost     one visit per node, deepest first, without recursion; unshared sums are computed in place
/// Layers   each rule runs with the include and exclude sets of the thread that recorded its call, except observers
///          (Tracer, TestMode, ModesBelow, ModesAbove), which are the caller's
/// Errors   error if root needs no gradient, if the graph was released by an earlier backward, if a saved tensor was
///          written in place, if a rule's gradient does not match its argument, if a hook or a rule made a cycle, if
///          nested runs by hooks or rules exhaust the thread's stack; shape_error, dtype_error or device_error if root
///          is no scalar or `gradient` does not match it. An exception of a rule or a hook is rethrown nested in
///          backward_error with the chain of operators from the root; std::bad_alloc unchanged. After an error no leaf
///          has changed, unless a post-accumulate hook threw it, which run last; without retain_graph the graph is
///          released
/// Threads  graphs that share leaves may run concurrently; a graph that two threads run concurrently must be retained
///          by both
export void backward(const tensor& root, const tensor& gradient = {}, const backward_options& options = {});

/// The same for several roots at once. `gradients` is empty or has one for each, undefined for single-element roots.
export void backward(std::span<const tensor> roots, std::span<const tensor> gradients = {},
                     const backward_options& options = {});

export struct grad_options {
  bool retain_graph = false, create_graph = false;
  /// Allows inputs that no output depends on, with an undefined gradient; otherwise an error.
  bool allow_unused = false;
  /// Of the outputs: empty, or one for each.
  std::vector<tensor> gradients = {};
};

/// The gradients of the sum of `outputs` with respect to `inputs`, which need not be leaves; no leaf accumulates
/// anything, and only nodes between the two run. Errors as backward().
export std::vector<tensor> grad(std::span<const tensor> outputs, std::span<const tensor> inputs,
                                const grad_options& options = {});
export inline std::vector<tensor> grad(std::initializer_list<tensor> outputs, std::span<const tensor> inputs,
                                       const grad_options& options = {}) {
  return grad(std::span<const tensor>(outputs.begin(), outputs.size()), inputs, options);
}
export inline std::vector<tensor> grad(std::initializer_list<tensor> outputs, std::initializer_list<tensor> inputs,
                                       const grad_options& options = {}) {
  return grad(outputs, std::span<const tensor>(inputs.begin(), inputs.size()), options);
}
export tensor grad(const tensor& output, const tensor& input, const grad_options& options = {});

export namespace author {

/// What functions of these names do where a root, an output, an input or the tensor is a layer's wrapper, which has no
/// gradient of its own.
struct wrapper_gradients {
  void (*require_grad)(const tensor& t, bool wanted) = nullptr;
  tensor (*leaf_grad)(const tensor& t) = nullptr;
  void (*backward)(std::span<const tensor> roots, std::span<const tensor> gradients,
                   const backward_options& options) = nullptr;
  std::vector<tensor> (*grad)(std::span<const tensor> outputs, std::span<const tensor> inputs,
                              const grad_options& options) = nullptr;
};
/// Makes autograd ask these for wrappers that bring the key; others are refused. For good: `g` lives as long as the
/// process.
void set_wrapper_gradients(functionality of, const wrapper_gradients& g) noexcept;

}  // namespace author

namespace detail {

// Those for a wrapper. Throws error if its layer has none.
const author::wrapper_gradients& gradients_of_wrapper(std::string_view who, const tensor& t);
// Whether this thread's stack is nearly exhausted. The first call queries the system, which takes some microseconds.
bool is_stack_short() noexcept;

}  // namespace detail

/// An exception of a rule or a hook, with the operators leading to it; the exception itself is nested.
export class backward_error : public error, public std::nested_exception {
 public:
  using error::error;
};

}  // namespace topbit

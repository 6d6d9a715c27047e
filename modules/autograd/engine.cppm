// Running the graph backwards.
export module topbit.autograd:engine;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export struct backward_options {
  /// Keeps what nodes saved, so that the graph can be run again. What a run is done with is dropped as it goes
  /// otherwise.
  bool retain_graph = false;
  /// Records the run itself, so that gradients have gradients; keeps the graph.
  bool create_graph = false;
  /// The leaves that gather a gradient; all there are if none is given.
  std::span<const tensor> inputs = {};
};

/// Adds the gradients of `root` to all leaves it was computed from. Without `gradient`, root must have one element.
///
/// Cost     one visit per node, deepest first, without recursion; sums are made in place where nobody else can see them
/// Layers   each rule runs with the include and exclude sets of the thread that recorded its call, but for those that
///          observe (Tracer, Profiler, Trace, ContractCheck, TestMode), which are the caller's
/// Errors   error if root needs no gradient, if the graph was released by an earlier backward, if a saved tensor was
///          written in place, if a rule's gradient does not fit its argument, if a hook or a rule made a cycle, if
///          hooks or rules began so many runs within each other that the thread's stack is used up;
///          shape_error, dtype_error or device_error if root is no scalar or `gradient` does not fit it. What a rule or
///          a hook throws comes out as backward_error with the chain of operators from the root to it; std::bad_alloc
///          as it is. After an error no leaf has changed, unless a hook on gathered gradients threw it, which run
///          last; without retain_graph the graph is released
/// Threads  graphs that share leaves may run at once; a graph that two threads run at once must be retained by both
export void backward(const tensor& root, const tensor& gradient = {}, const backward_options& options = {});

/// The same for several roots at once. `gradients` is empty or has one for each, undefined ones for single elements.
export void backward(std::span<const tensor> roots, std::span<const tensor> gradients = {},
                     const backward_options& options = {});

export struct grad_options {
  bool retain_graph = false, create_graph = false;
  /// An input that no output was computed from is an error, unless this says that its gradient is undefined then.
  bool allow_unused = false;
  /// Of the outputs: empty, or one for each.
  std::span<const tensor> gradients = {};
};

/// The gradients of the sum of `outputs` by `inputs`, which need not be leaves; no leaf gathers anything, and only
/// nodes between the two are run. Errors as backward().
export std::vector<tensor> grad(std::span<const tensor> outputs, std::span<const tensor> inputs,
                                const grad_options& options = {});
export tensor grad(const tensor& output, const tensor& input, const grad_options& options = {});

namespace detail {

// Whether this thread has used up nearly all of its stack. Asks the system the first time, which takes some
// microseconds.
bool is_stack_short() noexcept;

}  // namespace detail

/// What a rule or a hook threw, with the operators on the way to it; the exception itself is nested.
export class backward_error : public error, public std::nested_exception {
 public:
  using error::error;
};

}  // namespace topbit

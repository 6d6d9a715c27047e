// Recording what a thread calls, at the key Tracer.
//
//   tb::graphs::recorder recording({.inputs = {{"x", x}}, .parameters = tb::named_parameters(net)});
//   const tb::tensor y = net(x);
//   const tb::graphs::graph g = recording.finish({{"y", y}});
//
// A recording sees calls as they come out of batching and autocast, above autograd: those of the program, those of the
// gradient rules that backward() runs, those of optimizers. Threads that do not record pay nothing.
export module topbit.graphs:recorder;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.training;
import :graph;

export namespace topbit::graphs {

/// What becomes of a tensor that is read, was not made inside and was not declared. Zero-dimensional host tensors
/// are always copied.
enum class capture : std::uint8_t {
  refuse,  // finish() throws and lists them
  copy,    // as it is when it is first read
  share    // the tensor itself: what is written to it later, a replay reads
};

struct recorder_options {
  std::vector<named_tensor> inputs = {};      ///< given anew to each replay
  std::vector<named_tensor> parameters = {};  ///< the tensors themselves, which a replay may write
  graphs::capture capture = graphs::capture::refuse;
};

/// Records the calls of its thread until finish(), or its end. One for a thread at a time; a task with the layers of
/// the recording thread (current_layers()) is recorded too, one call of all threads at a time.
///
/// A call that throws is no node; threw() counts them. A composite is a node, and its parts are nodes after it. What a
/// program does without calls is not seen: elements that it reads by data_ptr() are no escapes, and what it writes so
/// is not recorded. Tensors that the program has dropped are dropped too, a little later.
///
/// Cost     of a call that is recorded: about 2,100 instructions and 300 bytes; finish() visits each node once
class recorder {
 public:
  /// Throws graph_error if the thread records already, for an undefined tensor and for a name that is there twice.
  explicit recorder(recorder_options options = {});
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder();

  /// What was recorded. `outputs` are what a replay returns.
  ///
  /// Errors   graph_error for tensors that were read, but neither made nor declared, with the first reader of each;
  ///          for elements that were written outside the recording, or by a call that threw; for an output that no
  ///          recorded call made or read; for an operator without a schema; on another thread, in the scope of a guard
  ///          that began after the recorder, inside a recorded call, and where finish() was called already
  graph finish(std::vector<named_tensor> outputs = {});

  std::size_t nodes() const noexcept;
  std::size_t threw() const noexcept;

 private:
  struct scope;
  std::unique_ptr<scope> scope_;
};

/// Records f(inputs...), which returns a tensor. The inputs are named "0", "1", ...
template <class F, std::same_as<tensor>... T>
graph record(F&& f, const recorder_options& options, const T&... inputs) {
  recorder_options all = options;
  std::size_t i = 0;
  (all.inputs.push_back({std::to_string(i++), inputs}), ...);
  recorder r(std::move(all));
  return r.finish({{"result", std::forward<F>(f)(inputs...)}});
}
template <class F, std::same_as<tensor>... T>
graph record(F&& f, const T&... inputs) {
  return record(std::forward<F>(f), recorder_options{}, inputs...);
}

}  // namespace topbit::graphs

namespace topbit::detail {
bool register_recorder();
const bool recorder_registered = register_recorder();
}  // namespace topbit::detail

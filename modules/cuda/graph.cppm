// Calls that are captured once and replayed: for many small kernels, whose calls cost the host more than the device.
export module topbit.cuda:graph;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :stream;

namespace topbit {

/// What `work` had this device do, to be done again as often as wanted.
///
///     const cuda_graph step = cuda_graph::capture([&] { train(x, y); });
///     for (...) { x.copy_(...); step.replay(); }
///
/// Captured calls read and write the same memory in every replay: give them new input by writing into the tensors that
/// were captured, and read results from the tensors they made. Memory taken while capturing is kept for the graph as
/// long as it lives. Run `work` once before, so that what it keeps from call to call exists: what is made in the
/// capture, zeros of an optimizer's state too, is made again in every replay. It must not bring elements to the host or
/// depend on them, nor take steps that the host counts; adam and adamw have the option capturable. Numbers of the host,
/// zero-dimensional host tensors among them, are those of the capture, and memory of the host that is copied from has
/// to stay.
///
/// Random numbers are drawn anew: each replay takes from the generators what the calls would take, and draws what they
/// would draw. The graph keeps the generators, of which there may be 32. Capturing takes nothing.
export class cuda_graph {
 public:
  /// Captures the calls of this thread, in a stream of its own. Throws what `work` throws, and device_error for what
  /// cannot be captured; the graph is dropped then and nothing has run.
  static cuda_graph capture(const std::function<void()>& work, device d = cuda());

  cuda_graph(cuda_graph&&) noexcept;
  cuda_graph& operator=(cuda_graph&&) noexcept;
  ~cuda_graph();  // waits for the device

  /// Starts it in this thread's current stream, after what was started there. Costs the host about as much as some
  /// launches, and one more for each generator. Throws device_error, also in a stream that is captured.
  void replay() const;

 private:
  class recorder;
  // What a replay draws of one generator.
  struct numbers {
    generator source;
    tensor stretch;           // where kernels read which: seed and place
    std::uint64_t count = 0;  // of all calls
  };

  explicit cuda_graph(device d) : device_(d) {}
  void drop() noexcept;

  device device_;
  void* native_ = nullptr;
  std::vector<numbers> numbers_;
};

}  // namespace topbit

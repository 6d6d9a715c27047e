// CUDA graphs: calls captured once and replayed, for many small kernels that are limited by launch overhead.
export module topbit.cuda:graph;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// The work that `work` launches on this device, captured for replay.
///
///     const cuda_graph step = cuda_graph::capture([&] { train(x, y); });
///     for (...) { x.copy_(...); step.replay(); }
///
/// Captured calls read and write the same memory in every replay: give them new input by writing into the tensors that
/// were captured, and read results from the tensors they made. Memory allocated while capturing belongs to the graph.
/// Run `work` once before, so that persistent state exists: what is created in the capture, such as an optimizer's
/// state, is created again in every replay. It must not copy elements to the host or depend on them, nor do optimizer
/// steps counted on the host; adam and adamw have the option capturable. Host numbers, including zero-dimensional host
/// tensors, are those of the capture, and host memory that is copied from must stay valid.
///
/// Random numbers: each replay advances the generators as the calls would, and draws the same numbers. The graph keeps
/// up to 32 generators alive. Capturing does not advance them.
export class cuda_graph {
 public:
  /// Captures the calls of this thread, in a stream of its own. Throws what `work` throws, and device_error for work
  /// that cannot be captured; nothing has run then.
  static cuda_graph capture(const std::function<void()>& work, device d = cuda());

  cuda_graph(cuda_graph&&) noexcept;
  cuda_graph& operator=(cuda_graph&&) noexcept;
  ~cuda_graph();  // waits for the device

  /// Launches it in this thread's current stream. Costs the host about as much as a few launches, plus one for each
  /// generator. Throws device_error, also in a stream that is captured.
  void replay() const;

 private:
  class recorder;
  // The random numbers of a replay from one generator.
  struct numbers {
    generator source;
    tensor state;             // the Philox state read by kernels: seed and offset
    std::uint64_t count = 0;  // of all calls
  };

  explicit cuda_graph(device d) : device_(d) {}
  void drop() noexcept;

  device device_;
  void* native_ = nullptr;
  std::vector<numbers> numbers_;
};

}  // namespace topbit

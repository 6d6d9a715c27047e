// Running a graph again, on the same device or another.
export module topbit.graphs:replay;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;

export namespace topbit::graphs {

/// A replay that does not go as the recording did: an element that the program had read, a size that depends on
/// elements. The text names the node and both values.
class graph_mismatch : public error {
 public:
  using error::error;
};

/// Which random numbers a replay draws: those of the recording, on every device; or those that calls would draw now.
enum class numbers : std::uint8_t { same, go_on };

/// What to do with a node whose operator has no kernel on the device it is mapped to.
enum class missing : std::uint8_t {
  refuse,  // graph_error, with the list of coverage()
  stay     // it runs where it was recorded; copies go there and back
};

struct replay_options {
  /// Where tensors of this device are instead: `{{cpu, cuda(0)}}`. Parameters and captured tensors are copied there.
  std::vector<std::pair<device, device>> map = {};
  graphs::numbers numbers = graphs::numbers::same;
  graphs::missing missing = graphs::missing::refuse;
  bool check_sizes = false;  ///< of every result; otherwise of those whose sizes depend on elements
};

/// A node without a kernel on the device that it is mapped to.
struct uncovered {
  number node;
  device where;
};
/// All of them, in order; a composite counts by its parts. Takes the registry's lock once for each operator.
std::vector<uncovered> coverage(const graph& g, std::span<const std::pair<device, device>> map);

/// The most bytes that are live at once: storages from the node that makes them to the last that reads them, and
/// everything from outside throughout. From the graph alone; runs nothing.
std::int64_t peak_bytes(const graph& g);

/// Replays a graph. Prepared once; a call replays it, any number of times, of one thread at a time.
///
/// Each call of the program is one call of its operator by the boxed path, with the keys of the thread: composites as a
/// whole, unless a part of one is read elsewhere. Where the graph has nodes of a backward pass, or writes parameters,
/// it runs without recording gradients; otherwise as any calls.
///
/// Errors   graph_error for an input of another dtype, size or device than the recorded one, for one that must be dense
///          and is not, and for a read-only one that the program writes, before anything runs; graph_mismatch where
///          elements that the program read differ; graph_error from the constructor for nodes without a kernel, and for
///          random numbers on a device without generators
/// Cost     a boxed call for each node; nothing is allocated but what kernels allocate, one list of the tensors that
///          are live, and lists of tensors
class replayer {
 public:
  explicit replayer(const graph& g, const replay_options& options = {});
  replayer(const replayer&) = delete;
  replayer& operator=(const replayer&) = delete;
  ~replayer();

  /// The outputs for these inputs, in the order of the recording.
  std::vector<tensor> operator()(std::span<const tensor> inputs);
  std::vector<tensor> operator()(std::initializer_list<tensor> inputs) {
    return (*this)(std::span<const tensor>(inputs.begin(), inputs.size()));
  }
  /// The tensor that the replay reads and writes for a parameter; on the mapped device. Throws graph_error.
  const tensor& parameter(std::string_view name) const;
  void set_parameter(std::string_view name, const tensor& t);
  /// Nodes that run where they were recorded, since their operator has no kernel elsewhere.
  std::span<const number> stayed() const noexcept;
  /// How many calls a replay makes.
  std::size_t calls() const noexcept;

 private:
  struct plan;
  std::unique_ptr<plan> plan_;
};

/// Throws graph_error, with their list, for calls that bring elements to the host or whose sizes depend on elements: a
/// replay of such a graph cannot be captured by cuda_graph. One with random numbers is captured with numbers::go_on.
void check_capturable(const graph& g);

/// The outputs of one replay.
std::vector<tensor> replay(const graph& g, std::span<const tensor> inputs, const replay_options& options = {});
inline std::vector<tensor> replay(const graph& g, std::initializer_list<tensor> inputs,
                                  const replay_options& options = {}) {
  return replay(g, std::span<const tensor>(inputs.begin(), inputs.size()), options);
}

}  // namespace topbit::graphs

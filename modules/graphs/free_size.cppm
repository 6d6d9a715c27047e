// A program for inputs of any size, from two recordings of it with inputs of two sizes.
//
//   const tb::graphs::free_size program(record(f, x_of_2_rows), record(f, x_of_3_rows));
//   tb::graphs::sized_replayer replay(program);
//   replay({x_of_64_rows});
export module topbit.graphs:free_size;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;
import :replay;

export namespace topbit::graphs {

/// A dimension of an input in which the two recordings differ.
struct free_dimension {
  std::size_t input = 0, dim = 0;
  friend bool operator==(const free_dimension&, const free_dimension&) = default;
};

/// Two recordings of one program, whose calls differ in integers alone, captured numbers included. Each of these is
/// taken to be linear in the size of the first free dimension: x(n) = x(a) + (n - a) (x(b) - x(a)) / (b - a). Other
/// dimensions of inputs that differ follow that one. The strides of row-major tensors follow from their sizes,
/// those of views and their offsets from what they are views of, the bytes of storages from their tensors.
///
/// Take two sizes that are no other size of the program, and neither 0 nor 1, which broadcast. What is not linear and
/// is the size of a result is found in a replay, by sized_replayer; for a constant that is not linear compare at() of a
/// third size with a recording of that size, by compare_graphs().
class free_size {
 public:
  /// Parameters and captured tensors are those of `a`.
  ///
  /// Errors   graph_error where the recordings differ in anything else, with both calls: another operator, a constant
  ///          that is not an integer, an element that the program read; for a parameter of another size, a captured
  ///          tensor of another size or with other elements; for inputs of the same sizes
  /// Cost     two visits of each node
  free_size(graph a, graph b);

  std::span<const free_dimension> dimensions() const noexcept { return dimensions_; }
  const graph& recorded() const noexcept { return a_; }

  /// The program for inputs of which the first free dimension has this size.
  ///
  /// Errors   graph_error where a number of it is not an integer, or a size is negative
  /// Cost     that of making a graph, a visit of each node
  graph at(std::int64_t size) const;

 private:
  graph a_, b_;
  std::vector<free_dimension> dimensions_;
};

/// Replays a program with inputs of any size. It keeps a replayer for each size that it has met. All have the
/// parameters of the first, so that a training step trains one network.
class sized_replayer {
 public:
  explicit sized_replayer(free_size program, replay_options options = {});

  /// The outputs for these inputs. Errors: as of free_size::at() and of a replay; graph_mismatch for a result whose
  /// size is not the one that was computed.
  std::vector<tensor> operator()(std::span<const tensor> inputs);
  std::vector<tensor> operator()(std::initializer_list<tensor> inputs) {
    return (*this)(std::span<const tensor>(inputs.begin(), inputs.size()));
  }
  /// The replayer for a size; the reference is valid until this object is destroyed.
  replayer& of(std::int64_t size);

 private:
  free_size program_;
  replay_options options_;
  std::map<std::int64_t, std::unique_ptr<replayer>> known_;
  replayer* first_ = nullptr;
};

}  // namespace topbit::graphs

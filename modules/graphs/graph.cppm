// A recorded program as data: the calls it made, in order, and the tensors that they read, made and wrote.
//
// A node is one call. A composite's node is followed by the nodes of its parts. A tensor is what a node made, or what
// came from outside; its storage counts the writes, so that a node reads (storage, version): views, in-place calls and
// out forms are ordered by that, and nothing is rewritten.
export module topbit.graphs:graph;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace graphs {

class builder;

/// Of nodes, tensors and storages: their number, from 0 in the order of the recording.
using number = std::uint32_t;
inline constexpr number nothing = ~number{0};

/// Which part of a training step makes a call.
enum class phase : std::uint8_t { forward, backward, update };
/// Where a tensor comes from. Inputs are given to each replay; parameters and captured tensors are kept by the graph.
enum class source : std::uint8_t { input, parameter, captured, node };

/// An argument or a result of a node.
struct argument {
  enum class kind : std::uint8_t {
    none,       // an optional that is absent
    undefined,  // a tensor without elements and sizes
    tensor,     // `index` is its number
    tensors,    // graph::elements()
    constant,   // graph::constant()
    text        // of results: a value that is not a tensor, as text; graph::text()
  };
  kind is = kind::none;
  number index = 0;
  /// Of a tensor: the writes to its storage before the call. Of a list: how many elements.
  number version = 0;
  friend bool operator==(const argument&, const argument&) = default;
};

struct node {
  operator_handle op;
  number first_argument = 0, first_result = 0;
  number end = 0;            ///< nodes up to here are its parts; one more than its own number if it has none
  number parent = nothing;   ///< of which it is a part
  number forward = nothing;  ///< backward: the node whose gradient rule runs
  number draws = nothing;    ///< graph::draws()
  graphs::phase phase = phase::forward;
  bool no_grad = false;  ///< forward: the program recorded no gradient
};

/// A tensor of the program. Its sizes and strides are graph::sizes() and graph::strides().
struct tensor_value {
  topbit::dtype type{};
  topbit::layout layout = topbit::layout::strided;
  graphs::source from = source::node;
  std::uint8_t dims = 0;
  bool requires_grad = false;
  topbit::device where;
  number storage = nothing;
  number maker = nothing;   ///< the node
  number version = 0;       ///< the writes to its storage before it was made
  number geometry = 0;      ///< where its sizes, then its strides are
  std::int64_t offset = 0;  ///< in elements
};

struct storage_value {
  device where;
  number writes = 0;  ///< in the whole program
  std::int64_t bytes = 0;
};

/// Random numbers that a node drew: `count` from this position on of generator number `generator`, of which 0 stands
/// for the default generators.
struct random_draw {
  philox_state position;
  std::uint64_t count = 0;
  number generator = 0;
};

/// A tensor of the program by name: an input, a parameter, a result.
struct named_value {
  std::string name;
  number tensor = nothing;
};

/// Where a call did not do what its schema says. Passes leave such a node as it is.
struct fault {
  number node = nothing;
  std::string text;
};

/// Immutable; made by a recorder, a pass, or a file. Copies share nothing but tensors.
class graph {
 public:
  inline std::span<const node> nodes() const noexcept { return nodes_; }
  inline std::span<const tensor_value> tensors() const noexcept { return tensors_; }
  inline std::span<const storage_value> storages() const noexcept { return storages_; }
  inline std::span<const random_draw> draws() const noexcept { return draws_; }
  inline std::span<const named_value> inputs() const noexcept { return inputs_; }
  inline std::span<const named_value> parameters() const noexcept { return parameters_; }
  inline std::span<const named_value> captured() const noexcept { return captured_; }
  inline std::span<const named_value> outputs() const noexcept { return outputs_; }
  inline std::span<const fault> faults() const noexcept { return faults_; }

  inline std::span<const argument> arguments(const node& n) const noexcept {
    return std::span(arguments_).subspan(n.first_argument, n.op.argument_count());
  }
  inline std::span<const argument> results(const node& n) const noexcept {
    return std::span(arguments_).subspan(n.first_result, n.op.result_count());
  }
  /// Of a list of tensors. Precondition: its kind.
  inline std::span<const argument> elements(const argument& list) const noexcept {
    return std::span(elements_).subspan(list.index, list.version);
  }
  /// Preconditions: the kinds of the argument.
  inline const value& constant(const argument& a) const noexcept { return constants_[a.index]; }
  inline const std::string& text(const argument& a) const noexcept { return texts_[a.index]; }
  inline std::span<const std::int64_t> sizes(number tensor) const noexcept { return geometry_of(tensor, 0); }
  inline std::span<const std::int64_t> strides(number tensor) const noexcept { return geometry_of(tensor, 1); }
  /// The tensor that a parameter or a captured one stands for; undefined for others.
  const tensor& bound(number tensor) const noexcept;
  /// Calls visit(number, argument) for each tensor among arguments or results, in lists too.
  template <class Visit>
  void each_tensor(std::span<const argument> all, Visit visit) const {
    for (const argument& a : all) {
      if (a.is == argument::kind::tensor) visit(a.index, a);
      if (a.is == argument::kind::tensors) each_tensor(elements(a), visit);
    }
  }

  /// Whether the schema of a node's operator marks this argument as written.
  static bool writes(const node& n, std::size_t argument) noexcept;
  /// The nodes whose results depend on elements and leave the program: of item, equal, and their like.
  std::vector<number> escapes() const;
  /// The inputs, parameters and captured tensors whose storage a replay writes.
  std::vector<number> written() const;
  /// "%7" with what it is: "float32 [2, 3] on cpu".
  std::string describe(number tensor) const;

 private:
  friend class builder;
  inline std::span<const std::int64_t> geometry_of(number tensor, std::size_t part) const noexcept {
    const tensor_value& t = tensors_[tensor];
    return std::span(geometry_).subspan(t.geometry + part * t.dims, t.dims);
  }

  std::vector<node> nodes_;
  std::vector<argument> arguments_, elements_;
  std::vector<tensor_value> tensors_;
  std::vector<std::int64_t> geometry_;
  std::vector<storage_value> storages_;
  std::vector<value> constants_;
  std::vector<std::string> texts_;
  std::vector<random_draw> draws_;
  std::vector<named_value> inputs_, parameters_, captured_, outputs_;
  std::vector<tensor> bound_;  // up to the last that has one
  std::vector<fault> faults_;
};

/// A graph that cannot be made, read or replayed: the text says what was found, what was wanted, and at which node.
class graph_error : public error {
 public:
  using error::error;
  inline graph_error(const std::string& what, number node)
      : error("graph: node " + std::to_string(node) + ", " + what, "graph"), node_(node) {}
  /// The node it is about, or `nothing`.
  inline number node() const noexcept { return node_; }

 private:
  number node_ = nothing;
};

}  // namespace graphs

}  // namespace topbit

// Making graphs: what recorders, files and passes are made of.
export module topbit.graphs:builder;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;

export namespace topbit::graphs {

/// Makes a graph node by node. Numbers are given in the order of the calls.
class builder {
 public:
  /// A storage that the program knows from now on.
  number add_storage(device where, std::int64_t bytes);
  /// `maker`, `version` and `geometry` of the description are set here.
  number add_tensor(tensor_value description, std::span<const std::int64_t> sizes,
                    std::span<const std::int64_t> strides);
  /// The same of a tensor's own description, with this storage.
  number add_tensor(const tensor& t, number storage, source from, bool requires_grad);

  void add_input(std::string name, number tensor);
  void add_parameter(std::string name, number tensor, topbit::tensor bound);
  void add_captured(std::string name, number tensor, topbit::tensor bound);
  void add_output(std::string name, number tensor);
  void add_fault(number node, std::string text);

  argument constant(value v);
  argument list(std::span<const argument> elements);
  argument text(std::string of_result);

  /// Begins a call, with as many arguments as the operator has; nodes until end_node() are its parts.
  number begin_node(const operator_handle& op, std::span<const argument> arguments, graphs::phase phase,
                    number forward = nothing, bool no_grad = false);
  /// Ends the call begun last. Results that are new tensors must have been added since.
  void end_node(std::span<const argument> results);
  /// Ends the call begun last as one that threw: there is no such node, and its parts are its parent's.
  void abandon_node();
  void set_draws(number node, const random_draw& draws);
  /// From now on the tensor requires a gradient.
  void require_grad(number tensor);

  inline const graph& so_far() const noexcept { return made_; }
  /// The graph, without calls that threw, with the versions of storages. Throws graph_error where it is no program: a
  /// tensor that is read before it is made, a storage that is none, a call that has not ended.
  graph finish() &&;

 private:
  struct versions;
  void bind(number tensor, topbit::tensor bound);
  void drop_abandoned();

  graph made_;
  std::vector<number> open_;       // calls that have not ended, outermost first
  std::vector<number> abandoned_;  // calls that threw
};

}  // namespace topbit::graphs

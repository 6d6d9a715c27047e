// A graph made from another one, call by call. Internal.
module topbit.graphs:rewriting;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :builder;
import :graph;

namespace topbit::graphs {

class rewriting {
 public:
  // Inputs and parameters come along; captured tensors when something reads them.
  explicit rewriting(const graph& from);

  // A node of the old graph with its parts, in which tensors go by what they were replaced with.
  void copy(number node);
  // From now on the first stands for the second.
  void replace(number with, number old);
  // What stands for a tensor of the old graph, in the old graph.
  number origin(number old) const;
  // Its number in the new one.
  number tensor(number old);
  graph finish() &&;

 private:
  argument argument_of(const argument& a);
  number storage(number old);

  const graph& from_;
  builder made_;
  std::vector<number> tensors_, storages_, stands_for_, nodes_;
};

}  // namespace topbit::graphs

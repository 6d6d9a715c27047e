// The operators that return what others write. Internal.
module topbit.graphs:functional_operators;

import topbit.std;
import topbit.core;

namespace topbit::graphs {

// The operator that returns what this one writes: add for add_ and add.out.
class functional_operators {
 public:
  std::optional<operator_handle> of(const operator_handle& op);

 private:
  std::unordered_map<const void*, std::optional<operator_handle>> known_;
};

}  // namespace topbit::graphs

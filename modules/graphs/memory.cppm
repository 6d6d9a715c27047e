// The memory behind the tensors of a recording. Internal.
module topbit.graphs:memory;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::graphs {

// A view of all elements of the storage that a strided tensor uses.
tensor whole_memory_of(const tensor& t);

}  // namespace topbit::graphs

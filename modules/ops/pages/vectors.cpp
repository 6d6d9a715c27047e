module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

void publish_vectors_pages() {}

}  // namespace topbit::detail

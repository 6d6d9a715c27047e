module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

void publish_layer_norm_pages() {}

}  // namespace topbit::detail

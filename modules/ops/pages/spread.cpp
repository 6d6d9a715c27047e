module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

void publish_spread_pages() {}

}  // namespace topbit::detail

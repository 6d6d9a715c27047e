module topbit.core;

import topbit.std;

namespace topbit {

object::~object() = default;

}  // namespace topbit

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

void device_check::raise(device other, std::size_t index) const {
  const auto label = [&](std::size_t i) {
    const std::string number = "argument " + std::to_string(i + 1);
    return i < arguments_.size() ? number + " '" + std::string(arguments_[i].name) + "'" : number;
  };
  throw device_error(std::string(op_) + ": found " + label(index_) + " on " + to_string(where_) + " and " +
                         label(index) + " on " + to_string(other) + ", wanted one device; move one with to()",
                     std::string(op_));
}

}  // namespace topbit::detail

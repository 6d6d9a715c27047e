module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

std::string device_check::label(std::size_t index) const {
  const std::string number = "argument " + std::to_string(index + 1);
  return index < arguments_.size() ? number + " '" + std::string(arguments_[index].name) + "'" : number;
}

void device_check::raise(layout found, std::size_t index) const {
  author::refuse_layout(op_, label(index), found, layout::strided, op_);
}

void device_check::raise(device other, std::size_t index) const {
  throw device_error(std::string(op_) + ": found " + label(index_) + " on " + to_string(where_) + " and " +
                         label(index) + " on " + to_string(other) + ", wanted one device; move one with to()",
                     std::string(op_));
}

}  // namespace topbit::detail

module topbit.core;

import topbit.std;
import :registry.entry;

namespace topbit::detail {

const kernel& kernel_of(const function_address& f) {
  pin_image_of(f.function);
  pin_image_of(reinterpret_cast<const void*>(f.make));
  static std::mutex& mutex = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  static auto& records = *new std::map<std::pair<const void*, make_pointer_kernel>, record_ptr>;
  const std::lock_guard lock(mutex);
  record_ptr& record = records[{f.function, f.make}];
  if (record == nullptr) record.reset(f.make(f.function));
  return *record;
}

}  // namespace topbit::detail

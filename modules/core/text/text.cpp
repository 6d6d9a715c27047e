module topbit.core;

import topbit.std;

namespace topbit::detail {

std::mutex& mutex_of_names() noexcept {
  static constinit std::mutex mutex;
  return mutex;
}

std::string_view name_for_people(std::string_view raw) noexcept {
  try {
    const std::lock_guard hold(mutex_of_names());
    // Never destroyed, since errors may print types during exit; map nodes keep their addresses.
    static auto& names = *new std::map<std::string, std::string, std::less<>>;
    auto at = names.find(raw);
    if (at == names.end()) at = names.emplace(raw, for_people(raw).view()).first;
    return at->second;
  } catch (const std::bad_alloc&) {
    return raw;
  }
}

}  // namespace topbit::detail

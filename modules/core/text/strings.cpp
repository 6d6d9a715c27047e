module topbit.core;

import topbit.std;
import :text.strings;

namespace topbit::detail {

std::string_view string_pool::copy(std::string_view text) {
  constexpr std::size_t block = 4096;
  if (left_ < text.size() + 1) {
    const std::size_t size = std::max(block, text.size() + 1);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
  }
  char* begin = next_;
  *std::copy(text.begin(), text.end(), begin) = '\0';
  next_ += text.size() + 1;
  left_ -= text.size() + 1;
  return {begin, text.size()};
}

std::string_view string_pool::intern(std::string_view text) {
  if (const auto found = interned_.find(text); found != interned_.end()) return *found;
  return *interned_.insert(copy(text)).first;
}

std::string place::text() const {
  return line == 0 ? std::string(file) : std::string(file) + ":" + std::to_string(line);
}

}  // namespace topbit::detail

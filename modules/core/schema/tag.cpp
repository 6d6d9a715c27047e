module topbit.core;

import topbit.std;

namespace topbit {

std::vector<tag> tag_set::list() const {
  std::vector<tag> all;
  for (std::uint16_t left = bits_; left != 0; left = static_cast<std::uint16_t>(left & (left - 1)))
    all.push_back(static_cast<tag>(std::countr_zero(left)));
  return all;
}

std::string to_string(tag_set tags) {
  std::string text;
  for (const tag t : tags.list()) text += (text.empty() ? "" : ", ") + std::string(name_of(t));
  return text;
}

}  // namespace topbit

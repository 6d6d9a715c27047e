module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.core;

import topbit.std;

namespace topbit {

namespace views = ranges::views;

std::vector<tag> tag_set::list() const {
  std::vector<tag> all;
  for (std::uint16_t left = bits_; left != 0; left = static_cast<std::uint16_t>(left & (left - 1)))
    all.push_back(static_cast<tag>(std::countr_zero(left)));
  return all;
}

std::string to_string(tag_set tags) {
  const auto name = [](tag t) { return std::string(name_of(t)); };
  const std::vector<tag> all = tags.list();
  return all | views::transform(name) | views::join(std::string(", ")) | ranges::to<std::string>();
}

}  // namespace topbit

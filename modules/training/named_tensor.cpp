module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit::detail {

std::string kind_of(const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); }

std::string_view first_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (text[most] & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 1000;
  std::string quoted;
  author::write_text(quoted, first_of(text, most));
  if (text.size() > most) quoted.insert(quoted.size() - 1, "...");
  quoted.front() = quoted.back() = '\'';
  return quoted;
}

name_index index_names(const std::string& who, std::span<const named_tensor> all) {
  name_index by_name;
  for (const named_tensor& one : all) {
    if (!by_name.emplace(one.name, &one.value).second) throw error(who + "found " + in_quotes(one.name) + " twice");
  }
  return by_name;
}

name_index check_same_names(const std::string& who, std::span<const named_tensor> found,
                            std::span<const named_tensor> wanted) {
  name_index by_name = index_names(who, found), others = by_name;
  for (const named_tensor& one : wanted) {
    const auto at = by_name.find(one.name);
    if (at == by_name.end()) {
      throw error(who + "found no " + in_quotes(one.name) + ", wanted " + kind_of(one.value));
    }
    const tensor& t = *at->second;
    const auto differs = [&] {
      return who + "found " + in_quotes(one.name) + " of " + kind_of(t) + ", wanted " + kind_of(one.value);
    };
    if (t.sizes() != one.value.sizes()) throw shape_error(differs());
    if (t.dtype() != one.value.dtype()) throw dtype_error(differs());
    others.erase(one.name);
  }
  for (const named_tensor& one : found) {
    if (others.contains(one.name)) {
      throw error(who + "found " + in_quotes(one.name) + ", which is not expected here");
    }
  }
  return by_name;
}

void copy_named(const name_index& from, std::span<const named_tensor> to) {
  const no_grad guard;
  for (const named_tensor& one : to) {
    tensor target = one.value;
    aten::copy_(target, *from.at(one.name));
  }
}

}  // namespace topbit::detail

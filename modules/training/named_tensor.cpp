module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit::detail {

std::string kind_of(const tensor& t) { return std::string(name_of(t.dtype())) + " " + to_string(t.sizes()); }

const tensor* find_named(std::span<const named_tensor> all, std::string_view name) noexcept {
  const auto at = std::ranges::find(all, name, &named_tensor::name);
  return at == all.end() ? nullptr : &at->value;
}

void check_same_names(const std::string& who, std::span<const named_tensor> found,
                      std::span<const named_tensor> wanted) {
  std::unordered_map<std::string_view, const tensor*> by_name;
  for (const named_tensor& one : found) {
    if (!by_name.emplace(one.name, &one.value).second) throw error(who + "found '" + one.name + "' twice");
  }
  for (const named_tensor& one : wanted) {
    const auto at = by_name.find(one.name);
    if (at == by_name.end()) throw error(who + "found no '" + one.name + "', wanted " + kind_of(one.value));
    const tensor& t = *at->second;
    const auto differs = [&] {
      return who + "found '" + one.name + "' of " + kind_of(t) + ", wanted " + kind_of(one.value);
    };
    if (t.sizes() != one.value.sizes()) throw shape_error(differs());
    if (t.dtype() != one.value.dtype()) throw dtype_error(differs());
    by_name.erase(at);
  }
  for (const named_tensor& one : found) {
    if (by_name.contains(one.name)) throw error(who + "found '" + one.name + "', which nothing here is called");
  }
}

void copy_named(std::span<const named_tensor> from, std::span<const named_tensor> to) {
  const no_grad guard;
  for (const named_tensor& one : to) {
    tensor target = one.value;
    ops::copy_(target, *find_named(from, one.name));
  }
}

}  // namespace topbit::detail

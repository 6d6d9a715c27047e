module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;

namespace topbit::detail {

tensor uniform_parameter(const shape& sizes, std::int64_t inputs, dtype type, generator random) {
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  tensor t = aten::empty_memory_format(sizes, arg<"dtype"> = type);
  aten::uniform_(t, -bound, bound, arg<"generator"> = random);
  return require_grad(t);
}

tensor normal_parameter(const shape& sizes, dtype type, generator random) {
  tensor t = aten::empty_memory_format(sizes, arg<"dtype"> = type);
  aten::normal_(t, arg<"generator"> = random);
  return require_grad(t);
}

tensor constant_parameter(const shape& sizes, double value, dtype type) {
  return require_grad(aten::full(sizes, value, arg<"dtype"> = type));
}

void require_positive(std::string_view who, std::string_view what, std::int64_t value) {
  if (value >= 1) return;
  throw error(std::string(who) + ": found " + std::string(what) + "=" + std::to_string(value) + ", wanted 1 or more",
              std::string(who));
}

}  // namespace topbit::detail

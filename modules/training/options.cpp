module topbit.training;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :options;

namespace topbit {

void detail::require_option(std::string_view who, bool is_so, std::string_view option, double value,
                            std::string_view wanted) {
  if (is_so) return;
  throw error(std::string(who) + ": found " + std::string(option) + "=" + to_string(scalar(value)) + ", wanted " +
                  std::string(wanted),
              std::string(who));
}

std::string detail::refused_with(std::string_view option, double value) {
  if (value == 0) return {};
  return "wanted a strided one with " + std::string(option) + "=" + to_string(scalar(value));
}

}  // namespace topbit

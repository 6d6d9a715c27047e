// Observers, which are no operators: "tensors; signed; symmetric => scales; zero points". Include this after every
// other header: it imports.
#pragma once

#include <string>
#include <vector>

#include "literals.h"

namespace layout_golden {

template <class Observer>
std::string observed(Observer observer, const one_case& c, const golden::rules& how) {
  for (const tb::tensor& t : tb::author::read_text<std::vector<tb::tensor>>(c.arguments.at(0))) {
    observer.observe(tb::to(t, tested));
  }
  const auto found = observer.parameters();
  const std::vector<std::string>& wanted = c.sections[0];
  if constexpr (requires { found.scales; }) {
    const std::string text = difference(tb::to(found.scales, tb::dtype::float64), wanted.at(0), how);
    return text.empty() ? difference(tb::to(found.zero_points, tb::dtype::int64), wanted.at(1), how) : text;
  } else {
    const std::string text = difference(tb::from_values<double>({found.scale}, {1}), wanted.at(0), how);
    return text.empty() ? difference(tb::from_values<std::int64_t>({found.zero_point}, {1}), wanted.at(1), how) : text;
  }
}

/// Empty if the observer of this name gives what the line says.
inline std::string replay_observer(std::string_view name, const one_case& c, const golden::rules& how) {
  const tb::quantized::observer_options options{.is_signed = c.arguments.at(1) == "True",
                                                .symmetric = c.arguments.at(2) == "True"};
  try {
    if (name == "min_max_observer") return observed(tb::quantized::min_max_observer(options), c, how);
    if (name == "moving_average_observer") return observed(tb::quantized::moving_average_observer(options), c, how);
    if (name == "channel_observer") return observed(tb::quantized::channel_observer(0, options), c, how);
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
  return "found no observer of this name";
}

}  // namespace layout_golden

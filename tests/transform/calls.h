// The calls of the golden files, read and not made. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "examples.h"
#include "golden/data.h"

import topbit;
import topbit.transform;

namespace calls {

namespace tb = topbit;

/// The arguments of the call that was read last, and the tensors in them.
struct call {
  std::vector<tb::value> arguments;
  std::vector<tb::tensor> tensors;
};
inline call caught;

inline constexpr tb::dispatch_key catch_key = tb::key::UserTop2;
struct caught_call {};

inline void catch_call(const tb::operator_handle& op, tb::key_set, tb::boxed_stack& stack) {
  caught = {};
  for (const tb::value& v : std::as_const(stack).top(op.argument_count())) {
    caught.arguments.push_back(v);
    tb::author::each_tensor(v, [](const tb::tensor& t) { caught.tensors.push_back(t); });
  }
  throw caught_call{};
}
inline const auto catching = tb::fallback<&catch_call>(catch_key);

/// Whether the case can be called, with at least one tensor and none that is undefined.
inline bool read_arguments(const tb::operator_handle& op, const golden::one_case& c) {
  const std::vector<std::string_view> texts(c.arguments.begin(), c.arguments.end());
  const tb::include_guard watched(catch_key);
  try {
    tb::call_text(op, texts);
  } catch (const caught_call&) {
    return !caught.tensors.empty() && std::ranges::all_of(caught.tensors, &tb::tensor::defined);
  } catch (const tb::error&) {
  }
  return false;
}

/// Calls visit(operator, block) for each operator of a family of golden files.
template <class Visit>
void each_block(const std::string& family, Visit visit) {
  for (const golden::block& b : golden::read_blocks(std::filesystem::path(TOPBIT_GOLDEN_FOLDER) / (family + ".txt"))) {
    const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
    if (op && !b.how.no_elements) visit(*op, b);
  }
}

}  // namespace calls

// The calls of the golden files, read and not made. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "examples.h"
#include "golden/data.h"
#include "support/scale.h"

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

/// The families whose operators have gradients.
inline constexpr const char* differentiable[] = {"unary", "activation", "binary", "create", "reduce", "scan", "linalg",
                                                 "index", "sort",       "norm",   "loss",   "window", "view"};

/// Checks a sample of the calls of a family: check(operator, block, checked) looks at the call that was read last,
/// counts it if there is something to check, and returns or throws what is wrong.
template <class Check>
void check_family(const char* what, const std::string& family, Check check) {
  std::size_t checked = 0;
  sampled_cases drawn;
  each_block(family, [&](const tb::operator_handle& op, const golden::block& b) {
    std::size_t failed = 0;
    for (const golden::one_case& c : b.cases) {
      if (!drawn.is_drawn() || !read_arguments(op, c)) continue;
      std::string problem;
      try {
        problem = check(op, b, checked);
      } catch (const tb::error& e) {
        problem = e.what();
      }
      if (!problem.empty() && ++failed <= 3) FAIL_CHECK(b.name << " " << c.line << "\n" << problem);
    }
    if (failed > 3) FAIL_CHECK(b.name << ": " << failed << " in all");
  });
  CHECK(checked >= 10 * test_scale());
  std::cout << what << ", " << family << ": " << checked << " calls checked\n";
  SUCCEED();
}

}  // namespace calls

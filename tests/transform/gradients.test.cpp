// Gradient rules on batches of cotangents: what they give is what they give for each cotangent. The calls are those of
// the golden files.
#include <catch2/catch_test_macros.hpp>

#include "calls.h"

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

bool is_wide(const tb::tensor& x) {
  return x.defined() && (x.dtype() == tb::dtype::float32 || x.dtype() == tb::dtype::float64);
}

/// The gradients of these results with respect to the leaves, undefined ones as zeros.
std::vector<tb::tensor> gradients(const std::vector<tb::tensor>& results, const std::vector<tb::tensor>& leaves,
                                  const std::vector<tb::tensor>& cotangents) {
  std::vector<tb::tensor> all =
      tb::grad(results, leaves, {.retain_graph = true, .allow_unused = true, .gradients = cotangents});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].defined()) all[i] = tb::zeros_like(tb::detach(leaves[i]));
  }
  return all;
}

/// Empty if a batch of cotangents gives what each gives, or if nothing is differentiable.
std::string check(const tb::operator_handle& op, const golden::rules& how, std::size_t& checked) {
  std::vector<tb::tensor> tensors = calls::caught.tensors, leaves;
  for (tb::tensor& x : tensors) {
    x = tb::clone(x);
    if (is_wide(x)) leaves.push_back(tb::require_grad(x));
  }
  if (leaves.empty() || tb::author::is_mutable(*op.parsed_schema())) return {};
  std::vector<tb::tensor> results;
  try {
    for (const tb::tensor& y : examples::called(op, calls::caught.arguments, tensors)) {
      if (is_wide(y) && tb::requires_grad(y)) results.push_back(y);
    }
  } catch (const tb::error&) {
    return {};
  }
  if (results.empty()) return {};
  std::vector<tb::tensor> cotangents;
  for (const tb::tensor& y : results) {
    const tb::tensor one = tb::ones_like(tb::detach(y)), other = examples::variant(tb::detach(y), 1);
    cotangents.push_back(tb::stack({one, tb::where(tb::isfinite(other), other, one)}, 0));
  }
  std::vector<examples::outcome> wanted;
  for (std::int64_t b = 0; b < 2; ++b) {
    std::vector<tb::tensor> of_one;
    for (const tb::tensor& c : cotangents) of_one.push_back(tb::select(c, 0, b));
    wanted.push_back(examples::outcome_of([&] { return gradients(results, leaves, of_one); }));
    if (!wanted.back().error.empty()) return {};
  }
  ++checked;
  const examples::outcome found = examples::outcome_of([&] {
    return tb::vmap([&](const std::vector<tb::tensor>& c) { return gradients(results, leaves, c); })(cotangents);
  });
  return examples::compare(op, found, wanted, how, false);
}

}  // namespace

TEST_CASE("gradients: of batches of cotangents", "[transform][gradients]") {
  for (const char* family : calls::differentiable) {
    DYNAMIC_SECTION(family) {
      calls::check_family("gradients of batches", family,
                          [](const tb::operator_handle& op, const golden::block& b, std::size_t& checked) {
                            return check(op, b.how, checked);
                          });
    }
  }
}

// Tangents of all operators: the product of a cotangent and the tangent of a result is that of the gradient and the
// tangent of the argument. The calls are those of the golden files.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "calls.h"

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

bool is_wide(const tb::tensor& x) {
  return x.defined() && (x.dtype() == tb::dtype::float32 || x.dtype() == tb::dtype::float64);
}
/// A finite tensor like x, with numbers that differ.
tb::tensor direction(const tb::tensor& x) {
  const tb::tensor plain = tb::detach(x), other = examples::variant(plain, 1), one = tb::ones_like(plain);
  return tb::clamp(tb::where(tb::isfinite(other), other, one), -3, 3) + 0.5;
}
bool all_finite(const tb::tensor& x) { return tb::item<bool>(tb::all(tb::isfinite(tb::detach(x)))); }
struct sum_of_products {
  double value = 0, size = 0;
  void add(const tb::tensor& a, const tb::tensor& b) {
    const tb::tensor products = tb::to(tb::detach(a), tb::dtype::float64) * tb::to(tb::detach(b), tb::dtype::float64);
    value += tb::item<double>(tb::sum(products));
    size += tb::item<double>(tb::sum(tb::abs(products)));
  }
};

/// Empty if both products agree, or if nothing is differentiable.
std::string check(const tb::operator_handle& op, std::size_t& checked) {
  std::vector<tb::tensor> tensors = calls::caught.tensors, leaves, along;
  if (tb::author::is_mutable(*op.parsed_schema())) return {};
  for (tb::tensor& x : tensors) {
    x = tb::clone(x);
    if (!is_wide(x)) continue;
    leaves.push_back(tb::require_grad(x));
    along.push_back(direction(x));
  }
  sum_of_products reverse, forward;
  bool finite = std::ranges::all_of(leaves, &all_finite);
  const tb::dual_level level;
  try {
    std::vector<tb::tensor> results, cotangents;
    for (const tb::tensor& y : examples::called(op, calls::caught.arguments, tensors)) {
      if (!is_wide(y) || !tb::requires_grad(y)) continue;
      results.push_back(y);
      cotangents.push_back(direction(y));
    }
    if (results.empty()) return {};
    const std::vector<tb::tensor> gradients =
        tb::grad(results, leaves, {.allow_unused = true, .gradients = cotangents});
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (gradients[i].defined()) reverse.add(gradients[i], along[i]);
    }
  } catch (const tb::error&) {
    return {};  // the tests of gradients are about these
  }
  std::size_t leaf = 0;
  for (tb::tensor& x : tensors) {
    if (!is_wide(x)) continue;
    x = level.dual(tb::detach(x), along[leaf++]);
  }
  for (const tb::tensor& y : examples::called(op, calls::caught.arguments, tensors)) {
    if (!is_wide(y)) continue;
    finite = finite && all_finite(y);
    const tb::dual_parts parts = level.parts(y);
    if (parts.tangent.defined()) forward.add(direction(y), parts.tangent);
  }
  ++checked;
  const bool one_finite = std::isfinite(reverse.value), other_finite = std::isfinite(forward.value);
  if (one_finite != other_finite ? !finite : !one_finite) return {};
  const bool narrow = std::ranges::any_of(leaves, [](const tb::tensor& x) { return x.dtype() == tb::dtype::float32; });
  // Results are as exact as differences of the arguments.
  double largest = 1;
  for (const tb::tensor& x : leaves) {
    if (x.numel() != 0) largest = std::max(largest, std::abs(tb::item<double>(tb::amax(tb::abs(tb::detach(x))))));
  }
  if (!std::isfinite(largest)) largest = 1;
  const double tolerance = (narrow ? 1e-5 : 1e-10) * (reverse.size + forward.size + largest);
  if (std::abs(reverse.value - forward.value) <= tolerance) return {};
  return "by gradients " + std::to_string(reverse.value) + ", by tangents " + std::to_string(forward.value);
}

}  // namespace

TEST_CASE("tangents: of all operators agree with gradients", "[transform][dual]") {
  for (const char* family : calls::differentiable) {
    DYNAMIC_SECTION(family) {
      calls::check_family(
          "tangents", family,
          [](const tb::operator_handle& op, const golden::block&, std::size_t& checked) { return check(op, checked); });
    }
  }
}

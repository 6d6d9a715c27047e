// Gradient checks of a function of tensors: gradients and tangents against finite differences, second gradients against
// differences of gradients, for leaves in every memory arrangement; float32 and bfloat16 against float64. Include this
// after every other header: it imports.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/tensor_values.h"
import topbit;
import topbit.transform;

namespace support {

using tensor_list = std::vector<tb::tensor>;

struct gradient_case {
  std::string name;
  std::vector<tb::shape> shapes;
  /// The arguments have these shapes, in this order; results that are not floating are ignored. Deterministic.
  std::function<tensor_list(std::span<const tb::tensor>)> run;
  /// Elements lie in [low, high], are distinct within a tensor and keep a minimum distance from each other and from
  /// `not_near`, where the function is not differentiable.
  double low = -2, high = 2;
  std::vector<double> not_near = {0};
  /// Second gradients exist and are checked.
  bool twice = true;
  /// Also checked in float32 and bfloat16.
  bool narrow = true;
  tb::check_options options = {};
  /// Tangents exist and are checked.
  bool along = true;
};

/// `count` ascending numbers in [low, high] with a minimum distance from each other and from `not_near`.
inline std::vector<double> numbers_apart(std::size_t count, double low, double high,
                                         const std::vector<double>& not_near) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(count));
  const double apart = count == 0 ? 0 : 0.2 * (high - low) / static_cast<double>(count + 4);
  for (double& x : values) {
    for (double corner : not_near) {
      if (std::abs(x - corner) < apart) x = corner + (x < corner ? -apart : apart);
    }
  }
  return values;
}

/// Distinct elements in [low, high], in an order that depends on the seed.
inline tb::tensor distinct_elements(const tb::shape& sizes, const gradient_case& c, arrangement how, unsigned seed) {
  const tb::tensor t = arranged(sizes, tb::dtype::float64, how);
  std::mt19937 random(seed);
  const auto count = static_cast<std::size_t>(tb::numel(sizes));
  std::vector<double> values = numbers_apart(count, c.low, c.high, c.not_near);
  for (std::size_t i = count; i > 1; --i) std::swap(values[i - 1], values[random() % i]);
  std::size_t n = 0;
  each_index(sizes, [&](const tb::shape& index) { set(t, index, values[n++]); });
  return t;
}

inline void check_gradients(const gradient_case& c) {
  INFO(c.name);
  tensor_list in_float64;
  for (const arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
    tensor_list inputs;
    for (std::size_t i = 0; i < c.shapes.size(); ++i)
      inputs.push_back(tb::require_grad(distinct_elements(c.shapes[i], c, how, static_cast<unsigned>(7 + i))));
    INFO(name_of(how));
    const tb::check_result once = tb::gradcheck(c.run, inputs, c.options);
    INFO(once.text);
    CHECK(once.ok);
    if (c.along) {
      const tb::check_result along = tb::jvpcheck(c.run, inputs, c.options);
      INFO(along.text);
      CHECK(along.ok);
    }
    if (c.twice) {
      const tb::check_result twice = tb::gradgradcheck(c.run, inputs, c.options);
      INFO(twice.text);
      CHECK(twice.ok);
    }
    if (how == arrangement::dense) in_float64 = inputs;
  }
  if (!c.narrow) return;
  const auto gradients = [&](const tensor_list& inputs) {
    tb::tensor total;
    for (const tb::tensor& r : c.run(inputs)) {
      if (!r.defined() || !tb::requires_grad(r)) continue;
      const tb::tensor one = tb::aten::sum(r);
      total = total.defined() ? total + tb::to(one, total.dtype()) : one;
    }
    return tb::grad(std::span(&total, 1), inputs, {.allow_unused = true});
  };
  const tensor_list wanted = gradients(in_float64);
  for (const auto& [type, error] : {std::pair(tb::dtype::float32, 1e-3), std::pair(tb::dtype::bfloat16, 0.15)}) {
    tensor_list inputs;
    for (const tb::tensor& t : in_float64) inputs.push_back(tb::require_grad(tb::to(tb::detach(t), type)));
    const tensor_list found = gradients(inputs);
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO("input " << i + 1 << " in " << tb::name_of(type));
      CHECK(found[i].defined() == wanted[i].defined());
      if (!found[i].defined() || !wanted[i].defined()) continue;
      CHECK(found[i].dtype() == type);
      CHECK(found[i].sizes() == wanted[i].sizes());
      const std::vector<double> a = values(found[i]), b = values(wanted[i]);
      double most = 0, size = 1;
      for (std::size_t e = 0; e < a.size(); ++e) {
        most = std::max(most, std::abs(a[e] - b[e]));
        size = std::max(size, std::abs(b[e]));
      }
      CHECK(most <= error * size);
    }
  }
}

}  // namespace support

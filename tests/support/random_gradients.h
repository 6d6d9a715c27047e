// Checks a gradient rule on random calls: random shapes, strides and dtypes, expanded inputs, and inputs that require
// no gradient. float64 gradients are compared with finite differences, second gradients with differences of gradients,
// narrower dtypes with float64 at the same elements.
//
// A failure prints the seed of its call: TOPBIT_GRADIENT_SEED=<seed> repeats only that call, for the rule selected with
// Catch2's `-c <rule>`. TOPBIT_GRADIENT_ROUNDS=<n> sets the number of calls. Include this after every other header: it
// imports.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
#include "support/scale.h"
import topbit;

namespace support {

/// A random call: the shapes of its tensors, the call, and a description of its other arguments.
struct drawn_call {
  std::vector<tb::shape> shapes;
  std::function<tensor_list(std::span<const tb::tensor>)> run;
  std::string text = {};
};

/// The results, and a sum of each input: a result may depend on none of the inputs that require a gradient.
inline tensor_list beside_sums(tensor_list results, std::span<const tb::tensor> inputs) {
  for (const tb::tensor& x : inputs) results.push_back(tb::aten::sum(x));
  return results;
}

struct random_rule {
  std::string name;
  std::function<drawn_call(numbers&)> draw;
  /// Elements lie in [low, high], are distinct within a call, and keep a distance from points without a derivative.
  double low = -2, high = 2;
  std::vector<double> not_near = {0};
  /// An input may be an expanded tensor; false if equal elements are a point without a derivative.
  bool repeats = true;
  /// Inputs of a call may have different dtypes.
  bool mixes = false;
  /// Second gradients exist and are checked.
  bool twice = true;
  /// Factor on the tolerance of narrow dtypes; 0: not checked.
  double narrow = 1;
};

/// True with probability 1/n.
inline bool one_in(numbers& source, std::int64_t n) { return source.whole(0, n - 1) == 0; }

/// An argument as text, for drawn_call::text.
inline std::string said(const char* name, const tb::shape& list) { return name + (" " + tb::to_string(list) + " "); }
template <class Number>
std::string said(const char* name, Number n) {
  return name + (" " + std::to_string(n) + " ");
}

/// `least` to `most_dims` dimensions of size 1 to 5, rarely 0, with at most `most_elements` elements.
inline tb::shape small_shape(numbers& source, std::int64_t least = 0, std::int64_t most_dims = 4, bool empty = true,
                             std::int64_t most_elements = 16) {
  tb::shape sizes;
  std::int64_t count = 1;
  for (std::int64_t d = source.whole(least, most_dims); d > 0; --d) {
    const std::int64_t n = empty && source.whole(0, 19) == 0 ? 0 : source.whole(1, 5);
    sizes.push_back(count * n <= most_elements ? n : 1);
    count *= std::max<std::int64_t>(sizes[sizes.size() - 1], 1);
  }
  return sizes;
}

/// Uninitialised elements without overlap: random order of dimensions, random steps, a random offset.
inline tb::tensor scattered_room(numbers& source, const tb::shape& sizes, tb::dtype type) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1 && source.whole(0, 1) == 0; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(i) - 1))]);
  tb::shape strides(sizes.size(), 0);
  const std::int64_t offset = tb::numel(sizes) == 0 ? 0 : source.whole(0, 2);
  std::int64_t step = 1, reach = offset + 1;
  for (const std::size_t d : order) {
    if (source.whole(0, 3) == 0) step += source.whole(1, 2);
    strides[d] = step;
    if (sizes[d] > 1) reach += (sizes[d] - 1) * step;
    step *= std::max<std::int64_t>(sizes[d], 1);
  }
  const tb::tensor whole = tb::author::make_tensor({reach}, type, tb::cpu);
  std::memset(whole.data(), 0x55, tb::author::record_of(whole).data->bytes);
  return tb::author::make_view(whole, sizes, strides, offset);
}

namespace random_gradients {

inline std::uint64_t setting(const char* name, std::uint64_t without) {
  const char* const text = std::getenv(name);
  return text == nullptr ? without : std::strtoull(text, nullptr, 10);
}

inline unsigned seed_of(const std::string& rule, int round) {
  std::uint64_t x = 0xcbf29ce484222325u;
  for (const char c : rule) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  x = (x + static_cast<std::uint64_t>(round)) * 0x9e3779b97f4a7c15u;
  return static_cast<unsigned>(x >> 32);
}

// The leaves of a call: its inputs, or the tensors they are expanded from.
struct leaves_of_call {
  const random_rule& rule;
  drawn_call call;
  std::vector<tb::shape> sizes;
  std::vector<bool> wanted;
  std::vector<std::vector<double>> elements;

  leaves_of_call(const random_rule& of, numbers& source) : rule(of), call(of.draw(source)) {
    std::size_t count = 0;
    for (const tb::shape& given_shape : call.shapes) {
      tb::shape leaf = given_shape;
      for (std::size_t d = 0; rule.repeats && d < leaf.size(); ++d) {
        if (leaf[d] > 1 && source.whole(0, 7) == 0) leaf[d] = 1;
      }
      sizes.push_back(leaf);
      count += static_cast<std::size_t>(tb::numel(leaf));
      wanted.push_back(source.whole(0, 4) != 0);
    }
    wanted[static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(wanted.size()) - 1))] = true;
    std::vector<double> all = numbers_apart(count, rule.low, rule.high, rule.not_near);
    for (std::size_t i = count; i > 1; --i)
      std::swap(all[i - 1], all[static_cast<std::size_t>(source.whole(0, static_cast<std::int64_t>(i) - 1))]);
    auto next = all.begin();
    for (const tb::shape& leaf : sizes) {
      elements.emplace_back(next, next + tb::numel(leaf));
      next += tb::numel(leaf);
    }
  }

  tensor_list leaves(numbers& source, const std::vector<tb::dtype>& types) const {
    tensor_list all;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const tb::tensor t = scattered_room(source, sizes[i], types[i]);
      std::size_t n = 0;
      each_index(sizes[i], [&](const tb::shape& index) { set(t, index, elements[i][n++]); });
      all.push_back(wanted[i] ? tb::require_grad(t) : t);
    }
    return all;
  }
  tensor_list run(std::span<const tb::tensor> leaves) const {
    tensor_list inputs;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      inputs.push_back(sizes[i] == call.shapes[i] ? leaves[i] : tb::aten::expand(leaves[i], call.shapes[i]));
    return call.run(inputs);
  }
  std::string text(std::span<const tb::tensor> leaves) const {
    std::string all = call.text;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      all += "\n  input " + std::to_string(i + 1) + ": " + std::string(tb::name_of(leaves[i].dtype())) + " " +
             tb::to_string(sizes[i]) + ", strides " + tb::to_string(leaves[i].strides());
      if (sizes[i] != call.shapes[i]) all += ", expanded to " + tb::to_string(call.shapes[i]);
      if (!wanted[i]) all += ", a constant";
    }
    return all;
  }
  // Gradients of the results with respect to the wanted leaves; the output gradients are exact in every dtype.
  tensor_list gradients(const tensor_list& leaves) const {
    tensor_list outputs, weights, by;
    for (const tb::tensor& r : run(leaves)) {
      if (!r.defined() || !tb::requires_grad(r)) continue;
      std::vector<double> some;
      for (std::int64_t e = 0; e < r.numel(); ++e) some.push_back(std::array{1.0, -0.5, 1.5, -2.0, 0.75}[e % 5]);
      outputs.push_back(r);
      weights.push_back(tensor_of(some, r.sizes(), r.dtype()));
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (wanted[i]) by.push_back(leaves[i]);
    }
    return tb::grad(outputs, by, {.allow_unused = true, .gradients = weights});
  }
};

inline void check_differences(const leaves_of_call& c, numbers& source) {
  const tensor_list leaves = c.leaves(source, std::vector(c.sizes.size(), tb::dtype::float64));
  const auto run = [&](std::span<const tb::tensor> x) { return c.run(x); };
  INFO(c.text(leaves));
  const tb::check_result once = tb::gradcheck(run, leaves);
  INFO(once.text);
  CHECK(once.ok);
  const tb::check_result along = tb::jvpcheck(run, leaves);
  INFO(along.text);
  CHECK(along.ok);
  if (!c.rule.twice) return;
  const tb::check_result twice = tb::gradgradcheck(run, leaves);
  INFO(twice.text);
  CHECK(twice.ok);
}

inline void check_narrow(leaves_of_call c, numbers& source) {
  constexpr tb::dtype all_types[] = {tb::dtype::float32, tb::dtype::float16, tb::dtype::bfloat16, tb::dtype::float64};
  std::vector<tb::dtype> types;
  const tb::dtype one = all_types[source.whole(0, 2)];
  for (std::size_t i = 0; i < c.sizes.size(); ++i) types.push_back(c.rule.mixes ? all_types[source.whole(0, 3)] : one);
  const tensor_list narrow = c.leaves(source, types);
  for (std::size_t i = 0; i < narrow.size(); ++i) c.elements[i] = values(narrow[i]);
  const tensor_list wide = c.leaves(source, std::vector(c.sizes.size(), tb::dtype::float64));
  INFO(c.text(narrow));
  double tolerance = 0;
  for (const tb::dtype t : types) tolerance = std::max(tolerance, 4 * c.rule.narrow * tolerance_of(t));
  const tensor_list found = c.gradients(narrow), wanted = c.gradients(wide);
  std::size_t n = 0;
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    if (!c.wanted[i]) continue;
    const tb::tensor &a = found[n], &b = wanted[n++];
    INFO("input " << i + 1);
    CHECK(a.defined() == b.defined());
    if (!a.defined() || !b.defined()) continue;
    CHECK(a.dtype() == types[i]);
    CHECK(a.sizes() == b.sizes());
    const std::vector<double> in_narrow = values(a), in_wide = values(b);
    double size = 1;
    for (const double x : in_wide) size = std::max(size, std::abs(x));
    CHECK(difference(in_narrow, in_wide, tolerance * size) == "");
  }
}

}  // namespace random_gradients

inline void check_random_calls(const random_rule& rule, int rounds) {
  const std::uint64_t given = random_gradients::setting("TOPBIT_GRADIENT_SEED", 0);
  const auto count =
      static_cast<int>(random_gradients::setting("TOPBIT_GRADIENT_ROUNDS", static_cast<std::uint64_t>(scaled(rounds))));
  for (int round = 0; round < (given != 0 ? 1 : count); ++round) {
    const unsigned seed = given != 0 ? static_cast<unsigned>(given) : random_gradients::seed_of(rule.name, round);
    INFO(rule.name << ": TOPBIT_GRADIENT_SEED=" << seed << " runs this call again, with -c '" << rule.name << "'");
    numbers source(seed);
    const random_gradients::leaves_of_call c(rule, source);
    random_gradients::check_differences(c, source);
    if (rule.narrow != 0) random_gradients::check_narrow(c, source);
  }
}

inline void check_random_rules(const std::vector<random_rule>& rules, int rounds) {
  for (const random_rule& rule : rules) {
    DYNAMIC_SECTION(rule.name) { check_random_calls(rule, rounds); }
  }
}

}  // namespace support

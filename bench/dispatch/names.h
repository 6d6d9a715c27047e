// A thousand names as operators have them: made at compile time, so that they can be the names of declared operators,
// and the order in which they are looked up.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cases.h"

namespace names {

inline constexpr std::array<std::string_view, 32> verbs{
    "add",        "sub",           "mul",      "div",      "addmm",     "conv2d",   "linear",     "layer_norm",
    "batch_norm", "group_norm",    "dropout",  "softmax",  "embedding", "max_pool", "avg_pool",   "upsample",
    "index",      "gather",        "scatter",  "cumsum",   "logsumexp", "argmax",   "nonzero",    "sort",
    "baddbmm",    "cross_entropy", "nll_loss", "bincount", "transpose", "permute",  "as_strided", "unfold"};
inline constexpr std::array<std::string_view, 8> endings{"",      "_backward", "_forward", "_with_indices",
                                                         "_copy", "_sparse",   "_fused",   "_double_backward"};
inline constexpr std::array<std::string_view, 4> overloads{"", ".Tensor", ".Scalar_out", ".dim_IntList"};

inline constexpr std::size_t count = verbs.size() * endings.size() * overloads.size();

struct parts {
  std::string_view verb, ending, overload;
};
constexpr parts at(std::size_t i) {
  return {verbs[i % verbs.size()], endings[i / verbs.size() % endings.size()],
          overloads[i / verbs.size() / endings.size()]};
}
constexpr std::size_t length(std::size_t i) { return at(i).verb.size() + at(i).ending.size() + at(i).overload.size(); }

// "verb_ending.Overload", without a namespace.
inline std::string text(std::size_t i) {
  std::string name(at(i).verb);
  return name.append(at(i).ending).append(at(i).overload);
}

// What is looked up, one after the other: indices of names, each hit, in an order no predictor learns.
inline constexpr std::size_t query_count = 4096;
inline const std::vector<std::size_t>& order() {
  static const std::vector<std::size_t> indices = [] {
    std::mt19937 random(7);
    std::vector<std::size_t> made(query_count);
    for (std::size_t& i : made) i = random() % count;
    return made;
  }();
  return indices;
}

// Looks queries up, one each round.
template <class Rounds, class Queries, class Find>
void look_up(Rounds& rounds, const Queries& queries, Find find) {
  std::size_t i = 0;
  for (auto _ : rounds) {
    auto found = find(queries[i]);
    benchmark::DoNotOptimize(found);
    i = (i + 1) % query_count;
  }
}

}  // namespace names

#include <catch2/catch_test_macros.hpp>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::dtype;
using tb::tensor;
using toy::text_of;

namespace {

tensor einsum(std::string_view equation, const std::vector<tensor>& all) {
  return aten::einsum(equation, std::span<const tensor>(all));
}

// Every letter runs over its size; what is met is multiplied and added to the place that the result's letters name.
std::vector<double> naive(const std::vector<std::string>& operands, const std::string& result,
                          const std::vector<tensor>& all, tb::shape& sizes) {
  std::map<char, std::int64_t> size;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t d = 0; d < operands[i].size(); ++d) {
      size[operands[i][d]] = std::max(size[operands[i][d]], all[i].sizes()[d]);
    }
  }
  std::string letters;
  tb::shape every;
  for (const auto& [letter, n] : size) letters += letter, every.push_back(n);
  sizes = {};
  for (char c : result) sizes.push_back(size[c]);
  std::vector<double> out(static_cast<std::size_t>(tb::numel(sizes)), 0.0);
  support::each_index(every, [&](const tb::shape& at) {
    double product = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      tb::shape index;
      for (std::size_t d = 0; d < operands[i].size(); ++d) {
        index.push_back(all[i].sizes()[d] == 1 ? 0 : at[letters.find(operands[i][d])]);
      }
      product *= support::get(all[i], index);
    }
    std::size_t place = 0;
    for (char c : result)
      place = place * static_cast<std::size_t>(size[c]) + static_cast<std::size_t>(at[letters.find(c)]);
    out[place] += product;
  });
  return out;
}

}  // namespace

TEST_CASE("einsum: random equations agree with loops over all letters", "[ops][einsum][property]") {
  support::numbers source(1);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t sizes_of[] = {2, 3, 1, 4};
    std::vector<std::string> operands;
    std::vector<tensor> all;
    std::string seen, equation;
    for (std::int64_t n = source.whole(1, 3); n > 0; --n) {
      std::string letters;
      tb::shape sizes;
      for (std::int64_t d = source.whole(0, 3); d > 0; --d) {
        const auto letter = source.whole(0, 3);
        letters += static_cast<char>('a' + letter);
        // One operand may repeat an element where the others have more; within an operand sizes agree.
        sizes.push_back(sizes_of[letter]);
      }
      const bool repeats = letters.size() == 1 && source.whole(0, 3) == 0;
      if (repeats) sizes[0] = 1;
      equation += (operands.empty() ? "" : ",") + letters;
      operands.push_back(letters);
      seen += letters;
      all.push_back(source.tensor(sizes, dtype::float64, support::arrangements[source.whole(0, 3)]));
    }
    std::string result;
    for (char c : seen) {
      if (result.find(c) == std::string::npos && source.whole(0, 1) == 0) result.insert(result.begin(), c);
    }
    INFO(equation << "->" << result);
    tb::shape sizes;
    const auto wanted = naive(operands, result, all, sizes);
    const tensor found = einsum(equation + "->" + result, all);
    REQUIRE(found.sizes() == sizes);
    REQUIRE(support::difference(values(found), wanted, 1e-12) == "");
  }
}

TEST_CASE("einsum: without an arrow the result has the letters that occur once, in alphabetical order",
          "[ops][einsum]") {
  const tensor m = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(values(einsum("ba", {m})) == values(einsum("ba->ab", {m})));
  CHECK(einsum("bA", {m}).sizes() == tb::shape{3, 2});
  CHECK(values(einsum("ij,jk", {m, aten::t(m)})) == values(aten::mm(m, aten::t(m))));
  CHECK(values(einsum(" i i ", {tensor_of({1, 2, 3, 4}, {2, 2})})) == std::vector<double>{5});
}

TEST_CASE("einsum: an ellipsis broadcasts, and is summed if the result has none", "[ops][einsum][property]") {
  support::numbers source(2);
  const tensor a = source.tensor({4, 1, 2, 3}, dtype::float64), b = source.tensor({5, 3, 2}, dtype::float64);
  CHECK(support::difference(values(einsum("...ij,...jk->...ik", {a, b})), values(aten::matmul(a, b)), 1e-12) == "");
  CHECK(einsum("i...,...->...i", {a, source.tensor({3}, dtype::float64)}).sizes() == tb::shape{1, 2, 3, 4});
  CHECK(support::difference(values(einsum("...j->j", {a})), values(tb::sum(a, {0, 1, 2})), 1e-12) == "");
}

TEST_CASE("einsum: invalid arguments are refused", "[ops][einsum]") {
  const tensor m = tensor_of({1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(text_of<tb::error>([&] { einsum("ij,jk->ik", {m}); }) ==
        "aten::einsum: found 1 tensors for 'ij,jk->ik', wanted 2");
  CHECK(text_of<tb::error>([&] { einsum("ij->k", {m}); }) ==
        "aten::einsum: found 'k' in the result of 'ij->k', wanted each letter once, and only those of the operands");
  CHECK(text_of<tb::error>([&] { einsum("ij->ii", {m}); }) ==
        "aten::einsum: found 'i' in the result of 'ij->ii', wanted each letter once, and only those of the operands");
  CHECK(text_of<tb::error>([&] { einsum("i!->i", {m}); }) ==
        "aten::einsum: found '!' in 'i!->i', wanted letters, one ',' between operands, one '->' and one '...' each");
  CHECK(text_of<tb::shape_error>([&] { einsum("i", {m}); }) ==
        "aten::einsum: found [2, 3] for 'i', wanted 1 dimensions");
  CHECK(text_of<tb::shape_error>([&] { einsum("ii", {m}); }) ==
        "aten::einsum: found [2, 3] for 'ii', wanted one size for 'i'");
  CHECK(text_of<tb::shape_error>([&] { einsum("ij,ij->", {m, aten::t(m)}); }) ==
        "aten::einsum: found the sizes 2 and 3 for 'i', in tensors [2, 3] and [3, 2], wanted one size");
}

TEST_CASE("einsum: tensordot and inner are sums over pairs of dimensions", "[ops][einsum][property]") {
  support::numbers source(3);
  const tensor a = source.tensor({2, 3, 4}, dtype::float64), b = source.tensor({4, 5, 3}, dtype::float64);
  using list = std::vector<std::int64_t>;
  CHECK(support::difference(values(aten::tensordot(a, b, list{1, -1}, list{2, 0})),
                            values(einsum("ijk,klj->il", {a, b})), 1e-12) == "");
  CHECK(aten::tensordot(a, b, list{}, list{}).sizes() == tb::shape{2, 3, 4, 4, 5, 3});
  CHECK(support::difference(values(aten::inner(a, aten::reshape(b, list{15, 4}))),
                            values(einsum("ijk,lk->ijl", {a, aten::reshape(b, list{15, 4})})), 1e-12) == "");
  CHECK(text_of<tb::shape_error>([&] { aten::tensordot(a, b, list{1}, list{0}); }) ==
        "aten::tensordot: found [2, 3, 4] and [4, 5, 3], wanted equal sizes of dimensions 1 and 0");
}

TEST_CASE("einsum: integer products keep their dtype, and sums of one operand are int64", "[ops][einsum]") {
  for (dtype t : {dtype::int8, dtype::int32}) {
    const tensor m = aten::full(std::vector<std::int64_t>{2, 2}, 3, tb::arg<"dtype"> = t);
    const std::vector<tensor> one{m}, two{m, m}, three{m, m, m};
    const auto type = [](std::string_view equation, const std::vector<tensor>& of) {
      return aten::einsum(equation, of).dtype();
    };
    CHECK(type("ij->", one) == dtype::int64);
    CHECK(type("ii->i", one) == t);
    CHECK(type("ij,jk->ik", two) == t);
    CHECK(type("ij,ij->i", two) == t);
    CHECK(type("ij,jk,kl->il", three) == t);
    CHECK(type("ij,jk->", two) == dtype::int64);
    CHECK(type("ij,jk->i", two) == dtype::int64);
    CHECK(support::values(aten::einsum("ij,jk->", two)) == std::vector<double>{72});
  }
}

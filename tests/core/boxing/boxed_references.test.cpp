// Results that are arguments, and optionals of handles: what crosses a boxed layer as itself.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::boxed_stack;
using tb::operator_handle;
using toy::tensor;

namespace boxed_references {

void call_on(const operator_handle& op, tb::key_set keys, boxed_stack& s) {
  op.redispatch_boxed(keys.below_highest(), s);
}
// Lists in place, as the C++ types of `int(a!)[] -> int(a!)[]` and the like are.
using numbers = std::vector<std::int64_t>;
inline constexpr tb::op<"ref::numbers", numbers&(numbers&)> in_place_list;
inline constexpr tb::op<"ref::text", std::string&(std::string&)> in_place_text;
inline constexpr tb::op<"ref::maybe", std::optional<int>&(std::optional<int>&)> in_place_optional;
inline constexpr tb::op<"ref::tensors", std::vector<tensor>&(std::vector<tensor>&)> in_place_tensors;
using three = std::tuple<tensor&, tensor&, tensor&>;
inline constexpr tb::op<"ref::three", three(tensor&, tensor&)> three_of_two;
inline constexpr tb::op<"ref::first", tensor&(tensor&, tensor&)> first_of_two;
inline constexpr tb::op<"ref::last", tensor&(const tensor&, tensor&, tensor&)> last_of_two;
inline constexpr tb::op<"ref::both", std::tuple<tensor&, tensor&>(const tensor&, tensor&, tensor&)> both_of_two;
inline constexpr tb::op<"ref::given", bool(const std::optional<tensor>&)> given;
inline constexpr tb::op<"ref::value", std::int64_t(std::optional<tensor>)> value_of;
inline constexpr tb::op<"ref::copies", std::vector<tensor>(const tensor&)> copies;
inline constexpr tb::op<"ref::spell", std::string(const tensor&)> spell;

const tensor* given_tensor = nullptr;  // what the kernel saw, by its address
const auto kernels = [] {
  auto block = tb::library("ref");
  block.def(in_place_list).impl<[](numbers& x) -> numbers& { return x.push_back(7), x; }>(in_place_list);
  block.def(in_place_text).impl<[](std::string& x) -> std::string& { return x += "!", x; }>(in_place_text);
  block.def(in_place_optional)
      .impl<[](std::optional<int>& x) -> std::optional<int>& { return x = x ? std::nullopt : std::optional(5), x; }>(
          in_place_optional);
  block.def(in_place_tensors).impl<[](std::vector<tensor>& x) -> std::vector<tensor>& {
    for (const tensor& t : x) t.set(t.value() + 1);
    return x;
  }>(in_place_tensors);
  block.def(three_of_two).impl<[](tensor& a, tensor& b) { return three(a, b, a); }>(three_of_two);
  block.def(given).impl<[](const std::optional<tensor>& x) { return x.has_value() && x->value() == 3; }>(given);
  block.def(value_of).impl<[](std::optional<tensor> x) { return x ? x->value() : -1; }>(value_of);
  block.def(copies).impl<[](const tensor& t) { return std::vector<tensor>(3, t); }>(copies);
  block.def(spell).impl<[](const tensor&) { return std::string("longer than any small buffer of a string is"); }>(
      spell);
  return block;
}();
const auto layer = tb::fallback<&call_on>(key::ZeroTensor);

// Leaves a tensor of its own for each result.
void leave_others(const operator_handle& op, tb::key_set, boxed_stack& s) {
  s.drop(op.argument_count());
  for (std::size_t i = 0; i < op.result_count(); ++i) s.push(tensor(key::CPU, 7));
}

}  // namespace boxed_references
using namespace boxed_references;

TEST_CASE("boxed_references: a list, a text and an optional that are written come back as themselves",
          "[core][boxing][B3][B5]") {
  const tb::include_guard through(key::ZeroTensor);
  numbers list{1};
  CHECK(&in_place_list(list) == &list);
  CHECK(list == numbers{1, 7});
  std::string text = "a";
  CHECK(&in_place_text(text) == &text);
  CHECK(text == "a!");
  std::optional<int> maybe;
  CHECK(&in_place_optional(maybe) == &maybe);
  CHECK(maybe == 5);
  CHECK(&in_place_optional(maybe) == &maybe);
  CHECK(!maybe);
  std::vector<tensor> tensors{tensor(key::CPU, 1), tensor(key::CPU, 2)};
  tensor::references_taken = 0;
  CHECK(&in_place_tensors(tensors) == &tensors);
  CHECK(tensors[1].value() == 3);
  CHECK(tensor::references_taken == 0);
}

TEST_CASE("boxed_references: a boxed kernel may leave a value of its own for a result that is an argument",
          "[core][boxing][B5]") {
  constexpr auto fresh = [](const operator_handle&, boxed_stack& s) { s.drop(1), s.push(numbers{9}); };
  const auto own = tb::implement("ref").impl_boxed<fresh>(in_place_list, key::ZeroTensor);
  const tb::include_guard through(key::ZeroTensor);
  numbers list{1};
  CHECK(&in_place_list(list) == &list);
  CHECK(list == numbers{1});
}

TEST_CASE("boxed_references: one argument may be several results, and more than there are arguments",
          "[core][boxing][B5]") {
  tensor a(key::CPU, 1), b(key::CPU, 2);
  const auto same = [&](const three& all) {
    return &std::get<0>(all) == &a && &std::get<1>(all) == &b && &std::get<2>(all) == &a;
  };
  CHECK(same(three_of_two(a, b)));
  const tb::include_guard through(key::ZeroTensor);
  tensor::references_taken = 0;
  CHECK(same(three_of_two(a, b)));
  CHECK(tensor::references_taken == 0);
  boxed_stack s;
  s.push(a);
  s.push(b);
  three_of_two.handle().call_boxed(s);
  REQUIRE(s.size() == 3);
  CHECK(s[0].get<tensor>().is_same(a));
  CHECK(s[1].get<tensor>().is_same(b));
  CHECK(s[2].get<tensor>().is_same(a));
}

TEST_CASE(
    "boxed_references: without a schema one result is the first argument or else the last, several are the last ones",
    "[core][boxing][B5]") {
  const auto own_kernels = tb::fragment("ref")
                               .def(first_of_two)
                               .impl_boxed<&leave_others>(first_of_two, key::CPU)
                               .def(last_of_two)
                               .impl_boxed<&leave_others>(last_of_two, key::CPU)
                               .def(both_of_two)
                               .impl_boxed<&leave_others>(both_of_two, key::CPU);
  tensor a(key::CPU, 1), b(key::CPU, 2), c(key::CPU, 3);
  CHECK(&first_of_two(a, b) == &a);
  CHECK(&last_of_two(a, b, c) == &c);
  const auto both = both_of_two(a, b, c);
  CHECK(&std::get<0>(both) == &b);
  CHECK(&std::get<1>(both) == &c);
}

TEST_CASE("boxed_references: an optional handle is borrowed like any other", "[core][boxing][B3]") {
  const tensor t(key::CPU, 3);
  const std::optional<tensor> some(t);
  const tb::include_guard through(key::ZeroTensor);
  const auto memory = toy::allocations();
  tensor::references_taken = 0;
  const bool found = given(some), none = given(std::nullopt);
  CHECK(tensor::references_taken == 0);
  CHECK(toy::allocations() == memory);
  CHECK(found);
  CHECK_FALSE(none);
  CHECK(value_of(some) == 3);  // by value: the kernel's own
  CHECK(value_of(std::nullopt) == -1);
  {
    boxed_stack s;
    s.push(t);
    given.handle().call_boxed(s);
    CHECK(s[0].get<bool>());
  }
  CHECK(t.count() == 2);
}

TEST_CASE("boxed_references: a list or a text that is a result is moved out of its box", "[core][boxing][B4]") {
  const tensor t(key::CPU, 3);
  tensor::references_taken = 0;
  (void)copies(t);
  const auto directly = tensor::references_taken;
  const tb::include_guard through(key::ZeroTensor);
  tensor::references_taken = 0;
  const auto all = copies(t);
  CHECK(tensor::references_taken == directly);
  CHECK(all.size() == 3);
  CHECK(spell(t) == "longer than any small buffer of a string is");
}

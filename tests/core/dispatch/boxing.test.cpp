#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::boxed_stack;
using tb::key_set;
using tb::operator_handle;
using toy::tensor;

namespace boxing_ops {

// Operators of every shape, each with a typed CPU kernel. CUDA has boxed kernels only.
inline constexpr tb::op<"box::add(Tensor a, Tensor b, *, int n=1) -> Tensor"> add;
inline constexpr tb::op<"box::fill(Tensor(a!) self, int n) -> Tensor(a!)"> fill;
inline constexpr tb::op<"box::pass", const tensor&(const tensor&, std::int64_t)> pass;
inline constexpr tb::op<"box::into(Tensor a, int n, *, Tensor(a!) out) -> Tensor(a!)"> into;
inline constexpr tb::op<"box::swap(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))"> swap;
inline constexpr tb::op<"box::pair(Tensor a) -> (Tensor, int)"> pair;
inline constexpr tb::op<"box::note(Tensor a, str text) -> ()"> note;
inline constexpr tb::op<"box::lists(Tensor[] all, int[] sizes) -> int[]"> lists;
inline constexpr tb::op<"box::words(Tensor a, str text) -> str"> words;
inline constexpr tb::op<"box::maybe(Tensor? a, int? n) -> int?"> maybe;
inline constexpr tb::op<"box::draw", toy::image(const toy::image&, double)> draw;

std::string noted;
tensor add_cpu(const tensor& a, const tensor& b, std::int64_t n) { return tensor(a.keys(), a.value() + n * b.value()); }
tensor& fill_cpu(tensor& self, std::int64_t n) { return self.set(n), self; }
const tensor& pass_cpu(const tensor& a, std::int64_t) { return a; }
tensor& into_cpu(const tensor& a, std::int64_t n, tensor& out) { return out.set(a.value() + n), out; }
std::tuple<tensor&, tensor&> swap_cpu(tensor& x, tensor& y) {
  const std::int64_t was = x.value();
  x.set(y.value());
  y.set(was);
  return {x, y};
}
std::tuple<tensor, std::int64_t> pair_cpu(const tensor& a) { return {a, a.value()}; }
void note_cpu(const tensor&, std::string_view text) { noted = text; }
std::vector<std::int64_t> lists_cpu(std::span<const tensor> all, std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> out(sizes.begin(), sizes.end());
  for (const tensor& t : all) out.push_back(t.value());
  return out;
}
std::string words_cpu(const tensor&, std::string_view text) { return std::string(text) + std::string(text); }
std::optional<std::int64_t> maybe_cpu(const std::optional<tensor>& a, std::optional<std::int64_t> n) {
  if (!a || !n) return std::nullopt;
  return a->value() + *n;
}
toy::image draw_cpu(const toy::image& i, double d) { return {i.keys, i.width + static_cast<int>(d), i.height}; }

// A layer that does nothing but call on, boxed.
int layers_passed = 0;
void call_on(const operator_handle& op, key_set keys, boxed_stack& s) {
  ++layers_passed;
  op.redispatch_boxed(keys & tb::below(key::UserTop1), s);
}
void forgets_to_pop(const operator_handle&, boxed_stack& s) { s.push(tensor(key::CUDA)); }
void leaves_nothing(const operator_handle& op, boxed_stack& s) { s.drop(op.argument_count()); }
void leaves_a_number(const operator_handle& op, boxed_stack& s) {
  s.drop(op.argument_count());
  for (std::size_t i = 0; i < op.result_count(); ++i) s.push(1.5);
}
void leaves_fresh(const operator_handle& op, boxed_stack& s) {
  s.drop(op.argument_count());
  for (std::size_t i = 0; i < op.result_count(); ++i) s.push(tensor(key::CUDA, 99));
}
void writes_seven(const operator_handle&, boxed_stack& s) {  // into the first argument, which it leaves as the result
  s.top(2)[0].get<tensor>().set(7);
  s.drop(1);
}

const auto kernels = [] {
  auto block = tb::library("box");
  block.def(add).impl<&add_cpu>(add, key::CPU).impl_boxed<&forgets_to_pop>(add, key::CUDA);
  block.impl_boxed<&leaves_a_number>(add, key::XLA).impl_boxed<&leaves_nothing>(add, key::HIP);
  block.def(fill).impl<&fill_cpu>(fill, key::CPU).impl_boxed<&writes_seven>(fill, key::CUDA);
  block.def(pass).impl<&pass_cpu>(pass, key::CPU).impl_boxed<&leaves_fresh>(pass, key::CUDA);
  block.def(into).impl<&into_cpu>(into, key::CPU).impl_boxed<&leaves_fresh>(into, key::CUDA);
  block.impl_boxed<&leaves_a_number>(into, key::XLA);
  block.def(swap).impl<&swap_cpu>(swap, key::CPU).impl_boxed<&leaves_fresh>(swap, key::CUDA);
  block.def(pair).impl<&pair_cpu>(pair, key::CPU).impl_boxed<&leaves_a_number>(pair, key::CUDA);
  block.def(note).impl<&note_cpu>(note, key::CPU).impl_boxed<&leaves_nothing>(note, key::CUDA);
  block.def(lists).impl<&lists_cpu>(lists, key::CPU);
  block.def(words).impl<&words_cpu>(words, key::CPU);
  block.def(maybe).impl<&maybe_cpu>(maybe).def(draw).impl<&draw_cpu>(draw, key::CPU);
  return block;
}();
const auto layer = tb::fallback<&call_on>(key::UserTop1);

template <class Call>
std::string refusal(Call call, std::string_view file = std::source_location::current().file_name()) {
  return toy::without_places(toy::text_of<tb::bad_argument>(call), file);
}
operator_handle find(std::string_view name) { return tb::registry::process().find(name); }
tensor cpu(std::int64_t v) { return tensor(key::CPU, v); }
const tensor cuda(key::CUDA, 5);
}  // namespace boxing_ops
using namespace boxing_ops;

TEST_CASE("boxing: a boxed call of a typed kernel replaces its arguments by its results", "[core][boxing][B3][C2]") {
  boxed_stack s;
  s.push(std::int64_t{99});  // somebody else's
  s.push(cpu(1));
  s.push(cpu(2));
  s.push(std::int64_t{10});
  find("box::add").call_boxed(s);
  REQUIRE(s.size() == 2);
  CHECK(s[1].get<tensor>().value() == 21);
  CHECK(s[0].get<std::int64_t>() == 99);
}

TEST_CASE("boxing: void pushes nothing and a tuple each of its elements", "[core][boxing][B4]") {
  boxed_stack s;
  s.push(cpu(1));
  s.push(std::string("read"));
  find("box::note").call_boxed(s);
  CHECK(s.empty());
  CHECK(noted == "read");
  s.push(cpu(3));
  find("box::pair").call_boxed(s);
  REQUIRE(s.size() == 2);
  CHECK(s[0].get<tensor>().value() == 3);
  CHECK(s[1].get<std::int64_t>() == 3);
}

TEST_CASE("boxing: a reference result is copied as a handle before the arguments go", "[core][boxing][B4]") {
  const tensor t = cpu(1);
  boxed_stack s;
  s.push(t);
  s.push(std::int64_t{8});
  find("box::fill").call_boxed(s);
  REQUIRE(s.size() == 1);
  CHECK(s[0].get<tensor>().is_same(t));
  CHECK(t.value() == 8);
}

TEST_CASE("boxing: two reference results survive a stack that grows under them", "[core][boxing][B4]") {
  const tensor x = cpu(1), y = cpu(2);
  for (int more = 0; more < 16; ++more) {
    boxed_stack s;
    for (int i = 0; i < more; ++i) s.push(std::int64_t{i});
    s.push(x);
    s.push(y);
    find("box::swap").call_boxed(s);
    REQUIRE(s.size() == static_cast<std::size_t>(more) + 2);
    CHECK(s[s.size() - 2].get<tensor>().is_same(x));
    CHECK(s[s.size() - 1].get<tensor>().is_same(y));
  }
}

TEST_CASE("boxing: lists, strings and optionals arrive whole", "[core][boxing][B7]") {
  boxed_stack s;
  s.push(std::vector{cpu(1), cpu(2)});
  s.push(std::vector<std::int64_t>{7, 8});
  find("box::lists").call_boxed(s);
  REQUIRE(s.size() == 1);
  CHECK(s[0].get<std::span<const std::int64_t>>().size() == 4);
  s.pop();
  const std::array all{cpu(1), cpu(2)};
  const std::array<std::int64_t, 2> sizes{7, 8};
  CHECK(lists(all, sizes) == std::vector<std::int64_t>{7, 8, 1, 2});
  s.push(cpu(0));
  s.push(std::string("ab"));
  find("box::words").call_boxed(s);
  CHECK(s[0].get<std::string_view>() == "abab");
  s.pop();
  s.push(cpu(1));
  s.push(tb::value());
  find("box::maybe").call_boxed(s);
  CHECK(s.pop().is_none());
  s.push(cpu(1));
  s.push(std::int64_t{4});
  find("box::maybe").call_boxed(s);
  CHECK(s[0].get<std::int64_t>() == 5);
}

TEST_CASE("boxing: a typed call through boxed layers ends in the typed kernel, with every shape",
          "[core][boxing][B1][B5]") {
  tb::include_guard through(key::UserTop1);
  layers_passed = 0;
  CHECK(add(cpu(1), cpu(2), 3).value() == 7);
  tensor t = cpu(1), u = cpu(2);
  CHECK(&fill(t, 4) == &t);
  CHECK(t.value() == 4);
  CHECK(&pass(t, 1) == &t);
  CHECK(&into(t, 5, u) == &u);
  CHECK(u.value() == 9);
  const auto both = swap(t, u);
  CHECK(&std::get<0>(both) == &t);
  CHECK(&std::get<1>(both) == &u);
  CHECK(t.value() == 9);
  const auto [same, number] = pair(t);
  CHECK(same.is_same(t));
  CHECK(number == 9);
  note(t, "boxed");
  CHECK(noted == "boxed");
  const std::array all{t, u};
  const std::array<std::int64_t, 1> sizes{3};
  CHECK(lists(all, sizes) == std::vector<std::int64_t>{3, 9, 4});
  CHECK(words(t, "xy") == "xyxy");
  CHECK(maybe(t, 1) == 10);
  CHECK(maybe(std::nullopt, 1) == std::nullopt);
  CHECK(draw(toy::image{key::CPU, 1, 2}, 3.0).width == 4);
  CHECK(layers_passed == 12);
}

TEST_CASE("boxing: a reference result is an argument, whatever tensor the boxed kernel left", "[core][boxing][B5]") {
  tensor a(key::CUDA, 1), b(key::CUDA, 2);
  CHECK(&fill(a, 3) == &a);
  CHECK(a.value() == 7);  // written by the boxed kernel, through the handle
  CHECK(&pass(a, 3) == &a);
  CHECK(&into(b, 3, a) == &a);
  tensor xla(key::XLA, 1);
  CHECK(refusal([&] { into(b, 3, xla); }) ==
        "box::into: result 1 of the boxed kernel registered for XLA at HERE is 'double', wanted 'toy::tensor'");
  const auto both = swap(a, b);
  CHECK(&std::get<0>(both) == &a);
  CHECK(&std::get<1>(both) == &b);
}

TEST_CASE("boxing: results of a boxed kernel are counted and checked, and it is named", "[core][boxing][B6]") {
  const std::string four_left =
      "box::add: the boxed kernel registered for CUDA at HERE left 4 values on the stack, wanted 1; it must replace "
      "the arguments by the results";
  const tensor xla(key::XLA), hip(key::HIP);
  CHECK(refusal([&] { (void)add(cuda, cuda); }) == four_left);
  CHECK(refusal([&] { (void)add(hip, hip); }) ==
        "box::add: the boxed kernel registered for HIP at HERE left 0 values on the stack, wanted 1; it must replace "
        "the arguments by the results");
  CHECK(refusal([&] { (void)add(xla, xla); }) ==
        "box::add: result 1 of the boxed kernel registered for XLA at HERE is 'double', wanted 'toy::tensor'");
  CHECK(refusal([&] { (void)pair(cuda); }) ==
        "box::pair: result 1 of the boxed kernel registered for CUDA at HERE is 'double', wanted 'toy::tensor'");
  const auto wrong = tb::fallback<&leaves_a_number>(key::UserTop2);  // one function, found in two places
  CHECK(refusal([&] {
          const tb::include_guard through(key::UserTop2);
          (void)add(cpu(1), cpu(1));
        }) ==
        "box::add: result 1 of the boxed kernel registered for XLA at HERE and for UserTop2 at HERE is 'double', "
        "wanted 'toy::tensor'");
  CHECK(refusal([&] {
          const tb::include_guard through(key::UserTop2);
          (void)words(cpu(1), "text");
        }) ==
        "box::words: result 1 of the boxed fallback registered for UserTop2 at HERE is 'double', wanted 'std::string'");
  boxed_stack s;
  for (int i = 0; i < 2; ++i) s.push(cuda);
  s.push(std::int64_t{1});
  CHECK(refusal([&] { find("box::add").call_boxed(s); }) == four_left);
}

TEST_CASE("boxing: arguments of a boxed call are counted and checked before the kernel runs", "[core][boxing][B3]") {
  const operator_handle op = find("box::add");
  boxed_stack s;
  s.push(cpu(1));
  s.push(cpu(1));
  const std::string few = "box::add: found 2 values on the stack, wanted 3 arguments";
  CHECK(toy::text_of<tb::bad_argument>([&] { op.call_boxed(s); }) == few);
  CHECK(toy::text_of<tb::bad_argument>([&] { op.redispatch_boxed(key::CPU, s); }) == few);
  CHECK(toy::text_of<tb::bad_argument>([&] { op.redispatch_boxed(key::HIP, s); }) == few);  // a boxed kernel
  CHECK(s.size() == 2);
  s.push(2.5);
  CHECK(toy::text_of<tb::bad_argument>([&] { op.call_boxed(s); }) ==
        "box::add, argument 3 'n': found 'double', wanted 'int64_t'");
  s.pop();
  s.push(3);  // an int is no int64_t: nothing is converted behind one's back
  CHECK(toy::text_of<tb::bad_argument>([&] { op.call_boxed(s); }) ==
        "box::add, argument 3 'n': found 'int', wanted 'int64_t'");
  s.pop();
  s.push(tb::value());
  CHECK(toy::text_of<tb::bad_argument>([&] { op.call_boxed(s); }) ==
        "box::add, argument 3 'n': found 'none', wanted 'int64_t'");
}

TEST_CASE("boxing: an exception from a kernel leaves no value behind", "[core][boxing]") {
  constexpr auto throws = [](const operator_handle&, boxed_stack&) -> void {
    throw std::runtime_error("from the kernel");
  };
  const auto block = tb::implement("box", key::Meta).impl_boxed<throws>(add, key::Meta);
  const tensor meta(key::Meta, 1);
  CHECK_THROWS_AS(add(meta, meta), std::runtime_error);
  CHECK(meta.count() == 1);
}

TEST_CASE("boxing: the count of allocations is a count", "[core][boxing]") {
  const auto memory = toy::allocations();
  const tensor one(key::CPU);
  if (toy::allocations() == memory) SKIP("a sanitizer owns operator new");
  CHECK(toy::allocations() == memory + 1);
}

TEST_CASE("boxing: a typed call through a boxed layer allocates nothing and takes no reference", "[core][boxing]") {
  tb::include_guard through(key::UserTop1);
  tensor t = cpu(1), u = cpu(2);
  const std::array all{t, u};
  const std::optional<tensor> none;
  const std::string_view text = "a text that is longer than any small-string buffer of a std::string";
  noted.reserve(100);
  (void)maybe(none, 1);
  const auto memory = toy::allocations();
  tensor::references_taken = 0;
  note(t, text);
  (void)maybe(none, 1);
  CHECK(tensor::references_taken == 0);
  CHECK(toy::allocations() == memory);
  (void)pass(t, 1);
  (void)draw(toy::image{key::CPU, 1, 2}, 3.0);
  tensor::references_taken = 0;
  (void)into(t, 1, u);
  CHECK(tensor::references_taken == 0);
  // The image's result is boxed behind a pointer: the one allocation, and none of it for an argument.
  CHECK(toy::allocations() - memory <= 1);
  CHECK(t.count() == 2);
  CHECK(u.count() == 2);
}

namespace boxing_ops {

// Four bytes that are written in place: they fit into a value, and must still be the caller's.
struct cell {
  int n;
};
constexpr key_set keys_of(const cell&) noexcept { return key::CPU; }
inline constexpr tb::op<"box::bump", cell&(cell&, std::int64_t)> bump;
cell& bump_cpu(cell& c, std::int64_t by) { return c.n += static_cast<int>(by), c; }
void pass_on(const operator_handle& op, key_set keys, boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::UserMiddle1), s);
}

}  // namespace boxing_ops

TEST_CASE("boxing: what a kernel writes to a small argument behind a boxed layer reaches the caller",
          "[core][boxing][B3]") {
  using namespace boxing_ops;
  const auto bump_kernels = tb::fragment("box").def(bump).impl<&bump_cpu>(bump, key::CPU);
  const auto pass_on_layer = tb::fallback<&pass_on>(key::UserMiddle1);
  const tb::include_guard included(key::UserMiddle1);
  cell c{1};
  CHECK(&bump(c, 41) == &c);
  CHECK(c.n == 42);
}

namespace boxing_ops {

inline constexpr tb::op<"box::second(Tensor(a!) x, Tensor(b!) y, int n) -> (Tensor(b!), int)"> second;
inline constexpr tb::op<"box::each_(Tensor(a!)[] all) -> ()"> each_;
inline constexpr tb::op<"box::count(Tensor a) -> int"> count;

std::tuple<tensor&, std::int64_t> second_cpu(tensor&, tensor& y, std::int64_t n) { return {y, n}; }
void each_cpu(std::vector<tensor>& all) {
  for (tensor& t : all) t.set(t.value() + 1);
}
void count_as_double(const operator_handle&, boxed_stack& s) {
  s.drop(1);
  s.push(2.5);
}

}  // namespace boxing_ops

TEST_CASE("boxing: a reference result is the argument with its alias set, whatever stands beside it",
          "[core][boxing][B5]") {
  using namespace boxing_ops;
  const auto own_kernel = tb::fragment("box").def(second).impl<&second_cpu>(second, key::CPU);
  const auto passing = tb::fallback<&pass_on>(key::UserMiddle1);
  const tb::include_guard included(key::UserMiddle1);
  tensor x(key::CPU, 1), y(key::CPU, 2);
  const auto [result, number] = second(x, y, 3);
  CHECK(&result == &y);
  CHECK(number == 3);
}

TEST_CASE("boxing: a written list crosses a boxed layer as itself", "[core][boxing][B3]") {
  using namespace boxing_ops;
  const auto own_kernel = tb::fragment("box").def(each_).impl<&each_cpu>(each_, key::CPU);
  const auto passing = tb::fallback<&pass_on>(key::UserMiddle1);
  const tb::include_guard included(key::UserMiddle1);
  std::vector<tensor> all{tensor(key::CPU, 1), tensor(key::CPU, 2)};
  each_(all);
  CHECK(all[0].value() == 2);
  CHECK(all[1].value() == 3);
}

TEST_CASE("boxing: a boxed kernel called boxed has its arguments and results checked", "[core][boxing][B6]") {
  using namespace boxing_ops;
  const auto own_kernel = tb::fragment("box").def(count).impl_boxed<&count_as_double>(count, key::CPU);
  boxed_stack s;
  s.push(tensor(key::CPU, 1));
  CHECK(refusal([&] { count.handle().call_boxed(s); }) ==
        "box::count: result 1 of the boxed kernel registered for CPU at HERE is 'double', wanted 'int64_t'");
  boxed_stack wrong;
  wrong.push(tensor(key::CPU, 1));
  wrong.push(1.5);
  CHECK(toy::text_of<tb::bad_argument>([&] { count.handle().redispatch_boxed(key::CPU, wrong); }) ==
        "box::count, argument 1 'a': found 'double', wanted 'toy::tensor'");
}

TEST_CASE("boxing: a loan that a layer writes becomes its own copy", "[core][boxing]") {
  const tensor lent(key::CPU, 7);
  tb::value v = tb::value::borrow(lent);
  v.write<tensor>() = tensor(key::CPU, 8);
  CHECK(v.get<tensor>().value() == 8);
  CHECK(lent.value() == 7);
}

namespace boxing_ops {

inline constexpr tb::op<"box::any(Tensor a, bool[] flags) -> bool"> any;
bool any_cpu(const tensor&, std::span<const bool> flags) {
  for (bool flag : flags) {
    if (flag) return true;
  }
  return false;
}

}  // namespace boxing_ops

TEST_CASE("boxing: a list of bool is borrowed and copied like any other", "[core][boxing][B7]") {
  using namespace boxing_ops;
  const auto own_kernel = tb::fragment("box").def(any).impl<&any_cpu>(any, key::CPU);
  const auto passing = tb::fallback<&pass_on>(key::UserMiddle1);
  const tb::include_guard included(key::UserMiddle1);
  const std::array<bool, 3> flags{false, false, true};
  CHECK(any(tensor(key::CPU, 1), flags));
  tb::value copy;
  {
    const std::span<const bool> view(flags);
    const tb::value lent = tb::value::borrow(view);
    copy = lent;
  }
  CHECK(copy.get<std::span<const bool>>()[2]);
}

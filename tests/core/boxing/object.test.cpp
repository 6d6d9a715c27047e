#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::boxed_stack;
using tb::object_ptr;
using tb::operator_handle;

namespace object_ops {

// Sees every change of its count: they all come by way of its pointer.
struct packed : tb::object {
  explicit packed(std::int64_t n) : number(n) { ++alive; }
  packed(const packed& other) : object(other), number(other.number) { ++alive; }
  ~packed() override { --alive; }
  static inline int alive = 0;
  std::int64_t number;
};
struct other : tb::object {};
struct placed : tb::object {
  explicit placed(tb::key_set k) : keys(k) {}
  tb::key_set keys;
};
tb::key_set keys_of(const placed& p) noexcept { return p.keys; }

inline constexpr tb::op<"object::read", std::int64_t(const object_ptr<packed>&)> number_of;
inline constexpr tb::op<"object::pass", object_ptr<packed>(const object_ptr<packed>&)> pass;
inline constexpr tb::op<"object::where", std::int64_t(const object_ptr<placed>&)> where;
inline constexpr tb::op<"object::all", std::int64_t(std::span<const object_ptr<packed>>)> all;
inline constexpr tb::op<"object::renew", object_ptr<packed>&(object_ptr<packed>&)> renew;

std::uint32_t seen_in_layer = 0;
const auto kernels = [] {
  auto block = tb::library("object");
  block.def(number_of).impl<[](const object_ptr<packed>& p) { return p ? p->number : -1; }>(number_of);
  block.def(pass).impl<[](const object_ptr<packed>& p) { return p; }>(pass);
  block.def(where).impl<[](const object_ptr<placed>&) { return std::int64_t{1}; }>(where, key::CPU);
  block.impl<[](const object_ptr<placed>&) { return std::int64_t{2}; }>(where, key::CUDA);
  block.def(all).impl<[](std::span<const object_ptr<packed>> list) { return static_cast<std::int64_t>(list.size()); }>(
      all);
  block.def(renew).impl<[](object_ptr<packed>& p) -> object_ptr<packed>& { return p = tb::make_object<packed>(9); }>(
      renew);
  return block;
}();
void look_and_call_on(const operator_handle& op, tb::key_set keys, boxed_stack& s) {
  if (const tb::value& first = s.top(1)[0]; first.is<object_ptr<packed>>() && first.get<object_ptr<packed>>()) {
    seen_in_layer = first.get<object_ptr<packed>>()->use_count();
  }
  op.redispatch_boxed(keys & tb::below(key::ModesAbove), s);
}

}  // namespace object_ops
using namespace object_ops;

TEST_CASE("object: the last pointer to go takes the object with it", "[core][object]") {
  REQUIRE(packed::alive == 0);
  {
    const auto a = tb::make_object<packed>(3);
    CHECK(a->use_count() == 1);
    auto b = a;
    CHECK(a->use_count() == 2);
    const auto c = std::move(b);
    CHECK(a->use_count() == 2);
    CHECK_FALSE(b);
    CHECK(c == a);
    const object_ptr<tb::object> base = c;
    CHECK(a->use_count() == 3);
    const auto copy = tb::make_object<packed>(*a);
    CHECK(copy->use_count() == 1);
    CHECK(packed::alive == 2);
  }
  CHECK(packed::alive == 0);
}

TEST_CASE("object: a borrowed pointer costs neither a count nor memory", "[core][object]") {
  STATIC_REQUIRE(tb::author::boxed_inline<object_ptr<packed>>);
  const auto p = tb::make_object<packed>(3);
  const auto layer = tb::fallback<&look_and_call_on>(key::ModesAbove);
  const tb::include_guard through(key::ModesAbove);
  (void)number_of(p);
  const auto memory = toy::allocations();
  seen_in_layer = 0;
  CHECK(number_of(p) == 3);
  CHECK(seen_in_layer == 1);
  CHECK(toy::allocations() == memory);
  CHECK(p->use_count() == 1);
}

TEST_CASE("object: an owned value holds a count, which goes with it", "[core][object]") {
  const auto p = tb::make_object<packed>(3);
  {
    tb::value v(p);
    const tb::value copy = v;
    CHECK(p->use_count() == 3);
    v = tb::value();
    CHECK(p->use_count() == 2);
  }
  CHECK(p->use_count() == 1);
}

TEST_CASE("object: travels through a boxed layer, in a list, as a result and written to", "[core][object][B7]") {
  const auto layer = tb::fallback<&look_and_call_on>(key::ModesAbove);
  const tb::include_guard through(key::ModesAbove);
  {
    const auto p = tb::make_object<packed>(3);
    CHECK(pass(p) == p);
    CHECK(p->use_count() == 1);
    const std::vector two{p, p};
    CHECK(all(two) == 2);
    CHECK(p->use_count() == 3);
    auto q = p;
    CHECK(&renew(q) == &q);
    CHECK(q->number == 9);
    CHECK(number_of(object_ptr<packed>()) == -1);
  }
  CHECK(packed::alive == 0);
}

TEST_CASE("object: one of another class is a bad argument, of a base class too", "[core][object][B3]") {
  const auto refusal = [](auto p) {
    return toy::text_of<tb::bad_argument>([&] {
      boxed_stack s;
      s.push(p);
      tb::registry::process().find("object::read").call_boxed(s);
    });
  };
  CHECK(refusal(tb::make_object<other>()) ==
        "object::read, argument 1: found 'object_ptr<object_ops::other>', wanted 'object_ptr<object_ops::packed>'");
  CHECK(refusal(object_ptr<tb::object>(new packed(1))) ==
        "object::read, argument 1: found 'object_ptr<object>', wanted 'object_ptr<object_ops::packed>'");
  CHECK(packed::alive == 0);
}

TEST_CASE("object: one with keys takes part in dispatch, typed and boxed", "[core][object][X4]") {
  STATIC_REQUIRE(tb::keyed<object_ptr<placed>>);
  STATIC_REQUIRE_FALSE(tb::keyed<object_ptr<packed>>);
  const auto cuda = tb::make_object<placed>(key::CUDA);
  CHECK(where(cuda) == 2);
  CHECK(where(tb::make_object<placed>(key::CPU)) == 1);
  CHECK(tb::value(cuda).keys() == tb::key_set(key::CUDA));
  CHECK(tb::value(object_ptr<placed>()).keys().empty());
  boxed_stack s;
  s.push(cuda);
  tb::registry::process().find("object::where").call_boxed(s);
  CHECK(s[0].get<std::int64_t>() == 2);
}

TEST_CASE("object: an exception on the way leaves no object behind", "[core][object]") {
  const auto p = tb::make_object<packed>(3);
  boxed_stack s;
  s.push(p);
  constexpr auto fails = [](const operator_handle&, boxed_stack& values) -> void {
    const tb::value taken = values.pop();
    throw tb::error("from the kernel");
  };
  const auto block = tb::implement("object", key::ModesAbove).impl_boxed<fails>(number_of, key::ModesAbove);
  const tb::include_guard through(key::ModesAbove);
  CHECK_THROWS_AS(tb::registry::process().find("object::read").call_boxed(s), tb::error);
  CHECK(p->use_count() == 1);
  CHECK_THROWS_AS(number_of(p), tb::error);
  CHECK(p->use_count() == 1);
}

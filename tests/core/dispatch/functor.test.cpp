#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::tensor;

namespace functor_ops {

inline constexpr tb::op<"fun::twice(Tensor a) -> int"> twice;
inline constexpr tb::op<"fun::once(Tensor a) -> int"> once;
std::int64_t twice_cpu(const tensor& a) { return 2 * a.value(); }
const auto kernels = tb::library("fun").def(twice).impl<&twice_cpu>(twice, key::CPU).def(once);

// Counts what passes, wherever it is registered.
struct counter {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  tb::key_set below = tb::below(key::Conjugate);
  void operator()(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) const {
    ++*calls;
    op.redispatch_boxed(keys & below, s);
  }
};

}  // namespace functor_ops
using namespace functor_ops;

TEST_CASE("functor: a fallback keeps its state between calls, typed and boxed", "[core][functor][B2]") {
  const counter mine;
  const auto layer = tb::fallback(key::Conjugate, mine);
  const tb::include_guard through(key::Conjugate);
  CHECK(twice(tensor(key::CPU, 3)) == 6);
  tb::boxed_stack s;
  s.push(tensor(key::CPU, 4));
  twice.handle().call_boxed(s);
  CHECK(s[0].get<std::int64_t>() == 8);
  CHECK(*mine.calls == 2);
}

TEST_CASE("functor: two of one type are two layers", "[core][functor][B2]") {
  const counter upper, lower{.below = tb::below(key::Functionalize)};
  const auto first = tb::fallback(key::Conjugate, upper), second = tb::fallback(key::Functionalize, lower);
  (void)twice(tensor({key::CPU, key::Conjugate, key::Functionalize}, 3));
  (void)twice(tensor({key::CPU, key::Functionalize}, 3));
  CHECK(*upper.calls == 1);
  CHECK(*lower.calls == 2);
}

TEST_CASE("functor: a lambda with captures is a kernel of one operator, with or without the key set",
          "[core][functor][B2]") {
  std::int64_t offset = 0;
  offset += 100;
  const auto without = [offset](const tb::operator_handle&, tb::boxed_stack& s) {
    const std::int64_t result = s.pop().get<tensor>().value() + offset;
    s.push(result);
  };
  const auto with = [offset](const tb::operator_handle&, tb::key_set keys, tb::boxed_stack& s) {
    const std::int64_t result = s.pop().get<tensor>().value() + offset + (keys.highest() == key::CUDA ? 1000 : 0);
    s.push(result);
  };
  const auto block = tb::implement("fun").impl_boxed(once, key::CPU, without).impl_boxed(once, key::CUDA, with);
  CHECK(once(tensor(key::CPU, 1)) == 101);
  CHECK(once(tensor(key::CUDA, 1)) == 1101);
}

TEST_CASE("functor: the newest for a key serves, and its withdrawal brings the one before it back",
          "[core][functor][D2]") {
  const auto gives = [](std::int64_t n) {
    return [n](const tb::operator_handle&, tb::boxed_stack& s) { (void)s.pop(), s.push(n); };
  };
  const auto older = tb::implement("fun").impl_boxed(once, key::CPU, gives(1));
  {
    const auto newer = tb::implement("fun").impl_boxed(once, key::CPU, gives(2));
    CHECK(once(tensor(key::CPU)) == 2);
  }
  CHECK(once(tensor(key::CPU)) == 1);
}

TEST_CASE("functor: a thousand unregistered ones leave no copy of their state", "[core][functor][D1]") {
  const auto held = std::make_shared<int>(7);
  tb::registry r;
  const auto block = tb::library("fun", r).def(once);
  for (int i = 0; i < 1000; ++i) {
    const auto layer = tb::fallback(key::Conjugate, [held](const tb::operator_handle&, tb::boxed_stack&) {}, r);
    const auto kernel =
        tb::implement("fun", key::CPU, r).impl_boxed(once, key::CPU, [held](auto&, tb::boxed_stack&) {});
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("functor: one that stays lives as long as its registry", "[core][functor]") {
  const auto held = std::make_shared<int>(7);
  {
    tb::registry r;
    tb::fallback(key::Conjugate, [held](const tb::operator_handle&, tb::boxed_stack&) {}, r).keep();
    CHECK(held.use_count() == 2);
  }
  CHECK(held.use_count() == 1);
}

TEST_CASE("functor: a call keeps a state that is unregistered inside it until it returns or throws",
          "[core][functor][H5]") {
  const auto held = std::make_shared<std::int64_t>(7);
  tb::registration mine;
  long inside = 0;
  const auto takes_itself_back = [&inside, &mine, held](const tb::operator_handle&, tb::boxed_stack& s) {
    mine.reset();
    inside = held.use_count();
    s.pop();
    if (*held == 8) throw std::runtime_error("eight");
    s.push(*held);
  };
  const tb::include_guard through(key::Conjugate);
  mine = tb::fallback(key::Conjugate, takes_itself_back);
  const long others = held.use_count() - 1;
  CHECK(once(tensor(key::CPU)) == 7);
  CHECK(inside == others + 1);
  CHECK(held.use_count() == others);
  *held = 8;
  mine = tb::fallback(key::Conjugate, takes_itself_back);
  CHECK_THROWS_AS(once(tensor(key::CPU)), std::runtime_error);
  CHECK(held.use_count() == others);
}

TEST_CASE("functor: its state may hold registrations, which end with it", "[core][functor][D1]") {
  tb::registry r;
  auto block = tb::library("fun", r).def(once);
  auto holds = std::make_shared<tb::registration>(
      tb::fallback(key::Functionalize, [](const tb::operator_handle&, tb::boxed_stack&) {}, r));
  auto layer = tb::fallback(
      key::Conjugate, [kept = std::move(holds)](const tb::operator_handle&, tb::boxed_stack&) { (void)*kept; }, r);
  CHECK(tb::dump(r).fallbacks.size() == 2);
  layer.reset();
  CHECK(tb::dump(r).fallbacks.empty());
}

TEST_CASE("functor: a refused one is destroyed at once", "[core][functor][R19]") {
  const auto held = std::make_shared<int>(7);
  const auto make = [&] { return [held](const tb::operator_handle&, tb::boxed_stack&) {}; };
  tb::registry r;
  const auto first = tb::fallback(key::Conjugate, make(), r);
  CHECK_THROWS_AS(tb::fallback(key::Conjugate, make(), r), tb::bad_registration);
  CHECK(held.use_count() == 2);
}

TEST_CASE("functor: an object that can only be moved, and a plain function, will do", "[core][functor]") {
  tb::registry r;
  auto owned = std::make_unique<int>(1);
  const auto layer = tb::fallback(
      key::Conjugate, [kept = std::move(owned)](const tb::operator_handle&, tb::boxed_stack&) { (void)*kept; }, r);
  void (*function)(const tb::operator_handle&, tb::boxed_stack&) = [](const tb::operator_handle&, tb::boxed_stack&) {};
  const auto other = tb::fallback(key::UserTop2, function, r);
  CHECK(tb::dump(r).fallbacks.size() == 2);
}

TEST_CASE("functor: threads call one object at once", "[core][functor][threads]") {
  const counter mine;
  const auto layer = tb::fallback(key::Conjugate, mine);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      const tb::include_guard through(key::Conjugate);
      for (int i = 0; i < 1000; ++i) (void)twice(tensor(key::CPU, i));
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(*mine.calls == 4000);
}

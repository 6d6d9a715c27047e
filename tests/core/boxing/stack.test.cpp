#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>

#include "support/allocations.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace {
void fill(tb::boxed_stack& s, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) s.push(i);
}
}  // namespace

TEST_CASE("stack: the last value pushed is the first popped", "[core][stack]") {
  tb::boxed_stack s;
  CHECK(s.empty());
  fill(s, 3);
  CHECK(s.top(2)[0].get<std::int64_t>() == 1);
  CHECK(s.pop().get<std::int64_t>() == 2);
  CHECK(s.size() == 2);
}

TEST_CASE("stack: growing moves the values", "[core][stack]") {
  const toy::tensor t(key::CPU);
  {
    tb::boxed_stack s;
    for (int i = 0; i < 100; ++i) s.push(t);
    toy::tensor::references_taken = 0;
    for (int i = 0; i < 100; ++i) s.push(tb::value::borrow(t));
    CHECK(toy::tensor::references_taken == 0);
    CHECK(t.count() == 101);
  }
  CHECK(t.count() == 1);
}

TEST_CASE("stack: an inline stack asks for memory only beyond its room", "[core][stack]") {
  const toy::tensor t(key::CPU);
  const auto memory = toy::allocations();
  {
    tb::inline_stack<4> s;
    for (int i = 0; i < 4; ++i) s.push(t);
    CHECK(toy::allocations() == memory);
    CHECK(t.count() == 5);
  }
  CHECK(t.count() == 1);
  tb::inline_stack<4> s;
  fill(s, 30);
  CHECK(s.size() == 30);
  CHECK(s[29].get<std::int64_t>() == 29);
  CHECK(s[0].get<std::int64_t>() == 0);
}

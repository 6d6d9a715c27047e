#include <catch2/catch_test_macros.hpp>
#include <utility>

#include "support/toy.h"

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"callable::width", int(const image&)> width;
inline constexpr tb::op<"callable::times(int n, int by=2) -> int"> times;
inline constexpr tb::op<"callable::height", int(const image&)> height;

int width_cpu(const image& i) { return i.width; }
long times_cpu(long n, long by) { return n * by; }

inline constexpr auto cpu = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<width, &width_cpu>);
inline constexpr auto any =
    tb::static_dispatch::kernels<key::CompositeImplicitAutograd>(tb::static_dispatch::bind<times, &times_cpu>);
inline constexpr auto both = cpu | any;

struct doubling {
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    return 2 * next(std::forward<A>(a)...);
  }
};

template <tb::static_dispatch::can_call<width, times> How>
long twice_as_wide(const How& how, const image& i) {
  return tb::static_dispatch::call<times>(how, tb::static_dispatch::call<width>(how, i));
}

}  // namespace

TEST_CASE("callable: one body serves the table, a set and a set behind layers", "[core][callable]") {
  const auto defined = tb::static_dispatch::install(tb::static_dispatch::operators<width, times>{});
  const auto installed = tb::static_dispatch::install(both);
  const image i{key::CPU, 5, 1};
  CHECK(twice_as_wide(tb::static_dispatch::dispatched, i) == 10);
  CHECK(twice_as_wide(both, i) == 10);
  CHECK(twice_as_wide(tb::static_dispatch::layered<both, doubling>, i) == 40);
  CHECK(tb::static_dispatch::call<times>(times, 3) == 6);
  CHECK(tb::static_dispatch::call<times>(both, 3, tb::arg<"by"> = 5) == 15);
  CHECK(tb::static_dispatch::dispatched.call<times>(4) == 8);
}

TEST_CASE("callable: what can call which operator is a concept", "[core][callable]") {
  static_assert(tb::static_dispatch::can_call<decltype(width), width> &&
                !tb::static_dispatch::can_call<decltype(width), times>);
  static_assert(tb::static_dispatch::can_call<decltype(tb::static_dispatch::dispatched), width, times, height>);
  static_assert(tb::static_dispatch::can_call<decltype(both), width, times> &&
                !tb::static_dispatch::can_call<decltype(both), width, height>);
  static_assert(tb::static_dispatch::can_call<const decltype(both)&, width>);
  static_assert(tb::static_dispatch::can_call<decltype(tb::static_dispatch::layered<cpu, doubling>), width>);
  static_assert(!tb::static_dispatch::can_call<decltype(tb::static_dispatch::layered<cpu, doubling>), times>);
  static_assert(!tb::static_dispatch::can_call<int, width>);
  SUCCEED();
}

#include <catch2/catch_test_macros.hpp>
#include <string_view>

#include "support/toy.h"

namespace tb = topbit;
namespace key = topbit::key;

namespace {

inline constexpr tb::op<"cover::a", int(int)> a;
inline constexpr tb::op<"cover::b", int(int)> b;
inline constexpr tb::op<"cover::c", int(int)> c;

int one(int n) { return n; }

inline constexpr auto cpu =
    tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<a, &one>, tb::static_dispatch::bind<b, &one>);
inline constexpr auto cuda = tb::static_dispatch::kernels<key::CUDA>(tb::static_dispatch::bind<a, &one>);
inline constexpr auto composite =
    tb::static_dispatch::kernels<key::CompositeImplicitAutograd>(tb::static_dispatch::bind<c, &one>);
inline constexpr auto autograd = tb::static_dispatch::kernels<key::Autograd>(tb::static_dispatch::bind<a, &one>);

using all = tb::static_dispatch::operators<a, b, c>;
using both = tb::static_dispatch::keys<key::CPU, key::CUDA>;

}  // namespace

TEST_CASE("set_coverage: a set covers the operators it has kernels for", "[core][set_coverage]") {
  static_assert(tb::static_dispatch::covers<cpu, a, b> && tb::static_dispatch::covers<cpu, a>);
  static_assert(tb::static_dispatch::covered<cpu, a, b> && !tb::static_dispatch::covered<cpu, a, c>);
  constexpr auto& holes = tb::static_dispatch::holes<cpu, c, a>;
  static_assert(holes.size() == 1 && holes[0].key == tb::key_target(key::CPU) &&
                tb::static_dispatch::holes<cpu, a, b>.empty());
  CHECK(holes[0].op == "cover::c");
}

TEST_CASE("set_coverage: a set of several keys is asked about each of them", "[core][set_coverage]") {
  static constexpr auto two = cpu | cuda;
  static_assert(tb::static_dispatch::covered<two, a> && !tb::static_dispatch::covered<two, b>);
  static_assert(tb::static_dispatch::holes<two, b>.size() == 1 &&
                tb::static_dispatch::holes<two, b>[0].key == tb::key_target(key::CUDA));
}

TEST_CASE("set_coverage: a set keeps its key even where it has no kernel", "[core][set_coverage]") {
  static constexpr auto none = tb::static_dispatch::kernels<key::CPU>();
  static_assert(!tb::static_dispatch::covered<none, a> && tb::static_dispatch::holes<none, a, b>.size() == 2);
  static_assert(!tb::static_dispatch::covered<(none | cuda), a>, "not for CPU");
  SUCCEED();
}

TEST_CASE("set_coverage: composites serve the keys they stand for", "[core][set_coverage]") {
  static_assert(tb::static_dispatch::covers<(cpu | composite), a, b, c>);
  static_assert(tb::static_dispatch::covered<composite, c> && !tb::static_dispatch::covered<composite, a>,
                "a set of aliases is asked about them");
  static_assert(
      tb::static_dispatch::covered_all<tb::static_dispatch::operators<c>,
                                       tb::static_dispatch::keys<key::CPU, key::Meta, key::AutogradCPU>, composite>);
  static_assert(!tb::static_dispatch::covered_all<tb::static_dispatch::operators<c>,
                                                  tb::static_dispatch::keys<key::Tracer>, composite>);
  static_assert(tb::static_dispatch::covered_all<tb::static_dispatch::operators<a>,
                                                 tb::static_dispatch::keys<key::AutogradCUDA>, autograd>);
  static_assert(!tb::static_dispatch::covered_all<tb::static_dispatch::operators<b>,
                                                  tb::static_dispatch::keys<key::AutogradCPU>, cpu>,
                "passing through is no kernel");
  SUCCEED();
}

TEST_CASE("set_coverage: an application is covered but for its declared holes", "[core][set_coverage]") {
  static_assert(
      tb::static_dispatch::covers_all<all, both, cpu, cuda, composite, tb::static_dispatch::hole<b, key::CUDA>>);
  static_assert(
      tb::static_dispatch::covers_all<all, both, tb::static_dispatch::hole<b, key::CUDA>, cpu, cuda, composite>,
      "in any order");
  static_assert(tb::static_dispatch::covers_all<all, both, (cpu | cuda), tb::static_dispatch::hole<b, key::CUDA>,
                                                tb::static_dispatch::hole<c, key::CPU, key::CUDA>>);
  static_assert(!tb::static_dispatch::covered_all<all, both, cpu, cuda, composite>);
  constexpr auto& holes = tb::static_dispatch::all_holes<all, both, cpu, cuda, tb::static_dispatch::hole<c, key::CUDA>>;
  static_assert(holes.size() == 2);
  CHECK(holes[0].op == "cover::b");
  CHECK(holes[0].key == tb::key_target(key::CUDA));
  CHECK(holes[1].op == "cover::c");
  CHECK(holes[1].key == tb::key_target(key::CPU));
}

TEST_CASE("set_coverage: a declared hole that is none is no cover", "[core][set_coverage]") {
  static_assert(!tb::static_dispatch::covered_all<tb::static_dispatch::operators<a>, both, cpu, cuda,
                                                  tb::static_dispatch::hole<a, key::CPU>>,
                "there is a kernel");
  static_assert(!tb::static_dispatch::covered_all<tb::static_dispatch::operators<a>, both, cpu, cuda,
                                                  tb::static_dispatch::hole<a, key::Meta>>,
                "nobody asked for the key");
  static_assert(!tb::static_dispatch::covered_all<tb::static_dispatch::operators<a>, both, cpu, cuda,
                                                  tb::static_dispatch::hole<b, key::CUDA>>,
                "nor for the operator");
  static_assert(
      !tb::static_dispatch::covered_all<all, both, cpu, cuda, composite, tb::static_dispatch::hole<b, key::CUDA>,
                                        tb::static_dispatch::hole<b, key::CUDA>>);
  SUCCEED();
}

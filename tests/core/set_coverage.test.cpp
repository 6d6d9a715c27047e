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

inline constexpr auto cpu = tb::kernels<key::CPU>(tb::bind<a, &one>, tb::bind<b, &one>);
inline constexpr auto cuda = tb::kernels<key::CUDA>(tb::bind<a, &one>);
inline constexpr auto composite = tb::kernels<key::CompositeImplicitAutograd>(tb::bind<c, &one>);
inline constexpr auto autograd = tb::kernels<key::Autograd>(tb::bind<a, &one>);

using all = tb::operators<a, b, c>;
using both = tb::keys<key::CPU, key::CUDA>;

}  // namespace

TEST_CASE("set_coverage: a set covers the operators it has kernels for", "[core][set_coverage]") {
  static_assert(tb::covers<cpu, a, b> && tb::covers<cpu, a>);
  static_assert(tb::covered<cpu, a, b> && !tb::covered<cpu, a, c>);
  constexpr auto& holes = tb::holes<cpu, c, a>;
  static_assert(holes.size() == 1 && holes[0].key == tb::key_target(key::CPU) && tb::holes<cpu, a, b>.empty());
  CHECK(holes[0].op == "cover::c");
}

TEST_CASE("set_coverage: a set of several keys is asked about each of them", "[core][set_coverage]") {
  static constexpr auto two = cpu | cuda;
  static_assert(tb::covered<two, a> && !tb::covered<two, b>);
  static_assert(tb::holes<two, b>.size() == 1 && tb::holes<two, b>[0].key == tb::key_target(key::CUDA));
}

TEST_CASE("set_coverage: a set keeps its key even where it has no kernel", "[core][set_coverage]") {
  static constexpr auto none = tb::kernels<key::CPU>();
  static_assert(!tb::covered<none, a> && tb::holes<none, a, b>.size() == 2);
  static_assert(!tb::covered<(none | cuda), a>, "not for CPU");
  SUCCEED();
}

TEST_CASE("set_coverage: composites serve the keys they stand for", "[core][set_coverage]") {
  static_assert(tb::covers<(cpu | composite), a, b, c>);
  static_assert(tb::covered<composite, c> && !tb::covered<composite, a>, "a set of aliases is asked about them");
  static_assert(tb::covered_all<tb::operators<c>, tb::keys<key::CPU, key::Meta, key::AutogradCPU>, composite>);
  static_assert(!tb::covered_all<tb::operators<c>, tb::keys<key::Tracer>, composite>);
  static_assert(tb::covered_all<tb::operators<a>, tb::keys<key::AutogradCUDA>, autograd>);
  static_assert(!tb::covered_all<tb::operators<b>, tb::keys<key::AutogradCPU>, cpu>, "passing through is no kernel");
  SUCCEED();
}

TEST_CASE("set_coverage: an application is covered but for its declared holes", "[core][set_coverage]") {
  static_assert(tb::covers_all<all, both, cpu, cuda, composite, tb::hole<b, key::CUDA>>);
  static_assert(tb::covers_all<all, both, tb::hole<b, key::CUDA>, cpu, cuda, composite>, "in any order");
  static_assert(tb::covers_all<all, both, (cpu | cuda), tb::hole<b, key::CUDA>, tb::hole<c, key::CPU, key::CUDA>>);
  static_assert(!tb::covered_all<all, both, cpu, cuda, composite>);
  constexpr auto& holes = tb::all_holes<all, both, cpu, cuda, tb::hole<c, key::CUDA>>;
  static_assert(holes.size() == 2);
  CHECK(holes[0].op == "cover::b");
  CHECK(holes[0].key == tb::key_target(key::CUDA));
  CHECK(holes[1].op == "cover::c");
  CHECK(holes[1].key == tb::key_target(key::CPU));
}

TEST_CASE("set_coverage: a declared hole that is none is no cover", "[core][set_coverage]") {
  static_assert(!tb::covered_all<tb::operators<a>, both, cpu, cuda, tb::hole<a, key::CPU>>, "there is a kernel");
  static_assert(!tb::covered_all<tb::operators<a>, both, cpu, cuda, tb::hole<a, key::Meta>>,
                "nobody asked for the key");
  static_assert(!tb::covered_all<tb::operators<a>, both, cpu, cuda, tb::hole<b, key::CUDA>>, "nor for the operator");
  static_assert(!tb::covered_all<all, both, cpu, cuda, composite, tb::hole<b, key::CUDA>, tb::hole<b, key::CUDA>>);
  SUCCEED();
}

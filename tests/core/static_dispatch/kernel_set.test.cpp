#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/toy.h"
import toy.set_module;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"set::add", int(int, int)> add;
inline constexpr tb::op<"set::scale(int n, int by=3, *, int plus=0) -> int"> scale;
inline constexpr tb::op<"set::where", std::string(int)> where;
inline constexpr tb::op<"set::grow", image&(image&, int)> grow;
inline constexpr tb::op<"set::count", void(int)> count;
inline constexpr tb::op<"set::pass", toy::tensor(toy::tensor)> pass;
inline constexpr tb::op<"set::fail", int()> fail;

constexpr int add_cpu(int a, int b) { return a + b; }
constexpr int add_twice(int a, int b) { return 2 * (a + b); }
constexpr std::int64_t scale_cpu(std::int64_t n, std::int64_t by, std::int64_t plus) noexcept { return n * by + plus; }
std::string where_cpu(int) { return "CPU"; }
std::string where_keys(tb::key_set keys, int) { return tb::to_string(keys); }
image& grow_cpu(image& i, int by) {
  i.width += by;
  return i;
}
int counted = 0;
void count_cpu(int n) { counted += n; }
toy::tensor pass_cpu(toy::tensor t) { return t; }
int fail_cpu() { throw std::runtime_error("on purpose"); }

inline constexpr auto cpu = tb::static_dispatch::kernels<key::CPU>(
    tb::static_dispatch::bind<add, &add_cpu>, tb::static_dispatch::bind<scale, &scale_cpu>,
    tb::static_dispatch::bind<where, &where_cpu>, tb::static_dispatch::bind<grow, &grow_cpu>,
    tb::static_dispatch::bind<count, &count_cpu>, tb::static_dispatch::bind<pass, &pass_cpu>,
    tb::static_dispatch::bind<fail, &fail_cpu>);
inline constexpr auto cuda = tb::static_dispatch::kernels<key::CUDA>(tb::static_dispatch::bind<add, &add_twice>,
                                                                     tb::static_dispatch::bind<where, &where_keys>);
inline constexpr auto composite =
    tb::static_dispatch::kernels<key::CompositeExplicitAutograd>(tb::static_dispatch::bind<scale, &scale_cpu>);

static_assert(std::is_empty_v<decltype(cpu)> && cpu.size() == 7);
static_assert(tb::static_dispatch::kernel_set_type<decltype(cpu)> && !tb::static_dispatch::kernel_set_type<int> &&
              !tb::static_dispatch::kernel_set_type<decltype(add)>);
static_assert(tb::static_dispatch::operator_type<decltype(add)> && !tb::static_dispatch::operator_type<decltype(cpu)>);

template <auto Set>
constexpr int seven = Set.template call<add>(3, 4);

}  // namespace

TEST_CASE("kernel_set: a call is the kernel's, with the operator's defaults and keywords", "[core][kernel_set]") {
  static_assert(cpu.call<add>(1, 2) == 3);
  static_assert(cpu.call<scale>(5) == 15);
  static_assert(cpu.call<scale>(5, 2, tb::arg<"plus"> = 1) == 11);
  static_assert(cpu.call<scale>(5, tb::arg<"plus"> = 1, tb::arg<"by"> = 4) == 21);
  // What is a call, the operator says: tests/compile_fail has what its kernels refuse.
  static_assert(!tb::callable_with<std::remove_const_t<decltype(scale)>>);
  static_assert(!tb::callable_with<std::remove_const_t<decltype(add)>, int>);
  int n = 2;
  CHECK(cpu.call<scale>(n, n, tb::arg<"plus"> = n) == 6);
}

TEST_CASE("kernel_set: references, void and exceptions pass through a call as they are", "[core][kernel_set]") {
  image i{key::CPU, 1, 1};
  static_assert(std::is_same_v<decltype(cpu.call<grow>(i, 2)), image&>);
  CHECK(&cpu.call<grow>(i, 2) == &i);
  CHECK(i.width == 3);
  static_assert(std::is_void_v<decltype(cpu.call<count>(1))>);
  counted = 0;
  cpu.call<count>(4);
  CHECK(counted == 4);
  CHECK_THROWS_AS(cpu.call<fail>(), std::runtime_error);
}

TEST_CASE("kernel_set: an argument by value is copied once if it is kept and never if it is given away",
          "[core][kernel_set]") {
  const toy::tensor kept(key::CPU);
  toy::tensor given(key::CPU);
  toy::tensor::references_taken = 0;
  const toy::tensor a = cpu.call<pass>(kept);
  CHECK(toy::tensor::references_taken == 1);
  const toy::tensor b = cpu.call<pass>(std::move(given));
  CHECK(toy::tensor::references_taken == 1);
}

TEST_CASE("kernel_set: a kernel that asks for keys is given the key of the call", "[core][kernel_set]") {
  CHECK(cuda.call<where>(0) == "{CUDA}");
  static constexpr auto everywhere =
      tb::static_dispatch::kernels<key::CompositeImplicitAutograd>(tb::static_dispatch::bind<where, &where_keys>);
  CHECK(everywhere.call<where>(0) == "{}");
  CHECK(everywhere.call<where, key::AutogradCPU>(0) == "{AutogradCPU}");
}

TEST_CASE("kernel_set: captureless lambdas are kernels", "[core][kernel_set]") {
  static constexpr auto set =
      tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<add, [](int a, int b) { return a - b; }>,
                                             tb::static_dispatch::bind<count, [](int) noexcept {}>);
  static_assert(set.call<add>(5, 2) == 3);
  set.call<count>(1);
  CHECK(tb::static_dispatch::covers<set, add, count>);
}

TEST_CASE("kernel_set: a set of nothing and a set of one are sets", "[core][kernel_set]") {
  static constexpr auto none = tb::static_dispatch::kernels<key::CPU>();
  static constexpr auto one = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<add, &add_cpu>);
  static_assert(none.size() == 0 && none.rows.empty());
  static_assert(
      std::is_same_v<decltype(tb::static_dispatch::merge(none, one)), decltype(tb::static_dispatch::merge(one))>);
  static_assert(tb::static_dispatch::merge().size() == 0);
  static_assert(tb::static_dispatch::merge(none, one).call<add>(1, 1) == 2);
}

TEST_CASE("kernel_set: a set is a template argument", "[core][kernel_set]") {
  static_assert(seven<cpu> == 7 && seven<cuda> == 14);
  static_assert(seven<(cuda | composite)> == 14);
}

TEST_CASE("kernel_set: a union has all kernels, and a call says the key where there are several",
          "[core][kernel_set]") {
  static constexpr auto both = cpu | cuda;
  static_assert(both.size() == 9);
  static_assert(both.call<add, key::CPU>(1, 2) == 3 && both.call<add, key::CUDA>(1, 2) == 6);
  static_assert(both.call<scale>(1) == 3, "bound for one key of the two");
  CHECK(both.call<where, key::CUDA>(0) == "{CUDA}");
  static_assert(std::is_same_v<decltype(tb::static_dispatch::merge(cpu, cuda)), decltype(cpu | cuda)>);
}

TEST_CASE("kernel_set: which kernel serves a key is what the table would choose", "[core][kernel_set]") {
  static constexpr auto all = tb::static_dispatch::merge(cuda, composite);
  static_assert(all.call<scale, key::CUDA>(2) == 6, "the composite");
  static_assert(all.call<scale, key::Meta>(2) == 6);
  static_assert(tb::static_dispatch::covered<all, scale>);
  static constexpr auto implicit =
      tb::static_dispatch::kernels<key::CompositeImplicitAutograd>(tb::static_dispatch::bind<add, &add_cpu>);
  static constexpr auto with_own = tb::static_dispatch::merge(implicit, cuda);
  static_assert(with_own.call<add, key::CUDA>(1, 1) == 4, "the key's own before the composite");
  static_assert(with_own.call<add, key::CPU>(1, 1) == 2);
  static_assert(tb::static_dispatch::can_call<decltype(with_own), where> &&
                !tb::static_dispatch::can_call<decltype(with_own), add>);
}

TEST_CASE("kernel_set: an override takes the place of a kernel, in its place", "[core][kernel_set]") {
  static constexpr auto fast = tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<add, &add_twice>);
  static constexpr auto faster =
      tb::static_dispatch::kernels<key::CPU>(tb::static_dispatch::bind<add, [](int, int) { return 0; }>);
  static constexpr auto set = tb::static_dispatch::override_with(cpu, fast);
  static_assert(set.size() == cpu.size() && set.call<add>(1, 2) == 6);
  static_assert(set.call<scale>(1) == 3);
  static_assert(tb::static_dispatch::override_with(set, faster).call<add>(1, 2) == 0, "the last one counts");
  static_assert(
      tb::static_dispatch::override_with(tb::static_dispatch::override_with(cpu, faster), fast).call<add>(1, 2) == 6);
  static_assert(tb::static_dispatch::override_with(cpu | cuda, fast).call<add, key::CUDA>(1, 2) == 6,
                "of its own key only");
  static_assert(tb::static_dispatch::override_with(cpu, tb::static_dispatch::kernels<key::CPU>()).size() == cpu.size());
  CHECK(set.rows[0].impl == fast.rows[0].impl);
  CHECK(set.rows[1].impl == cpu.rows[1].impl);
}

TEST_CASE("kernel_set: operators are told apart by name and signature, however they were declared",
          "[core][kernel_set]") {
  static constexpr tb::op<"set::scale", std::int64_t(std::int64_t, std::int64_t, std::int64_t)> by_signature;
  static constexpr tb::op<"set::scale.other", std::int64_t(std::int64_t, std::int64_t, std::int64_t)> overload;
  static constexpr tb::op<"set::add", long(long, long)> other_signature;
  static_assert(cpu.call<by_signature>(1, 2, 3) == 5);
  static_assert(tb::static_dispatch::covered<cpu, by_signature> && !tb::static_dispatch::covered<cpu, overload> &&
                !tb::static_dispatch::covered<cpu, other_signature>);
  SUCCEED();
}

TEST_CASE("kernel_set: sets come from other modules", "[core][kernel_set]") {
  static_assert(tb::static_dispatch::covers<elsewhere::cpu, elsewhere::half, elsewhere::next>);
  static_assert(elsewhere::cpu.call<elsewhere::next>(1) == 2);
  CHECK(elsewhere::cpu.call<elsewhere::half>(9) == 4);
  CHECK((elsewhere::cpu | cpu).call<elsewhere::half>(9, 3) == 3);
}

TEST_CASE("kernel_set: a named set is the same set", "[core][kernel_set]") {
  static constexpr tb::static_dispatch::named_set<elsewhere::everything> all;
  static_assert(tb::static_dispatch::kernel_set_type<decltype(all)> && std::is_empty_v<decltype(all)>);
  static_assert(all.call<elsewhere::next>(1) == 2 && all.call<elsewhere::next, key::CPU>(1) == 2);
  static_assert(tb::static_dispatch::covers<all, elsewhere::half, elsewhere::next> &&
                !tb::static_dispatch::covered<all, add>);
  static_assert((all | cpu).size() == 9 && tb::static_dispatch::merge(all, cuda).size() == 4);
  CHECK(tb::static_dispatch::call<elsewhere::half>(all, 9) == 4);
}

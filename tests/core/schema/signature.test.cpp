#include <catch2/catch_test_macros.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using toy::tensor;

namespace {
template <tb::fixed_string Text, class Signature>
concept stands_for = std::same_as<tb::author::schema_signature<Text>, Signature>;
}  // namespace

TEST_CASE("signature: int is int64_t, float is double, str is a view in and a string out", "[core][signature][G20]") {
  STATIC_REQUIRE(
      stands_for<"f(int a, float b, bool c, str d) -> str", std::string(std::int64_t, double, bool, std::string_view)>);
  STATIC_REQUIRE(stands_for<"f(SymInt a) -> SymInt", std::int64_t(std::int64_t)>);
  STATIC_REQUIRE(stands_for<"f(SymBool a) -> SymBool", bool(bool)>);
  STATIC_REQUIRE(stands_for<"f(DeviceIndex a) -> DeviceIndex[]", std::vector<std::int64_t>(std::int64_t)>);
}

TEST_CASE("signature: a mapped type is passed as its argument type and returned as its value", "[core][signature]") {
  STATIC_REQUIRE(stands_for<"f(Tensor a, Device d) -> Tensor", tensor(const tensor&, toy::device)>);
}

TEST_CASE("signature: a written argument is a reference, and so is a written result", "[core][signature]") {
  STATIC_REQUIRE(stands_for<"f(Tensor(a!) self) -> Tensor(a!)", tensor&(tensor&)>);
  STATIC_REQUIRE(stands_for<"f(Tensor(a) self) -> Tensor(a)", tensor(const tensor&)>);
  STATIC_REQUIRE(stands_for<"f(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))",
                            std::tuple<tensor&, tensor&>(tensor&, tensor&)>);
}

TEST_CASE("signature: no result is void, several are a tuple", "[core][signature]") {
  STATIC_REQUIRE(stands_for<"f() -> ()", void()>);
  STATIC_REQUIRE(stands_for<"f() -> (int)", std::int64_t()>);
  STATIC_REQUIRE(stands_for<"f() -> (Tensor a, int[] b)", std::tuple<tensor, std::vector<std::int64_t>>()>);
}

TEST_CASE("signature: lists are spans in and vectors out, optionals of references are references",
          "[core][signature]") {
  STATIC_REQUIRE(stands_for<"f(int[] a) -> int[]", std::vector<std::int64_t>(std::span<const std::int64_t>)>);
  STATIC_REQUIRE(stands_for<"f(int[2] a) -> ()", void(std::span<const std::int64_t>)>);
  STATIC_REQUIRE(stands_for<"f(Tensor[] a) -> ()", void(std::span<const tensor>)>);
  STATIC_REQUIRE(stands_for<"f(Tensor? a) -> Tensor?", std::optional<tensor>(const std::optional<tensor>&)>);
  STATIC_REQUIRE(stands_for<"f(int? a) -> ()", void(std::optional<std::int64_t>)>);
  STATIC_REQUIRE(stands_for<"f(Tensor?[] a) -> ()", void(std::span<const std::optional<tensor>>)>);
  STATIC_REQUIRE(stands_for<"f(int[]? a) -> ()", void(std::optional<std::span<const std::int64_t>>)>);
  STATIC_REQUIRE(stands_for<"f(str[] a) -> ()", void(std::span<const std::string>)>);
}

TEST_CASE("signature: a name alone leaves the signature to the declaration", "[core][signature]") {
  STATIC_REQUIRE(stands_for<"ns::f", void>);
  STATIC_REQUIRE(std::same_as<tb::op<"ns::f", int(double)>::signature, int(double)>);
  STATIC_REQUIRE(tb::op<"ns::f.o", int(double)>::name() == "ns::f.o");
  STATIC_REQUIRE(tb::op<"ns::f.o(int a) -> ()">::name() == "ns::f.o");
  STATIC_REQUIRE(tb::op<"ns::f.o(int a) -> ()">::argument_name(0) == "a");
}

TEST_CASE("signature: a kernel may be a function, a noexcept function, a lambda, with or without keys",
          "[core][concepts][B2][R15]") {
  using op = tb::op<"f(int a) -> int">;
  constexpr auto plain = [](std::int64_t a) { return a; };
  constexpr auto safe = [](std::int64_t a) noexcept { return a; };
  constexpr auto keyed = [](tb::key_set, std::int64_t a) { return a; };
  constexpr auto narrow = [](std::int64_t a) { return static_cast<int>(a); };  // misses by its result
  constexpr auto changing = [](std::int64_t a) mutable { return a; };          // misses by not being const
  constexpr auto late_keys = [](std::int64_t a, tb::key_set) { return a; };    // misses by the order
  STATIC_REQUIRE(tb::kernel_for<plain, op>);
  STATIC_REQUIRE(tb::kernel_for<safe, op>);
  STATIC_REQUIRE(tb::kernel_for<keyed, op>);
  STATIC_REQUIRE(tb::kernel_for<+plain, op>);
  STATIC_REQUIRE_FALSE(tb::kernel_for<narrow, op>);
  STATIC_REQUIRE_FALSE(tb::kernel_for<changing, op>);
  STATIC_REQUIRE_FALSE(tb::kernel_for<late_keys, op>);
}

TEST_CASE("signature: a boxed kernel takes the operator, perhaps the keys, and the stack",
          "[core][concepts][B2][R21]") {
  constexpr auto full = [](const tb::operator_handle&, tb::key_set, tb::boxed_stack&) {};
  constexpr auto brief = [](const tb::operator_handle&, tb::boxed_stack&) {};
  constexpr auto returns = [](const tb::operator_handle&, tb::boxed_stack&) { return 0; };  // misses by its result
  constexpr auto copies = [](tb::operator_handle, tb::boxed_stack&) {};                     // misses by a reference
  STATIC_REQUIRE(tb::boxed_kernel<full>);
  STATIC_REQUIRE(tb::boxed_kernel<brief>);
  STATIC_REQUIRE_FALSE(tb::boxed_kernel<returns>);
  STATIC_REQUIRE_FALSE(tb::boxed_kernel<copies>);
}

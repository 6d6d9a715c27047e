#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/places.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using tb::key_set;
using toy::image;

namespace {

using resize = tb::op<"concepts::resize(int width, float by=1.5, str mode='near') -> int">;

std::int64_t fits(std::int64_t, double, std::string_view) { return 0; }
std::int64_t fits_noexcept(std::int64_t, double, std::string_view) noexcept { return 0; }
std::int64_t fits_with_keys(key_set, std::int64_t, double, std::string_view) { return 0; }
std::int64_t narrow(int, double, std::string_view) { return 0; }
std::int64_t rough(std::int64_t, float, std::string_view) { return 0; }
std::int64_t owning(std::int64_t, double, const std::string&) { return 0; }
std::int64_t constant(std::int64_t, const double&, std::string_view) { return 0; }
std::int64_t late_keys(std::int64_t, double, std::string_view, key_set) { return 0; }
std::int64_t keys_by_reference(const key_set&, std::int64_t, double, std::string_view) { return 0; }
std::int64_t too_few(std::int64_t, double) { return 0; }
std::int64_t too_many(std::int64_t, double, std::string_view, bool) { return 0; }
std::int64_t none() { return 0; }
void silent(std::int64_t, double, std::string_view) {}
int small(std::int64_t, double, std::string_view) { return 0; }
constexpr auto lambda = [](std::int64_t, double, std::string_view) -> std::int64_t { return 0; };
constexpr auto lambda_with_keys = [](key_set, std::int64_t, double, std::string_view) -> std::int64_t { return 0; };
constexpr auto changing = [](std::int64_t, double, std::string_view) mutable -> std::int64_t { return 0; };
constexpr auto generic = [](auto, auto, auto) -> std::int64_t { return 0; };

template <class Op, auto... Fn>
constexpr bool all_fit = ((tb::kernel_for<Fn, Op> && tb::author::explain_kernel<Fn, Op>().ok()) && ...);
template <class Op, auto... Fn>
constexpr bool none_fits = ((!tb::kernel_for<Fn, Op> && !tb::author::explain_kernel<Fn, Op>().ok()) && ...);

}  // namespace

TEST_CASE("concepts: a function is a kernel where there is nothing to say against it, and only there",
          "[core][concepts][B2][R15]") {
  STATIC_REQUIRE(all_fit<resize, fits, fits_noexcept, fits_with_keys, lambda, +lambda, lambda_with_keys>);
  STATIC_REQUIRE(none_fits<resize, narrow, rough, owning, constant, late_keys, keys_by_reference, too_few, too_many,
                           none, silent, small, changing, generic, 42, nullptr>);
  using nullary = tb::op<"concepts::now() -> ()">;
  STATIC_REQUIRE(all_fit<nullary, [] {}, [](key_set) {}>);
  STATIC_REQUIRE(none_fits<nullary, fits, none, 42, [](int) {}>);
  using by_signature = tb::op<"concepts::blur", int(const image&, image&, image)>;
  STATIC_REQUIRE(all_fit<by_signature, [](const image&, image&, image) { return 0; },
                         [](key_set, const image&, image&, image) { return 0; }>);
  STATIC_REQUIRE(
      none_fits<by_signature, [](const image&, image, image) { return 0; }, [](image&, image&, image) { return 0; },
                [](const image&, image&, image&&) { return 0; }, none>);
}

namespace {

template <class Op, auto Fn>
constexpr std::string sentence() {
  constexpr tb::author::verdict v = tb::author::explain_kernel<Fn, Op>();
  return std::string(v.view());
}

struct counter {
  std::int64_t count(std::int64_t, double, std::string_view) { return 0; }
  std::int64_t peek(std::int64_t, double, std::string_view) const { return 0; }
};
struct stateful {
  std::int64_t by;
  std::int64_t operator()(std::int64_t, double, std::string_view) const { return by; }
};
struct several {
  int operator()(int) const { return 0; }
  double operator()(double) const { return 0; }
};

}  // namespace

TEST_CASE("concepts: an argument of another type is named, with the fix of a typical mistake",
          "[core][concepts][B7][R15]") {
  const std::string begin = "kernel for concepts::resize, argument ";
  CHECK(sentence<resize, &narrow>() ==
        begin + "1 'width': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t");
  CHECK(sentence<resize, &rough>() ==
        begin + "2 'by': the schema needs 'double', the kernel takes 'float'; a float of a schema is double");
  CHECK(sentence<resize, &owning>() ==
        begin +
            "3 'mode': the schema needs 'std::string_view', the kernel takes 'const std::string&'; a str of a schema "
            "is std::string_view");
  CHECK(sentence<resize, &constant>() ==
        begin + "2 'by': the schema needs 'double', the kernel takes 'const double&'; take it by value");
  CHECK(sentence<resize, [](double, std::int64_t, std::string_view) -> std::int64_t { return 0; }>() ==
        begin +
            "1 'width': the schema needs 'int64_t', the kernel takes 'double'; argument 2 and this one are exchanged");
  CHECK(sentence<resize, [](key_set, std::int64_t, bool, std::string_view) -> std::int64_t { return 0; }>() ==
        begin + "2 'by': the schema needs 'double', the kernel takes 'bool'");
}

TEST_CASE("concepts: lists, optionals and references have fixes of their own", "[core][concepts][R15]") {
  using lists = tb::op<"l::f(int[] sizes, bool[] mask, float? by, Tensor self, Tensor(a!) out) -> ()">;
  using sizes = std::span<const std::int64_t>;
  using mask = std::span<const bool>;
  using by = std::optional<double>;
  using toy::tensor;
  const std::string begin = "kernel for l::f, argument ";
  CHECK(sentence<lists, [](const std::vector<std::int64_t>&, mask, by, const tensor&, tensor&) {}>() ==
        begin +
            "1 'sizes': the schema needs 'std::span<const int64_t>', the kernel takes 'const "
            "std::vector<int64_t>&'; a list is passed as std::span<const T>, not copied");
  CHECK(sentence<lists, [](std::span<std::int64_t>, mask, by, const tensor&, tensor&) {}>().ends_with(
      "; its elements are const, since they belong to the caller"));
  CHECK(sentence<lists, [](std::span<const int>, mask, by, const tensor&, tensor&) {}>().ends_with(
      "; an int of a schema is std::int64_t"));
  CHECK(sentence<lists, [](sizes, std::vector<bool>, by, const tensor&, tensor&) {}>().ends_with(
      "2 'mask': the schema needs 'std::span<const bool>', the kernel takes 'std::vector<bool>'; std::vector<bool> "
      "holds bits and no bools, a bool[] of a schema is std::span<const bool>"));
  CHECK(sentence<lists, [](sizes, mask, double, const tensor&, tensor&) {}>().ends_with(
      "; with '?' it may be absent, so take the std::optional"));
  CHECK(sentence<lists, [](sizes, mask, std::optional<float>, const tensor&, tensor&) {}>().ends_with(
      "; a float of a schema is double"));
  CHECK(sentence<lists, [](sizes, mask, by, tensor, tensor&) {}>().ends_with("; take it by const reference"));
  CHECK(sentence<lists, [](sizes, mask, by, tensor&&, tensor&) {}>().ends_with("; take it by const reference"));
  CHECK(sentence<lists, [](sizes, mask, by, tensor&, tensor&) {}>().ends_with(
      "; add const, the operator does not write it"));
  CHECK(sentence<lists, [](sizes, mask, by, const tensor&, const tensor&) {}>().ends_with(
      "; remove const, the operator writes it"));
  CHECK(sentence<lists, [](sizes, mask, by, const tensor&, tensor) {}>().ends_with(
      "; take it by reference, the operator writes it"));
}

TEST_CASE("concepts: a result of another type is named", "[core][concepts][R15]") {
  using two = tb::op<"r::two(Tensor(a!) self) -> (Tensor(a!), int)">;
  using toy::tensor;
  CHECK(sentence<resize, &small>() ==
        "kernel for concepts::resize, result: the schema needs 'int64_t', the kernel returns 'int'; an int of a schema "
        "is "
        "std::int64_t");
  CHECK(sentence<resize, &silent>() ==
        "kernel for concepts::resize, result: the schema needs 'int64_t', the kernel returns 'void'");
  CHECK(sentence<two, [](tensor& t) { return std::pair<tensor&, std::int64_t>(t, 1); }>().ends_with(
      "; several results are a std::tuple"));
  CHECK(sentence<tb::op<"r::one(Tensor(a!) self) -> Tensor(a!)">, [](tensor& t) { return t; }>().ends_with(
      "; return the written argument itself, by reference"));
  CHECK(
      sentence<tb::op<"r::new(Tensor self) -> Tensor">, [](const tensor& t) -> const tensor& { return t; }>().ends_with(
          "; return it by value"));
  CHECK(sentence<tb::op<"r::list() -> int[]">, [] { return std::span<const std::int64_t>(); }>().ends_with(
      "; a result owns its elements"));
  CHECK(
      sentence<tb::op<"r::text() -> str">, [] { return std::string_view(); }>().ends_with("; a result owns its text"));
}

TEST_CASE("concepts: a number of arguments says which is missing or too many, where that is plain",
          "[core][concepts][R15]") {
  const std::string begin = "kernel for concepts::resize: the schema has 3 arguments, the kernel takes ";
  CHECK(sentence<resize, &none>() == begin + "0");
  CHECK(sentence<resize, &too_few>() == begin + "2; it lacks argument 3 'mode'");
  CHECK(sentence<resize, [](std::int64_t, std::string_view) {}>() == begin + "2; it lacks argument 2 'by'");
  CHECK(sentence<resize, [](bool, int) {}>() == begin + "2");
  CHECK(sentence<resize, &too_many>() == begin + "4; its argument 4, 'bool', is one too many");
  CHECK(sentence<tb::op<"a::one(int n) -> ()">, [] {}>() ==
        "kernel for a::one: the schema has 1 argument, the kernel takes 0; it lacks argument 1 'n'");
}

TEST_CASE("concepts: a key set comes first, once, and by value", "[core][concepts][B2]") {
  const std::string begin = "kernel for concepts::resize: takes ";
  CHECK(sentence<resize, &late_keys>() == begin + "the key set as argument 4, it comes first");
  CHECK(sentence<resize, &keys_by_reference>() ==
        begin + "the key set as 'const key_set&', it comes first and by value");
  CHECK(
      sentence<resize, [](key_set, std::int64_t, key_set, double, std::string_view) -> std::int64_t { return 0; }>() ==
      begin + "a second key set as argument 3, one comes first");
}

TEST_CASE("concepts: what is no function says what it is", "[core][concepts][B2]") {
  const std::string begin = "kernel for concepts::resize: needs a function or a lambda without captures, found ";
  CHECK(sentence<resize, 42>() == begin + "'int'");
  CHECK(sentence<resize, &counter::peek>() ==
        begin +
            "the member function 'int64_t ((anonymous namespace)::counter::*)(int64_t, double, std::string_view) "
            "const'; there is no object to call it on, make it static");
  CHECK_FALSE(tb::kernel_for<&counter::peek, resize>);
  CHECK_FALSE(tb::kernel_for<&counter::count, resize>);
  CHECK(sentence<resize, stateful{2}>() ==
        begin +
            "'(anonymous namespace)::stateful' with captures or members; pass what it "
            "needs as arguments of the call");
  CHECK(sentence<resize, changing>() == begin + "a lambda whose call operator is not const; remove 'mutable'");
  constexpr std::string_view no_types =
      " without one call operator of known types; write the types, a template or an overload set has none";
  CHECK(sentence<resize, generic>() == begin + "a lambda" + std::string(no_types));
  CHECK(sentence<resize, several{}>() == begin + "'(anonymous namespace)::several'" + std::string(no_types));
  CHECK(sentence<resize, resize{}>() == begin + "the operator 'concepts::resize'; write a function that calls it");
  CHECK(sentence<resize, [](const tb::operator_handle&, tb::boxed_stack&) {}>() ==
        "kernel for concepts::resize: found a boxed kernel; register it with impl_boxed()");
  CHECK(sentence<int, &none>() ==
        "kernel: needs an operator, found 'int'; declare one with its types, topbit::op<\"ns::name(int x) -> int\">");
}

TEST_CASE("concepts: a kernel registered by a name is refused with the sentence of the compiler",
          "[core][concepts][registry][R7][R14][R15]") {
  constexpr tb::op<"concepts::resize(int width, float by=1.5, str mode='near') -> int"> op;
  tb::registry r;
  auto block = tb::library("concepts", r).def(op);
  const auto refusal = [&](auto&& attempt) { return toy::without_places(toy::text_of<tb::bad_registration>(attempt)); };
  const std::string begin = "concepts::resize: implemented for CompositeImplicitAutograd at HERE with the signature '";
  const std::string_view name = "resize";
  const auto says = [&](const std::string& text, const std::string& sentence) {
    INFO(text);
    CHECK(text.starts_with(begin));
    CHECK(text.ends_with("; " + sentence));
  };
  says(refusal([&] { block.impl<&narrow>(name); }), sentence<resize, &narrow>());
  says(refusal([&] { block.impl<&late_keys>(name); }), sentence<resize, &late_keys>());
  says(refusal([&] { block.impl<&too_few>(name); }), sentence<resize, &too_few>());
  says(refusal([&] { block.impl<&small>(name); }), sentence<resize, &small>());
  block.impl<&fits_with_keys>(name);
  CHECK(r.find("concepts::resize").kernels().size() == 1);
}

#include <catch2/catch_test_macros.hpp>
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
using namespace std::literals;

TEST_CASE("text: a type's name is what a person would write", "[core][text]") {
  CHECK(tb::type_name<std::int64_t>() == "int64_t");
  CHECK(tb::type_name<const std::int64_t&>() == "const int64_t&");
  CHECK(tb::type_name<double>() == "double");
  CHECK(tb::type_name<long double>() == "long double");
  CHECK(tb::type_name<unsigned long>() == "unsigned long");
  CHECK(tb::type_name<long long>() == "long long");
  CHECK(tb::type_name<unsigned long long>() == "unsigned long long");
  CHECK(tb::type_name<std::string_view>() == "std::string_view");
  CHECK(tb::type_name<const std::string&>() == "const std::string&");
  CHECK(tb::type_name<toy::tensor&>() == "toy::tensor&");
  CHECK(tb::type_name<tb::key_set>() == "key_set");
  CHECK(tb::type_name<std::span<const toy::tensor>>() == "std::span<const toy::tensor>");
  CHECK(tb::type_name<toy::tensor(const toy::tensor&, double)>() == "toy::tensor (const toy::tensor&, double)");
}

TEST_CASE("text: a verdict is empty or a sentence, and cut rather than overrun", "[core][text]") {
  tb::author::verdict v;
  CHECK(v.ok());
  v.add("argument ").add(std::size_t{18446744073709551615u}).add(" of ").add(std::size_t{0});
  CHECK_FALSE(v.ok());
  CHECK(v.view() == "argument 18446744073709551615 of 0");
  for (int i = 0; i < 100; ++i) v.add("again and again ");
  CHECK(v.size() == 480);
}

TEST_CASE("text: a fixed string does not count its terminating zero", "[core][text]") {
  constexpr tb::fixed_string s = "ns::name";
  STATIC_REQUIRE(s.view() == "ns::name"sv);
  STATIC_REQUIRE(s == tb::fixed_string("ns::name"));
}

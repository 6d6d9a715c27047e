#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;

namespace extract_types {

struct keyed_exactly {  // has what the concept asks, and nothing else
  tb::key_set keys;
};
tb::key_set keys_of(const keyed_exactly& x) noexcept { return x.keys; }

struct keyed_but_may_throw {};  // misses by noexcept
tb::key_set keys_of(const keyed_but_may_throw&) { return {}; }

struct keyed_by_member {  // misses by being no function beside the type
  tb::key_set keys_of() const noexcept { return {}; }
};

struct keyed_and_a_device {};  // keys win: it is no device
tb::key_set keys_of(const keyed_and_a_device&) noexcept { return {}; }
tb::key_set backend_keys_of(const keyed_and_a_device&) noexcept { return {}; }

inline constexpr tb::op<"extract::of_one", tb::key_set(const toy::tensor&)> of_one;
inline constexpr tb::op<"extract::of_optional", tb::key_set(const std::optional<toy::tensor>&)> of_optional;
inline constexpr tb::op<"extract::of_list", tb::key_set(std::span<const toy::tensor>)> of_list;
inline constexpr tb::op<"extract::of_optionals", tb::key_set(std::span<const std::optional<toy::tensor>>)> of_optionals;
inline constexpr tb::op<"extract::of_two", tb::key_set(const toy::tensor&, int, const toy::tensor&)> of_two;

struct holder {  // has a tensor and no keys_of
  toy::tensor inside;
};
inline constexpr tb::op<"extract::of_others",
                        tb::key_set(const holder&, double, std::string_view, std::span<const holder>)>
    of_others;
inline constexpr tb::op<"extract::of_optional_list", tb::key_set(std::optional<std::span<const toy::tensor>>)>
    of_optional_list;

// Each operator answers with the keys its kernel received.
constexpr auto one = [](tb::key_set keys, const toy::tensor&) { return keys; };
constexpr auto optional = [](tb::key_set keys, const std::optional<toy::tensor>&) { return keys; };
constexpr auto list = [](tb::key_set keys, std::span<const toy::tensor>) { return keys; };
constexpr auto optionals = [](tb::key_set keys, std::span<const std::optional<toy::tensor>>) { return keys; };
constexpr auto two = [](tb::key_set keys, const toy::tensor&, int, const toy::tensor&) { return keys; };
constexpr auto others = [](tb::key_set keys, const holder&, double, std::string_view, std::span<const holder>) {
  return keys;
};
constexpr auto optional_list = [](tb::key_set keys, std::optional<std::span<const toy::tensor>>) { return keys; };

const auto kernels = [] {
  auto block = tb::library("extract");
  block.def(of_one).impl<one>(of_one);
  block.def(of_optional).impl<optional>(of_optional);
  block.def(of_list).impl<list>(of_list);
  block.def(of_optionals).impl<optionals>(of_optionals);
  block.def(of_two).impl<two>(of_two);
  block.def(of_others).impl<others>(of_others);
  block.def(of_optional_list).impl<optional_list>(of_optional_list);
  return block;
}();

// The same operator through the boxed path.
template <class... T>
tb::key_set boxed(std::string_view name, const T&... x) {
  tb::boxed_stack s;
  (s.push(x), ...);
  tb::registry::process().find(name).call_boxed(s);
  return s.pop().get<tb::key_set>();
}

}  // namespace extract_types
using namespace extract_types;

TEST_CASE("extract: keys_of beside the type makes it take part, and must not throw", "[core][extract][X1]") {
  STATIC_REQUIRE(tb::keyed<keyed_exactly>);
  STATIC_REQUIRE_FALSE(tb::keyed<keyed_but_may_throw>);
  STATIC_REQUIRE_FALSE(tb::keyed<keyed_by_member>);
  STATIC_REQUIRE_FALSE(tb::keyed<int>);
  STATIC_REQUIRE(tb::author::selects_backend<toy::device>);
  STATIC_REQUIRE_FALSE(tb::author::selects_backend<keyed_and_a_device>);
}

TEST_CASE("extract: optionals and lists bring what is in them, undefined ones nothing", "[core][extract][X1]") {
  const toy::tensor cpu(key::CPU), cuda(key::CUDA), none;
  CHECK(of_one(cpu) == tb::key_set(key::CPU));
  CHECK(of_one(none).empty());
  CHECK(of_optional(cpu) == tb::key_set(key::CPU));
  CHECK(of_optional(std::nullopt).empty());
  const std::array all{cpu, none, cuda};
  CHECK(of_list(all) == tb::key_set{key::CPU, key::CUDA});
  const std::array<std::optional<toy::tensor>, 3> some{std::nullopt, cuda, none};
  CHECK(of_optionals(some) == tb::key_set(key::CUDA));
  CHECK(of_two(cpu, 1, cuda) == of_two(cuda, 1, cpu));
}

TEST_CASE("extract: the boxed path finds the same keys", "[core][extract][X2][X4]") {
  const toy::tensor cpu(key::CPU), cuda(key::CUDA), none;
  CHECK(boxed("extract::of_one", cpu) == of_one(cpu));
  CHECK(boxed("extract::of_optional", cpu) == of_optional(cpu));
  CHECK(boxed("extract::of_optional", tb::value()) == of_optional(std::nullopt));
  const std::vector all{cpu, none, cuda};
  CHECK(boxed("extract::of_list", all) == of_list(all));
  const std::vector<std::optional<toy::tensor>> some{std::nullopt, cuda, none};
  CHECK(boxed("extract::of_optionals", some) == of_optionals(some));
  CHECK(boxed("extract::of_two", cuda, 1, cpu) == of_two(cuda, 1, cpu));
}

TEST_CASE("extract: a type without keys_of brings nothing, whatever it holds", "[core][extract][X1][X3]") {
  const holder h{toy::tensor(key::CPU)};
  CHECK(of_others(h, 1.5, "CPU", std::array{h}).empty());
  STATIC_REQUIRE_FALSE(tb::keyed<holder>);
}

TEST_CASE("extract: an optional list brings what is in it, by both paths", "[core][extract][X3][X4]") {
  const std::vector all{toy::tensor(key::CPU), toy::tensor(), toy::tensor(key::CUDA)};
  const std::span<const toy::tensor> view = all;
  CHECK(of_optional_list(view) == tb::key_set{key::CPU, key::CUDA});
  CHECK(of_optional_list(std::nullopt).empty());
  CHECK(boxed("extract::of_optional_list", all) == of_optional_list(view));
  CHECK(boxed("extract::of_optional_list", tb::value()).empty());
}

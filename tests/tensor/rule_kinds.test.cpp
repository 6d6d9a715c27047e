#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::tensor;
using tb::author::batching_rule;
using tb::author::meta_function;
using place = std::optional<std::int64_t>;

namespace {

template <class Op, class Expected>
constexpr bool batches_as = std::same_as<batching_rule::signature<typename Op::signature>, Expected>;

template <class Op, class Kind, auto Fn>
std::string sentence() {
  constexpr tb::author::verdict v = tb::author::explain_rule<Fn, Op, Kind>();
  return std::string(v.view());
}

using add = tb::op<"kinds::add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor">;

}  // namespace

TEST_CASE("rule kinds: a batching rule gets each tensor's batch dimension after the tensor", "[tensor][rule_kinds]") {
  STATIC_REQUIRE(
      batches_as<add, std::tuple<tensor, place>(const tensor&, place, const tensor&, place, const tb::scalar&)>);
  STATIC_REQUIRE(
      batches_as<tb::op<"kinds::norm(Tensor self, float p) -> float">, double(const tensor&, place, double)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::zeros(int[] size) -> Tensor">,
                            std::tuple<tensor, place>(std::span<const std::int64_t>)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::linear(Tensor self, Tensor? bias) -> Tensor">,
                            std::tuple<tensor, place>(const tensor&, place, const std::optional<tensor>&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::cat(Tensor[] tensors) -> Tensor">,
                            std::tuple<tensor, place>(std::span<const tensor>, std::span<const place>)>);
}

TEST_CASE("rule kinds: results of a batching rule are flat, without mutable arguments", "[tensor][rule_kinds]") {
  STATIC_REQUIRE(batches_as<tb::op<"kinds::max(Tensor self) -> (Tensor, Tensor)">,
                            std::tuple<tensor, place, tensor, place>(const tensor&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::count(Tensor self) -> (Tensor, int)">,
                            std::tuple<tensor, place, std::int64_t>(const tensor&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::split(Tensor self) -> Tensor[]">,
                            std::tuple<std::vector<tensor>, place>(const tensor&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::relu_(Tensor(a!) self) -> Tensor(a!)">, void(tensor&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::swap_(Tensor(a!) a, Tensor(b!) b) -> (Tensor(a!), Tensor(b!))">,
                            void(tensor&, place, tensor&, place)>);
  STATIC_REQUIRE(batches_as<tb::op<"kinds::show(Tensor self) -> ()">, void(const tensor&, place)>);
}

TEST_CASE("rule kinds: a batching rule is refused by argument, and named by the argument's meaning",
          "[tensor][rule_kinds]") {
  constexpr auto right = [](const tensor& a, place, const tensor&, place, const tb::scalar&) {
    return std::tuple<tensor, place>(a, {});
  };
  STATIC_REQUIRE(tb::author::rule_for<right, add, batching_rule>);
  CHECK(sentence<add, batching_rule, right>().empty());
  const std::string begin = "batching rule for kinds::add";
  CHECK(sentence<add, batching_rule,
                 [](const tensor& a, place, const tensor&, std::int64_t, const tb::scalar&) {
                   return std::tuple<tensor, place>(a, {});
                 }>() == begin +
                             ", argument 4, batch dimension of 'other': the schema needs 'std::optional<int64_t>', "
                             "the batching rule takes 'int64_t'");
  CHECK(sentence<add, batching_rule,
                 [](const tensor& a, place, tensor, place, const tb::scalar&) {
                   return std::tuple<tensor, place>(a, {});
                 }>() == begin +
                             ", argument 3 'other': the schema needs 'const tensor&', the batching rule takes "
                             "'tensor'; take it by const reference");
  CHECK(sentence<add, batching_rule,
                 [](const tensor& a, place, const tensor&, place, const tb::scalar&) { return a; }>() ==
        begin +
            ", result: the schema needs 'std::tuple<tensor, std::optional<int64_t>>', the batching rule "
            "returns 'tensor'; each tensor is followed by its batch dimension");
  CHECK(sentence<add, batching_rule, [](const tensor&, const tensor&, const tb::scalar&) {}>() ==
        begin + ": the schema needs 5 arguments, the batching rule takes 3");
  CHECK(sentence<add, batching_rule, [](tb::key_set, const tensor&, const tensor&, const tb::scalar&) {}>() ==
        begin + ": takes a key set as argument 1, none is passed to it");
  CHECK(sentence<add, batching_rule, 1>() == begin + ": needs a function or a lambda without captures, found 'int'");
}

TEST_CASE("rule kinds: a meta function has the operator's own types, and may take the key set",
          "[tensor][rule_kinds]") {
  constexpr auto right = [](const tensor& a, const tensor&, const tb::scalar&) { return a; };
  constexpr auto with_keys = [](tb::key_set, const tensor& a, const tensor&, const tb::scalar&) { return a; };
  STATIC_REQUIRE(tb::author::rule_for<right, add, meta_function>);
  STATIC_REQUIRE(tb::author::rule_for<with_keys, add, meta_function>);
  STATIC_REQUIRE(tb::kernel_for<right, add>);
  CHECK(sentence<add, meta_function, [](const tensor& a, const tensor&, double) { return a; }>() ==
        "meta function for kinds::add, argument 3 'alpha': the schema needs 'const scalar&', the meta function takes "
        "'double'");
}

// expect: error: static assertion failed: batching rule for toy::add, argument 4, batch dimension of 'other': the schema needs 'std::optional<int64_t>', the batching rule takes 'int64_t'$
// topic: rules
// After each tensor, a batching rule takes the place of its batch dimension, which it may not have.
#include <cstdint>
#include <optional>
#include <tuple>
import topbit.core;
import topbit.tensor;
using topbit::tensor;
using place = std::optional<std::int64_t>;  // of the batch dimension

inline constexpr topbit::op<"toy::add(Tensor self, Tensor other) -> Tensor"> add;

#ifndef FIXED
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other, std::int64_t);
#else
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other, place);
#endif
auto check() { topbit::author::require_rule<&add_batched, decltype(add), topbit::author::batching_rule>(); }

// expect: error: static assertion failed: batching rule for toy::add, result: the schema needs 'std::tuple<tensor, std::optional<int64_t>>', the batching rule returns 'tensor'; each tensor is followed by its batch dimension$
// topic: rules
// A batching rule says where the batch dimension of its result is.
#include <cstdint>
#include <optional>
#include <tuple>
import topbit.core;
import topbit.tensor;
using topbit::tensor;
using place = std::optional<std::int64_t>;  // of the batch dimension

inline constexpr topbit::op<"toy::add(Tensor self, Tensor other) -> Tensor"> add;

#ifndef FIXED
tensor add_batched(const tensor& self, place, const tensor& other, place);
#else
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other, place);
#endif
auto check() { topbit::author::require_rule<&add_batched, decltype(add), topbit::author::batching_rule>(); }

// expect: error: static assertion failed: batching rule for toy::add: the schema needs 4 arguments, the batching rule takes 3; it lacks argument 4, batch dimension of 'other'$
// topic: rules
// Each tensor of a batching rule has a batch dimension beside it, not only the first.
#include <cstdint>
#include <optional>
#include <tuple>
import topbit.core;
import topbit.tensor;
using topbit::tensor;
using place = std::optional<std::int64_t>;  // of the batch dimension

inline constexpr topbit::op<"toy::add(Tensor self, Tensor other) -> Tensor"> add;

#ifndef FIXED
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other);
#else
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other, place);
#endif
auto check() { topbit::author::require_rule<&add_batched, decltype(add), topbit::author::batching_rule>(); }

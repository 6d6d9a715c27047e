// expect: error: static assertion failed: batching rule for toy::add: takes a key set as argument 1, none is passed to it$
// topic: rules
// A batching rule is called by the layer, which has dealt with the keys.
#include <cstdint>
#include <optional>
#include <tuple>
import topbit.core;
import topbit.tensor;
using topbit::tensor;
using place = std::optional<std::int64_t>;  // of the batch dimension

inline constexpr topbit::op<"toy::add(Tensor self, Tensor other) -> Tensor"> add;

#ifndef FIXED
std::tuple<tensor, place> add_batched(topbit::key_set, const tensor& self, place, const tensor& other, place);
#else
std::tuple<tensor, place> add_batched(const tensor& self, place, const tensor& other, place);
#endif
auto check() { topbit::author::require_rule<&add_batched, decltype(add), topbit::author::batching_rule>(); }

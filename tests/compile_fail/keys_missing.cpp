// expect: error: static assertion failed: myops::myneg, argument 1 'self': 'Tensor' stands for 'tensor', which brings no key to a call; declare 'key_set keys_of\(const tensor&\) noexcept' beside the type, before the operator$
// rule: X1
// topic: schemas
// A Tensor says where a call runs, so the type that stands for it has keys.
#include <cstdint>
import topbit.core;

struct tensor {
  topbit::key_set keys;
};
#ifndef FIXED
constexpr topbit::key_set keys(const tensor& t) noexcept { return t.keys; }
#else
constexpr topbit::key_set keys_of(const tensor& t) noexcept { return t.keys; }
#endif
template <>
struct topbit::schema_type<"Tensor"> {
  using value = tensor;
  using argument = const tensor&;
};

inline constexpr topbit::op<"myops::myneg(Tensor self) -> Tensor"> myneg;

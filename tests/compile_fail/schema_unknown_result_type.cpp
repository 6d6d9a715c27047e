// expect: error: static assertion failed: schema 'toy::norm\(int p\) -> Tensor', column 21: unknown type 'Tensor'; import the module
// rule: G3
// Results are looked at like arguments.
import topbit.core;

inline constexpr topbit::op<"toy::norm(int p) -> Tensor"> norm;

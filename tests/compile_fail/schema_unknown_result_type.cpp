// expect: error: static assertion failed: schema 'toy::norm\(int p\) -> Tensor', column 21: unknown type 'Tensor'; import the module that maps it \(topbit\.tensor maps Tensor, Scalar, ScalarType, Device, Layout\) or specialise topbit::schema_type for it$
// rule: G3
// topic: schemas
// Results are looked at like arguments.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::norm(int p) -> Tensor"> norm;
#else
inline constexpr topbit::op<"toy::norm(int p) -> float"> norm;
#endif

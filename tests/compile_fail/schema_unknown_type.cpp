// expect: error: static assertion failed: schema 'toy::norm\(int p, Tensor self\) -> float', column 18: unknown type 'Tensor'; import the module that maps it \(topbit\.tensor maps Tensor, Scalar, ScalarType, Device, Layout\) or specialise topbit::schema_type for it$
// rule: G3
// topic: schemas
// A type nobody has mapped to C++ names its column and the module that would map it.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::norm(int p, Tensor self) -> float"> norm;
#else
inline constexpr topbit::op<"toy::norm(int p, float[] self) -> float"> norm;
#endif

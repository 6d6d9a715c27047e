// expect: error: static assertion failed: schema 'toy::scale\(double x\) -> double', column 12: unknown type 'double'; import the module that maps it \(topbit\.tensor maps Tensor, Scalar, ScalarType, Device, Layout\) or specialise topbit::schema_type for it$
// rule: G3
// topic: schemas
// A schema has words of its own for types; C++ names are none.
import topbit.core;

#ifndef MENDED
inline constexpr topbit::op<"toy::scale(double x) -> double"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;
#endif

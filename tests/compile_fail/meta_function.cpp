// expect: error: static assertion failed: meta function for toy::narrow, argument 2 'length': the schema needs 'int64_t', the meta function takes 'int'; an int of a schema is std::int64_t$
// topic: rules
// A meta function takes and returns what its operator does.
#include <cstdint>
import topbit.core;
import topbit.tensor;
using topbit::tensor;

inline constexpr topbit::op<"toy::narrow(Tensor self, int length) -> Tensor"> narrow;

#ifndef FIXED
tensor narrow_meta(const tensor& self, int length);
#else
tensor narrow_meta(const tensor& self, std::int64_t length);
#endif
auto check() { topbit::author::require_rule<&narrow_meta, decltype(narrow), topbit::author::meta_function>(); }

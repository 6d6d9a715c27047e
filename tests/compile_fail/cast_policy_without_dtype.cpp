// expect: error: static assertion failed: aten::exp: policy set_dtype: found no optional dtype argument, wanted a tensor first and 'ScalarType\? dtype=None'$
// topic: autocast
// The policy passes float32 as an argument that the schema must have.
import topbit;
import topbit.autocast;
namespace casts = topbit::casts;

#ifndef FIXED
constexpr auto table = casts::policies(casts::set_dtype<topbit::aten::exp>{});
#else
constexpr auto table = casts::policies(casts::fp32<topbit::aten::exp>{});
#endif

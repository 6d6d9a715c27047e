// expect: error: static assertion failed: aten::exp: policy append_dtype: found 'aten::log', wanted an overload with the same arguments and a dtype behind them$
// topic: autocast
// The other overload takes the arguments of this one, and a dtype.
import topbit;
import topbit.autocast;
namespace casts = topbit::casts;
namespace aten = topbit::aten;

#ifndef FIXED
constexpr auto table = casts::policies(casts::append_dtype<aten::exp, aten::log>{});
#else
constexpr auto table = casts::policies(casts::append_dtype<aten::norm_Scalar, aten::norm_ScalarOpt_dtype>{});
#endif

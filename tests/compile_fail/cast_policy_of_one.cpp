// expect: error: static assertion failed: aten::exp: policy promote: found one tensor argument, wanted two, or a list$
// topic: autocast
// Of one tensor there is nothing to promote.
import topbit;
import topbit.autocast;
namespace casts = topbit::casts;

#ifndef FIXED
constexpr auto table = casts::policies(casts::promote<topbit::aten::exp>{});
#else
constexpr auto table = casts::policies(casts::promote<topbit::aten::dot>{});
#endif

// expect: error: static assertion failed: aten::mm: found two cast policies in one table, wanted one$
// topic: autocast
// An operator has one policy in a table.
import topbit;
import topbit.autocast;
namespace casts = topbit::casts;

#ifndef FIXED
constexpr auto table = casts::policies(casts::lower<topbit::aten::mm>{}, casts::fp32<topbit::aten::mm>{});
#else
constexpr auto table = casts::policies(casts::lower<topbit::aten::mm>{});
#endif

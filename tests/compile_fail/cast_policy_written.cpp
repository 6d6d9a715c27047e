// expect: error: static assertion failed: aten::mm\.out: has a cast policy: found an argument that is written, wanted the functional form$
// topic: autocast
// Autocast changes functional forms only: the caller of an out form has chosen its dtype.
import topbit;
import topbit.autocast;
namespace casts = topbit::casts;

#ifndef FIXED
constexpr auto table = casts::policies(casts::lower<topbit::aten::mm_out>{});
#else
constexpr auto table = casts::policies(casts::lower<topbit::aten::mm>{});
#endif

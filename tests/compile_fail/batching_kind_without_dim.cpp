// expect: error: static assertion failed: aten::exp: batching kind reduction: found no argument 'int dim', wanted one, or 'int\[\] dim'$
// topic: batching
// A reduction of each example needs to be told which dimension to reduce.
import topbit;
import topbit.transform;
namespace batching = topbit::batching;

#ifndef FIXED
constexpr auto table = batching::rules(batching::reduction<topbit::aten::exp>{});
#else
constexpr auto table = batching::rules(batching::elementwise<topbit::aten::exp>{});
#endif

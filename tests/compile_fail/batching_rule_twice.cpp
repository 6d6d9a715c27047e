// expect: error: static assertion failed: aten::exp: found two batching rules in one table, wanted one$
// topic: batching
// An operator has one rule, whichever set it is in.
import topbit;
import topbit.transform;
namespace batching = topbit::batching;

#ifndef FIXED
constexpr auto table = batching::rules(batching::elementwise<topbit::exp, topbit::aten::exp>{});
#else
constexpr auto table = batching::rules(batching::elementwise<topbit::exp, topbit::aten::sin>{});
#endif

// expect: error: static assertion failed: aten::cat: batching kind elementwise: found a list of tensors, wanted a rule of its own$
// topic: batching
// The elements of a list may each have a batch dimension, or none.
import topbit;
import topbit.transform;
namespace batching = topbit::batching;

#ifndef FIXED
constexpr auto table = batching::rules(batching::elementwise<topbit::aten::cat>{});
#else
constexpr auto table = batching::rules(batching::elementwise<topbit::aten::add_Tensor>{});
#endif

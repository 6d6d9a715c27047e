// Pairwise summation: blocks are summed sequentially, then pairwise, so the rounding error grows with the logarithm of
// the length.
//
// The shape of the tree depends on the length alone, so a sum is the same in every run.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// leaf(first, count) sums at most Block items sequentially in each lane. Its result type needs only operator+.
template <int64_t Block, typename Leaf>
auto pairwise(int64_t first, int64_t count, const Leaf& leaf) -> decltype(leaf(first, count)) {
  if (count <= Block) return leaf(first, count);
  const int64_t blocks = (count + Block - 1) / Block;
  const int64_t half = (blocks + 1) / 2 * Block;
  return pairwise<Block>(first, half, leaf) + pairwise<Block>(first + half, count - half, leaf);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

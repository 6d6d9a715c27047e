// Philox4x32-10, a counter-based random number generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", 2011): ten rounds of multiplication mix a counter with a key. It has no state, so any number of a stream
// can be computed directly, by any thread, on host and device.
#pragma once

#include <stdint.h>

#include "function.h"

namespace tb_kernel {
namespace {

struct philox_block {
  uint32_t word[4];
};

TB_FUNCTION philox_block philox(philox_block counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xD2511F53u) * counter.word[0], b = uint64_t(0xCD9E8D57u) * counter.word[2];
    counter = {{uint32_t(b >> 32) ^ counter.word[1] ^ key0, uint32_t(b), uint32_t(a >> 32) ^ counter.word[3] ^ key1,
                uint32_t(a)}};
    key0 += 0x9E3779B9u;  // the golden ratio
    key1 += 0xBB67AE85u;  // the square root of 3, less 1
  }
  return counter;
}

// Numbers 2 * pair and 2 * pair + 1 of the random stream of a seed and a subsequence, 64 bits each.
struct number_pair {
  uint64_t number[2];
};

TB_FUNCTION number_pair numbers_of(uint64_t seed, uint64_t subsequence, uint64_t pair) {
  const philox_block counter = {
      {uint32_t(pair), uint32_t(pair >> 32), uint32_t(subsequence), uint32_t(subsequence >> 32)}};
  const philox_block x = philox(counter, uint32_t(seed), uint32_t(seed >> 32));
  return {{x.word[0] | uint64_t(x.word[1]) << 32, x.word[2] | uint64_t(x.word[3]) << 32}};
}

}  // namespace
}  // namespace tb_kernel

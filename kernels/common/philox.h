// Philox4x32-10, a counter-based random number generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", 2011): ten rounds of multiplication mix a counter with a key. It has no state, so any number of a stream
// can be computed directly, by any thread, on host and device.
#pragma once

#include <stdint.h>

#include "function.h"

namespace tb_kernel {
namespace {

// The factors of both products of a round, and what is added to both parts of the key after it: the golden ratio, and
// the square root of 3, less 1.
constexpr int philox_rounds = 10;
constexpr uint32_t philox_factor0 = 0xD2511F53u, philox_factor1 = 0xCD9E8D57u;
constexpr uint32_t philox_step0 = 0x9E3779B9u, philox_step1 = 0xBB67AE85u;

struct philox_block {
  uint32_t word[4];
};

TB_FUNCTION philox_block philox(philox_block counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < philox_rounds; ++round) {
    const uint64_t a = uint64_t(philox_factor0) * counter.word[0], b = uint64_t(philox_factor1) * counter.word[2];
    counter = {{uint32_t(b >> 32) ^ counter.word[1] ^ key0, uint32_t(b), uint32_t(a >> 32) ^ counter.word[3] ^ key1,
                uint32_t(a)}};
    key0 += philox_step0;
    key1 += philox_step1;
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

// The row of a 64-bit key set needs no branch: the highest bit of the layers and the highest bit of the devices by
// `clz(w | 1)`, which is defined for the empty set because bit 0 of a set is never used. The result equals the
// plain search, and the object code has no jump (checked beside this program).
#include <cstdint>

#include "check.h"

struct row_rule {
  std::uint32_t offset, mask;
};
constexpr int device_bits = 21;  // bit 0 is never used

struct row_rules {
  row_rule at[64];
};
// Layers stand above the devices; every third one has a row per device.
constexpr row_rules build() {
  row_rules rules{};
  std::uint32_t next = 1;
  for (int bit = device_bits; bit < 64; ++bit) {
    const bool per_device = bit % 3 == 0;
    rules.at[bit] = {next, per_device ? (1u << device_bits) - 2 : 0};
    next += per_device ? device_bits : 1;
  }
  return rules;
}
extern constexpr row_rules rules = build();

extern "C" unsigned row(std::uint64_t w) {
  const row_rule rule = rules.at[63 ^ __builtin_clzll(w | 1)];
  return rule.offset + (31u ^ static_cast<unsigned>(__builtin_clz((static_cast<std::uint32_t>(w) & rule.mask) | 1)));
}

static unsigned searched(std::uint64_t w) {
  for (int bit = 63; bit >= device_bits; --bit) {
    if (!(w >> bit & 1)) continue;
    for (int device = device_bits - 1; device > 0; --device) {
      if (rules.at[bit].mask != 0 && (w >> device & 1)) return rules.at[bit].offset + static_cast<unsigned>(device);
    }
    return rules.at[bit].offset;
  }
  return 0;
}

int main() {
  CHECK(row(0) == 0);
  std::uint64_t state = 1;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t sparse = state & (state << 17) & (state >> 13) & ~std::uint64_t{1};
    CHECK(row(sparse) == searched(sparse));
  }
}

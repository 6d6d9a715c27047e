// Atomic addition to an element of any dtype. Integers wrap, BOOL computes or.
#pragma once

#include "elementwise/elements.cuh"

namespace tb_cuda {

// For elements narrower than atomicCAS supports: exchanges the aligned 32-bit word around the element and keeps the
// other bytes.
template <typename E, typename Sum>
__device__ void exchange_in_word(E* at, Sum sum) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(at);
  unsigned* const word = reinterpret_cast<unsigned*>(address & ~uintptr_t(3));
  const unsigned shift = unsigned(address & 3) * 8, mask = (sizeof(E) == 1 ? 0xffu : 0xffffu) << shift;
  unsigned seen = *word;
  for (;;) {
    const unsigned wanted = (seen & ~mask) | (unsigned(sum((seen & mask) >> shift)) << shift & mask);
    const unsigned before = atomicCAS(word, seen, wanted);
    if (before == seen) return;
    seen = before;
  }
}

template <typename E>
struct sum_in_bits {
  E more;

  __device__ unsigned operator()(unsigned bits) const {
    if constexpr (std::is_same_v<E, boolean>) {
      return (bits | more.byte) != 0;
    } else if constexpr (is_half<E>) {
      return narrow<E>(widen(E{uint16_t(bits)}) + widen(more)).bits;
    } else {
      return bits + unsigned(more);
    }
  }
};

template <typename E>
__device__ void atomic_add(E* at, E more) {
  if constexpr (std::is_same_v<E, int32_t>) {
    atomicAdd(reinterpret_cast<unsigned*>(at), unsigned(more));
  } else if constexpr (std::is_same_v<E, int64_t>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(more));
  } else if constexpr (std::is_floating_point_v<E>) {
    atomicAdd(at, more);
  } else {
    exchange_in_word(at, sum_in_bits<E>{more});
  }
}

// The same sum without atomicity.
template <typename E>
__device__ E sum_of_elements(E a, E b) {
  if constexpr (std::is_same_v<E, boolean>) {
    return {uint8_t((a.byte | b.byte) != 0)};
  } else if constexpr (is_half<E>) {
    return narrow<E>(widen(a) + widen(b));
  } else if constexpr (std::is_integral_v<E>) {
    return E(uint64_t(a) + uint64_t(b));
  } else {
    return a + b;
  }
}

}  // namespace tb_cuda

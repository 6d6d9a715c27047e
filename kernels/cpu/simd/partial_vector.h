// Masked loads and stores of the first lanes of a register, for loops that use the same mask repeatedly.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether loads can be masked; without masks, the operands read are padded to whole registers.
#if defined(__AVX2__)
constexpr bool loads_parts = true;
#else
constexpr bool loads_parts = false;
#endif

template <typename T>
class partial_vector {
 public:
#if defined(__AVX2__)
  explicit partial_vector(int64_t count) : lanes_(first_lanes(count, T(0))) {}
#else
  explicit partial_vector(int64_t count) : count_(count) {}
#endif

  // 0 in the other lanes; without masked loads, loads the whole register.
  vec<T> load(const T* at) const {
#if defined(__AVX512F__)
    return masked_load(at, lanes_, T(0));
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) {
      return _mm256_maskload_ps(at, lanes_);
    } else {
      return _mm256_maskload_pd(at, lanes_);
    }
#else
    return vec<T>::load_unaligned(at);
#endif
  }

  void store(T* at, vec<T> value) const {
#if defined(__AVX2__)
    masked_store(at, lanes_, value);
#else
    if (count_ == int64_t(vec<T>::size)) {
      value.store_unaligned(at);
    } else {
      store_part(at, count_, value);
    }
#endif
  }

  // Adds `value` to memory.
  void add(T* at, vec<T> value) const {
#if defined(__AVX2__)
    store(at, load(at) + value);
#else
    store(at, (count_ == int64_t(vec<T>::size) ? vec<T>::load_unaligned(at) : load_part(at, count_, T(0))) + value);
#endif
  }

 private:
#if defined(__AVX2__)
  decltype(first_lanes(0, T(0))) lanes_;
#else
  int64_t count_;
#endif
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

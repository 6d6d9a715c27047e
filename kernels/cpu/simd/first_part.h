// The first lanes of a vector, for loops that load and store the same number of them again and again.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether a load may leave lanes out: without, what is read is padded to whole vectors.
#if defined(__AVX2__)
constexpr bool loads_parts = true;
#else
constexpr bool loads_parts = false;
#endif

template <typename T>
class first_part {
 public:
#if defined(__AVX2__)
  explicit first_part(int64_t count) : lanes_(first_lanes(count, T(0))) {}
#else
  explicit first_part(int64_t count) : count_(count) {}
#endif

  // Zeros in the other lanes; where loads have no parts, the whole vector.
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

  // `value` added to what is there.
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

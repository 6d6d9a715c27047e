// Non-temporal stores, for results too large for the cache: they avoid both reading the lines and evicting others.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr bool can_stream = true;

// Copies with non-temporal stores; `to` is aligned to 64 bytes. Call end_stream() after the last copy.
inline void stream(char* to, const char* from, int64_t bytes) {
  constexpr int64_t width = sizeof(vec<float>);
  int64_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    for (int64_t part = 0; part < 64; part += width) {
      const auto value = vec<float>::load_unaligned(reinterpret_cast<const float*>(from + i + part));
      float* const at = reinterpret_cast<float*>(to + i + part);
#if defined(__AVX512F__)
      _mm512_stream_ps(at, value);
#elif defined(__AVX2__)
      _mm256_stream_ps(at, value);
#else
      _mm_stream_ps(at, value);
#endif
    }
  }
  __builtin_memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

inline void end_stream() { _mm_sfence(); }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

// a * b + c in one rounding where the processor has it. xsimd 8.1 has no such instruction of AVX-512: its fma there is
// a product and a sum.
#pragma once

#include "batches.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512F__)
inline vec<float> multiply_add(vec<float> a, vec<float> b, vec<float> c) { return _mm512_fmadd_ps(a, b, c); }
inline vec<double> multiply_add(vec<double> a, vec<double> b, vec<double> c) { return _mm512_fmadd_pd(a, b, c); }
#else
template <typename T>
T multiply_add(T a, T b, T c) {
  return xsimd::fma(a, b, c);
}
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

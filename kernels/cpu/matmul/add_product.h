// The multiply-adds of micro-kernels: sum + a * b of elements, and of pairs of bfloat16 elements.
#pragma once

#include "multiply_add.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

struct add_product {
  template <typename T>
  static vec<T> of(vec<T> a, vec<T> b, vec<T> sum) {
    return multiply_add(a, b, sum);
  }
};
#if defined(__AVX512F__)
struct add_pair {
  [[gnu::target("avx512bf16")]] static vec<float> of(vec<float> a, vec<float> b, vec<float> sum) {
    return _mm512_dpbf16_ps(sum, (__m512bh)a.data, (__m512bh)b.data);
  }
};
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

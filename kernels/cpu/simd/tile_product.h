// The product of two small matrices in cache: out = a b or out += a b, in register tiles.
#pragma once

#include "multiply_add.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// b and out are padded to whole registers; a is read by element. Leading dimensions are in elements.
template <typename T>
struct tile_operands {
  const T* a;
  const T* b;
  T* out;
  int64_t a_row, b_row, out_row;
};

template <typename T, int Rows, int Vectors>
void product_block(const tile_operands<T>& t, int64_t depth, bool adds) {
  constexpr int64_t width = vec<T>::size;
  vec<T> sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      sum[r][v] = adds ? vec<T>::load_unaligned(t.out + r * t.out_row + v * width) : vec<T>(T(0));
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    vec<T> b[Vectors];
    for (int v = 0; v < Vectors; ++v) b[v] = vec<T>::load_unaligned(t.b + k * t.b_row + v * width);
    for (int r = 0; r < Rows; ++r) {
      const vec<T> a(t.a[r * t.a_row + k]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = multiply_add<T>(a, b[v], sum[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) sum[r][v].store_unaligned(t.out + r * t.out_row + v * width);
  }
}

#if defined(__AVX512F__)
constexpr int product_rows = 6, product_vectors = 4;
#else
constexpr int product_rows = 4, product_vectors = 2;
#endif

template <typename T, int Vectors>
void product_columns(tile_operands<T> t, int64_t rows, int64_t depth, bool adds) {
  for (; rows >= product_rows; rows -= product_rows) {
    product_block<T, product_rows, Vectors>(t, depth, adds);
    t.a += product_rows * t.a_row;
    t.out += product_rows * t.out_row;
  }
  for (; rows > 0; --rows) {
    product_block<T, 1, Vectors>(t, depth, adds);
    t.a += t.a_row;
    t.out += t.out_row;
  }
}

// out[rows][vectors] from a[rows][depth] and b[depth][vectors], where `vectors` counts SIMD registers.
template <typename T>
void tile_product(tile_operands<T> t, int64_t rows, int64_t vectors, int64_t depth, bool adds) {
  constexpr int64_t width = vec<T>::size;
  for (; vectors >= product_vectors; vectors -= product_vectors) {
    product_columns<T, product_vectors>(t, rows, depth, adds);
    t.b += product_vectors * width;
    t.out += product_vectors * width;
  }
  for (; vectors > 0; --vectors) {
    product_columns<T, 1>(t, rows, depth, adds);
    t.b += width;
    t.out += width;
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

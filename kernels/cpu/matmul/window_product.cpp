#include "matmul/window_product.h"

#include <utility>

#include "matmul/add_product.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename Add, typename T, int Rows, int Vectors>
[[gnu::always_inline]] inline void tile(const window_product<T>& product, int64_t first) {
  constexpr int64_t width = vector_width<T>;
  vec<T> sum[Rows][Vectors];
  for (auto& row : sum) {
    for (auto& s : row) s = vec<T>(T(0));
  }
  const T* from[Vectors];
  for (int v = 0; v < Vectors; ++v) from[v] = product.from[first + v];
  // One base pointer per three rows: one pointer or offset per row would need too many registers.
  const T* weights[(Rows + 2) / 3];
  const int64_t row = product.weight_row, depth = product.depth;
  for (int g = 0; g < (Rows + 2) / 3; ++g) weights[g] = product.weights + 3 * g * row;
  const int64_t* const offset = product.offset;
  for (int64_t p = 0; p < depth; ++p) {
    const int64_t at = offset[p];
    vec<T> window[Vectors];
    for (int v = 0; v < Vectors; ++v) window[v] = vec<T>::load_unaligned(from[v] + at);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      const vec<T> weight(weights[r / 3][p + r % 3 * row]);
#pragma clang loop unroll(full)
      for (int v = 0; v < Vectors; ++v) sum[r][v] = Add::of(weight, window[v], sum[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    T* const to = product.sums + r * product.sums_row + first * width;
    for (int v = 0; v < Vectors; ++v) {
      (product.add ? vec<T>::load_unaligned(to + v * width) + sum[r][v] : sum[r][v]).store_unaligned(to + v * width);
    }
  }
}

template <typename T, int Rows, int Vectors>
void multiply_tile(const window_product<T>& product, int64_t first) {
  tile<add_product, T, Rows, Vectors>(product, first);
}

// Indexed by registers - 1 and rows - 1.
template <typename T>
using tile_fn = void (*)(const window_product<T>&, int64_t first);
template <typename T>
struct tile_table {
  tile_fn<T> of[tile_vectors][tile_rows];

  template <int... I>
  explicit constexpr tile_table(std::integer_sequence<int, I...>)
      : of{{&multiply_tile<T, I + 1, 1>...}, {&multiply_tile<T, I + 1, 2>...}} {}
};
template <typename T>
constexpr tile_table<T> tiles(std::make_integer_sequence<int, tile_rows>{});

#if defined(__AVX512F__)
template <int Rows, int Vectors>
[[gnu::target("avx512bf16")]] void multiply_pairs_tile(const window_product<float>& product, int64_t first) {
  tile<add_pair, float, Rows, Vectors>(product, first);
}

struct pair_tile_table {
  tile_fn<float> of[tile_vectors][tile_rows];

  template <int... I>
  explicit constexpr pair_tile_table(std::integer_sequence<int, I...>)
      : of{{&multiply_pairs_tile<I + 1, 1>...}, {&multiply_pairs_tile<I + 1, 2>...}} {}
};
constexpr pair_tile_table pair_tiles(std::make_integer_sequence<int, tile_rows>{});
#endif

template <typename T, typename Tiles>
void multiply(const Tiles& all, const window_product<T>& product) {
  for (int64_t first = 0; first < product.registers; first += tile_vectors) {
    const int64_t vectors = product.registers - first < tile_vectors ? product.registers - first : tile_vectors;
    all.of[vectors - 1][product.rows - 1](product, first);
  }
}

}  // namespace

void multiply_windows(const window_product<float>& product) { multiply(tiles<float>, product); }
void multiply_windows(const window_product<double>& product) { multiply(tiles<double>, product); }
#if defined(__AVX512F__)
void multiply_window_pairs(const window_product<float>& product) { multiply(pair_tiles, product); }
#endif

}  // namespace tb_cpu::TOPBIT_ARCH

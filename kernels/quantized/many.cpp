// Products with more rows of x: rows of w are dequantized to the cache, in the order of x, and multiplied with all rows
// of x by a register tile of dot products.
#include "matmul.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

// The tile: rows of x, rows of w. Vectors along the columns need no transposition of w.
#if defined(__AVX512F__)
constexpr int tile_m = 6;
#elif defined(__AVX2__)
constexpr int tile_m = 3;
#else
constexpr int tile_m = 2;
#endif
constexpr int tile_n = 4;

// Columns at a time: tile_n rows of them and tile_m rows of x fit into the first-level cache.
constexpr int64_t part = 1024;
// Rows of x at a time, whose sums wait for the next columns.
constexpr int64_t most_rows = 192;

using sums_of_row = float[tile_n];

template <int M>
void add_tile(const float* x, int64_t x_row, const float* values, int64_t columns, sums_of_row* sums) {
  floats total[M][tile_n] = {};
  for (int64_t p = 0; p < columns; p += width) {
    floats w[tile_n];
#pragma clang loop unroll(full)
    for (int j = 0; j < tile_n; ++j) w[j] = load<floats>(values + j * part + p);
#pragma clang loop unroll(full)
    for (int i = 0; i < M; ++i) {
      const floats factor = load<floats>(x + i * x_row + p);
#pragma clang loop unroll(full)
      for (int j = 0; j < tile_n; ++j) total[i][j] = multiply_add(factor, w[j], total[i][j]);
    }
  }
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < tile_n; ++j) sums[i][j] += sum_of_lanes(total[i][j]);
  }
}

template <int GroupsPerChunk>
void dequantize_chunk(const uint8_t* codes, const float* scales, const float* offsets, bool minimum, float* to) {
  const words packed = load<words>(codes);
  const floats table = code_table(0), scale = spread<GroupsPerChunk>(scales), offset = spread<GroupsPerChunk>(offsets);
#pragma clang loop unroll(full)
  for (int v = 0; v < 8; ++v) {
    const floats code = low_codes(packed >> unsigned(4 * v), table);
    store(to + v * width, minimum ? code * scale + offset : (code - offset) * scale);
  }
}

}  // namespace

void dequantize_ordered(const tb_quantized& w, int64_t row, int64_t first, int64_t count, float* to) {
  int64_t done = 0;
  if (w.bits == 4 && has_simple_groups(w)) {
    const uint8_t* const codes = codes_of(w, row) + first / 2;
    const bool minimum = w.offset == TB_OFFSET_MINIMUM;
    const int64_t first_group = first / w.group;
    parameters p;
    p.load_groups(w, row, first_group, (first + count - 1) / w.group - first_group + 1);
    for (; done + chunk <= count; done += chunk) {
      const int64_t group = (first + done) / w.group - first_group;
      const float *const scales = p.scales + group, *const offsets = p.offsets + group;
      if (w.group >= chunk || w.group >= w.columns) {
        dequantize_chunk<1>(codes + done / 2, scales, offsets, minimum, to + done);
      }
#if defined(__AVX2__)
      else if (w.group * 2 == chunk) {
        dequantize_chunk<2>(codes + done / 2, scales, offsets, minimum, to + done);
      }
#endif
#if defined(__AVX512F__)
      else {
        dequantize_chunk<4>(codes + done / 2, scales, offsets, minimum, to + done);
      }
#endif
    }
  }
  if (done == count) return;
  if (w.bits == 8) {
    dequantize_part(w, row, first, count, to);
    for (int64_t p = count; p < padded(count); ++p) to[p] = 0;
    return;
  }
  for (; done < count; done += chunk) {
    float natural[chunk] = {};
    dequantize_part(w, row, first + done, smaller(chunk, count - done), natural);
    for (int64_t p = 0; p < chunk; ++p) to[done + p] = natural[column_of(4, p)];
  }
}

void multiply_many(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  const tb_quantized& w = call.w;
  const int64_t x_row = padded(w.columns);
  float values[tile_n * part];
  sums_of_row sums[most_rows];
  for (int64_t row = begin; row < end; row += tile_n) {
    const int64_t rows = smaller(tile_n, end - row);
    for (int64_t m = 0; m < call.m; m += most_rows) {
      const int64_t m_count = smaller(most_rows, call.m - m);
      memset(sums, 0, sizeof sums);
      for (int64_t from = 0; from < w.columns; from += part) {
        const int64_t n = smaller(part, w.columns - from);
        // Fewer rows than a tile has: the last one again, whose sums are not used.
        for (int64_t j = 0; j < tile_n; ++j) {
          dequantize_ordered(w, row + smaller(j, rows - 1), from, n, values + j * part);
        }
        const float* const x = static_cast<const float*>(call.workspace) + m * x_row + from;
        int64_t i = 0;
        for (; i + tile_m <= m_count; i += tile_m) add_tile<tile_m>(x + i * x_row, x_row, values, padded(n), sums + i);
        for (; i < m_count; ++i) add_tile<1>(x + i * x_row, x_row, values, padded(n), sums + i);
      }
      for (int64_t i = 0; i < m_count; ++i) {
        for (int64_t j = 0; j < rows; ++j) store_result(call, m + i, row + j, sums[i][j]);
      }
    }
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

// Products with up to four rows of x, which should take the time to read w: each code is read once, converted in
// registers and multiplied with all rows of x, which stay in the cache.
#include "matmul.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

// Columns of odd groups that are dequantized at a time.
constexpr int64_t part = 1024;
static_assert(part % chunk == 0);

// What one row of w needs besides codes: value = code * factors + terms, each sum of a group times `scales`. Without
// offsets values are codes, less 8 for 4 bits.
struct row_parameters {
  parameters given;
  float factors[most_groups + width];

  void load_groups(const tb_quantized& w, int64_t row, int64_t first, int64_t count) {
    given.load_groups(w, row, first, count);
    if (w.offset == TB_OFFSET_NONE) return;
    for (int64_t g = 0; g < count + width / 4; ++g) {
      const bool minimum = w.offset == TB_OFFSET_MINIMUM;
      factors[g] = minimum ? given.scales[g] : 1;
      given.offsets[g] = minimum ? given.offsets[g] : -given.offsets[g];
      given.scales[g] = minimum ? 1 : given.scales[g];
    }
  }
};

// The sum over one chunk of a row, added to `sums` for each row of x. Codes of 8 bits have their groups one after the
// other, those of 4 bits side by side in the lanes.
template <int Bits, int GroupsPerChunk, bool HasOffsets, int M>
[[gnu::always_inline]] inline void add_chunk(const uint8_t* codes, const float* const (&x)[M], int64_t first,
                                             const row_parameters& p, int64_t group, floats table, floats* sums) {
  constexpr int runs = Bits == 8 ? GroupsPerChunk : 1, vectors = 8 / runs;
  words packed{};
  if constexpr (Bits == 4) packed = load<words>(codes);
#pragma clang loop unroll(full)
  for (int run = 0; run < runs; ++run) {
    constexpr int groups = Bits == 8 ? 1 : GroupsPerChunk;
    floats factor{}, term{};
    if constexpr (HasOffsets) {
      factor = spread<groups>(p.factors + group + run);
      term = spread<groups>(p.given.offsets + group + run);
    }
    floats even[M] = {}, odd[M] = {};
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; ++v) {
      const int position = run * vectors + v;
      floats value;
      if constexpr (Bits == 4) {
        value = low_codes(packed >> unsigned(4 * position), table);
      } else {
        value = byte_codes(reinterpret_cast<const int8_t*>(codes) + position * width);
      }
      if constexpr (HasOffsets) value = multiply_add(value, factor, term);
#pragma clang loop unroll(full)
      for (int i = 0; i < M; ++i) {
        floats& sum = v % 2 == 0 ? even[i] : odd[i];
        sum = multiply_add(value, load<floats>(x[i] + first + position * width), sum);
      }
    }
    const floats scale = spread<groups>(p.given.scales + group + run);
#pragma clang loop unroll(full)
    for (int i = 0; i < M; ++i) sums[i] = multiply_add(even[i] + odd[i], scale, sums[i]);
  }
}

// `rows` and call.m are at most Rows and M. In place of those that are missing the last one is used again, and its
// results are not stored.
template <int Bits, int GroupsPerChunk, bool HasOffsets, int M, int Rows>
void multiply_rows(const tb_quantized_matmul& call, int64_t row, int64_t rows) {
  constexpr int64_t chunk_bytes = chunk * Bits / 8;
  const tb_quantized& w = call.w;
  const int64_t whole = w.columns / chunk, groups = groups_of(w);
  const int64_t chunks_per_group = w.group >= w.columns ? whole + 1 : w.group / chunk;
  const floats table = code_table(!HasOffsets && Bits == 4 ? -8.0f : 0.0f);
  const float* x[M];
  for (int i = 0; i < M; ++i) {
    x[i] = static_cast<const float*>(call.workspace) + smaller(i, call.m - 1) * padded(w.columns);
  }
  const uint8_t* codes[Rows];
  for (int r = 0; r < Rows; ++r) codes[r] = codes_of(w, row + smaller(r, rows - 1));
  row_parameters p[Rows];
  const auto load_groups = [&](int64_t first) {
    const int64_t count = smaller(most_groups, groups - first);
    for (int r = 0; r < Rows; ++r) p[r].load_groups(w, row + smaller(r, rows - 1), first, count);
  };

  floats sums[Rows][M] = {};
  int64_t first_group = -most_groups, in_group = 0, group = 0;
  for (int64_t c = 0; c < whole; ++c) {
    if (group >= first_group + most_groups) load_groups(first_group = group);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      const uint8_t* const from = codes[r] + c * chunk_bytes;
      // The processor's own prefetching ends with a page, which one row may fill: this asks for the rows that come
      // next.
      __builtin_prefetch(from + Rows * w.row_bytes, 0, 2);
      if constexpr (chunk_bytes > 64) __builtin_prefetch(from + Rows * w.row_bytes + 64, 0, 2);
      add_chunk<Bits, GroupsPerChunk, HasOffsets, M>(from, x, c * chunk, p[r], group - first_group, table, sums[r]);
    }
    if constexpr (GroupsPerChunk > 1) {
      group += GroupsPerChunk;
    } else if (++in_group == chunks_per_group) {
      in_group = 0;
      ++group;
    }
  }
  if (const int64_t rest = w.columns - whole * chunk; rest != 0) {
    load_groups(group);
    for (int r = 0; r < Rows; ++r) {
      uint8_t last[chunk_bytes] = {};
      memcpy(last, codes[r] + whole * chunk_bytes, size_t((rest * Bits + 7) / 8));
      add_chunk<Bits, GroupsPerChunk, HasOffsets, M>(last, x, whole * chunk, p[r], 0, table, sums[r]);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < call.m; ++i) store_result(call, i, row + r, sum_of_lanes(sums[r][i]));
  }
}

template <int Bits, int GroupsPerChunk, bool HasOffsets, int M, int Rows>
void multiply_range(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; row += Rows) {
    multiply_rows<Bits, GroupsPerChunk, HasOffsets, M, Rows>(call, row, smaller(Rows, end - row));
  }
}

template <int Bits, int GroupsPerChunk, bool HasOffsets>
void choose_rows(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  switch (call.m) {
    case 1: return multiply_range<Bits, GroupsPerChunk, HasOffsets, 1, Bits == 4 ? 4 : 2>(call, begin, end);
    case 2: return multiply_range<Bits, GroupsPerChunk, HasOffsets, 2, 2>(call, begin, end);
    default: return multiply_range<Bits, GroupsPerChunk, HasOffsets, 4, 2>(call, begin, end);
  }
}

template <int Bits, int GroupsPerChunk>
void choose_offsets(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  if (call.w.offset == TB_OFFSET_NONE) return choose_rows<Bits, GroupsPerChunk, false>(call, begin, end);
  choose_rows<Bits, GroupsPerChunk, true>(call, begin, end);
}

template <int Bits>
void choose_groups(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  if (call.w.group >= call.w.columns || call.w.group % chunk == 0) return choose_offsets<Bits, 1>(call, begin, end);
#if defined(__AVX2__)
  if (call.w.group * 2 == chunk) return choose_offsets<Bits, 2>(call, begin, end);
#endif
#if defined(__AVX512F__)
  if (call.w.group * 4 == chunk) return choose_offsets<Bits, 4>(call, begin, end);
#endif
}

// Groups that do not fit chunks: dequantizes part of a row, then multiplies.
void multiply_odd_groups(const tb_quantized_matmul& call, int64_t row) {
  const tb_quantized& w = call.w;
  const float* const x = static_cast<const float*>(call.workspace);
  floats sums[TB_QUANTIZED_FEW] = {};
  float values[part];
  for (int64_t from = 0; from < w.columns; from += part) {
    const int64_t n = smaller(part, w.columns - from);
    dequantize_ordered(w, row, from, n, values);
    for (int64_t p = 0; p < padded(n); p += width) {
      for (int64_t i = 0; i < call.m; ++i) {
        const floats factor = load<floats>(x + i * padded(w.columns) + from + p);
        sums[i] = multiply_add(load<floats>(values + p), factor, sums[i]);
      }
    }
  }
  for (int64_t i = 0; i < call.m; ++i) store_result(call, i, row, sum_of_lanes(sums[i]));
}

}  // namespace

void multiply_few(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  if (!has_simple_groups(call.w)) {
    for (int64_t row = begin; row < end; ++row) multiply_odd_groups(call, row);
  } else if (call.w.bits == 4) {
    choose_groups<4>(call, begin, end);
  } else {
    choose_groups<8>(call, begin, end);
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

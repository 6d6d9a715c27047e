// Products of 8-bit codes: exact sums of products in I32, of at most `longest` at a time, so that no sum overflows,
// then scaled in F32. Every instruction set gives the same bits.
//
// A step is 4 bytes of a row: 4 codes, where the processor multiplies bytes and adds four products at once, or 2 codes
// of 16 bits. A panel holds some steps of some rows of w, transposed, so that each lane of a vector has its own row of
// w and a step of x is broadcast. Columns with the same parameters, a piece, begin with a new step.
#include "matmul.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512VNNI__)
typedef uint8_t stored;  // a code of x plus 128; the instruction multiplies unsigned by signed bytes
typedef int8_t panel_code;
constexpr bool biased = true;
#else
typedef int16_t stored;  // a code of x minus its zero point
typedef int16_t panel_code;
constexpr bool biased = false;
#endif
constexpr int64_t per_step = 4 / sizeof(stored);

// 255 * 255 * longest < 2^31
constexpr int64_t longest = 32768;

#if defined(__AVX512F__)
constexpr int tile_m = 8;
#else
constexpr int tile_m = 4;
#endif
constexpr int vectors = 2;
constexpr int64_t tile_n = vectors * width;

constexpr int64_t most_steps = 256, most_pieces = 32, most_rows = 128;

int64_t steps_of(int64_t columns) { return (columns + per_step - 1) / per_step; }

// The end of the piece that has this column.
int64_t piece_end(const tb_quantized& w, int64_t column) {
  const int64_t group = column / w.group * w.group, begin = group + (column - group) / longest * longest;
  const int64_t left = w.columns - group;
  const int64_t group_end = w.group < left ? group + w.group : w.columns;
  return smaller(begin + longest, group_end);
}

struct layout {
  int64_t pieces = 0, steps = 0;
  int64_t scales, shifts, sums, bytes;  // where each begins

  explicit layout(const tb_quantized_matmul& call) {
    for (int64_t column = 0; column < call.w.columns; ++pieces) {
      const int64_t end = piece_end(call.w, column);
      steps += steps_of(end - column);
      column = end;
    }
    scales = 4 * call.m * steps;
    shifts = scales + 4 * call.m;
    sums = shifts + 4 * call.m;
    bytes = sums + 4 * call.m * pieces;
  }
};

struct workspace {
  stored* codes;    // [m][steps][per_step]
  float* scales;    // [m]
  int32_t* shifts;  // [m]: what to subtract from each stored code of x, where they are biased
  int32_t* sums;    // [m][pieces]: of codes minus the zero point
  int64_t steps, pieces;

  explicit workspace(const tb_quantized_matmul& call) {
    const layout where(call);
    char* const begin = static_cast<char*>(call.workspace);
    codes = reinterpret_cast<stored*>(begin);
    scales = reinterpret_cast<float*>(begin + where.scales);
    shifts = reinterpret_cast<int32_t*>(begin + where.shifts);
    sums = reinterpret_cast<int32_t*>(begin + where.sums);
    steps = where.steps;
    pieces = where.pieces;
  }
};

// ---- Steps

ints multiply_step(ints sum, ints x, ints w) {
#if defined(__AVX512VNNI__)
  return ints(_mm512_dpbusd_epi32(__m512i(sum), __m512i(x), __m512i(w)));
#elif defined(__AVX512F__)
  return sum + ints(_mm512_madd_epi16(__m512i(x), __m512i(w)));
#elif defined(__AVX2__)
  return sum + ints(_mm256_madd_epi16(__m256i(x), __m256i(w)));
#elif defined(__SSE2__)
  return sum + ints(_mm_madd_epi16(__m128i(x), __m128i(w)));
#else
  return sum + (x << 16 >> 16) * (w << 16 >> 16) + (x >> 16) * (w >> 16);
#endif
}

// The first `steps` of a vector; the others are 0.
ints load_steps(const void* from, int64_t steps) {
  if (steps >= width) return load<ints>(from);
#if defined(__AVX512F__)
  return ints(_mm512_maskz_loadu_epi32(__mmask16((1u << unsigned(steps)) - 1), from));
#else
  ints some{};
  for (int64_t s = 0; s < steps; ++s) {
    int32_t step;
    memcpy(&step, static_cast<const char*>(from) + 4 * s, sizeof step);
    some[s] = step;
  }
  return some;
#endif
}

int32_t sum_of_lanes(ints v) { return __builtin_reduce_add(v); }

[[maybe_unused]] int32_t sum_of_codes(const panel_code* codes, int64_t steps) {
  // A one in each code of a step.
  constexpr int32_t ones = biased ? 0x01010101 : 0x00010001;
  ints sum{};
  for (int64_t s = 0; s < steps; s += width) {
    sum = multiply_step(sum, ints{} + ones, load_steps(codes + s * per_step, steps - s));
  }
  return sum_of_lanes(sum);
}

// ---- x

constexpr int64_t block = 256;

// max|x| / 127, or NaN for a row with NaN or infinity.
float dynamic_scale(const char* x, int32_t dtype, int64_t columns) {
  float greatest = 0, defects = 0, values[block];
  for (int64_t from = 0; from < columns; from += block) {
    const int64_t n = smaller(block, columns - from);
    load_floats(x, dtype, from, n, values);
    for (int64_t j = 0; j < n; ++j) {
      const float magnitude = __builtin_fabsf(values[j]);
      greatest = magnitude > greatest ? magnitude : greatest;
      defects = values[j] - values[j] == 0 ? defects : 1;
    }
  }
  return defects == 0 ? greatest / 127 : __builtin_nanf("");
}

void round_codes(const float* x, float scale, int64_t count, int8_t* codes) {
  for (int64_t j = 0; j < count; ++j) {
    float q = x[j] / scale;
    q = q < -127 ? -127 : q;
    q = q > 127 ? 127 : q;
    codes[j] = int8_t(rounded(q == q ? q : 0));
  }
}

// Codes of one row of x, asked for from left to right.
struct code_reader {
  const tb_quantized_matmul& call;
  const char* x;
  float scale;
  float values[block];
  int8_t codes[block];

  const int8_t* read(int64_t column, int64_t count) {
    if (call.input == TB_INPUT_CODES) return reinterpret_cast<const int8_t*>(x) + column;
    load_floats(x, call.dtype, column, count, values);
    round_codes(values, scale, count, codes);
    return codes;
  }
};

// ---- w

struct panel {
  alignas(64) panel_code codes[most_steps][tile_n][per_step];
  struct segment {
    int64_t steps, columns;
    int64_t group;  // after the first one of the panel
    int64_t piece;
    bool ends_piece;
  } segments[most_pieces];
  int64_t count;                                  // of segments
  int64_t columns;                                // of all segments
  bool is_contiguous;                             // no segment but the last one is padded
  alignas(64) int32_t sums[most_pieces][tile_n];  // of codes, where x is biased
  alignas(64) float scales[most_pieces][tile_n];
  alignas(64) float minima[most_pieces][tile_n];
  alignas(64) int32_t zero_points[most_pieces][tile_n];
};

// Columns [first, first + count) of a row, then zeros up to a whole step. Codes of 4 bits without offsets become -8
// to 7.
void unpack(const tb_quantized& w, int64_t row, int64_t first, int64_t count, panel_code* to) {
  const uint8_t* const codes = codes_of(w, row);
  if (w.bits == 8) {
    const int8_t* const from = reinterpret_cast<const int8_t*>(codes) + first;
    for (int64_t j = 0; j < count; ++j) to[j] = from[j];
  } else {
    const panel_code zero = w.offset == TB_OFFSET_NONE ? 8 : 0;
    int64_t j = 0;
    if (first % 2 != 0) to[j++] = panel_code((codes[first / 2] >> 4) - zero);
    for (const uint8_t* from = codes + (first + j) / 2; j + 2 <= count; j += 2, ++from) {
      to[j] = panel_code((*from & 15) - zero);
      to[j + 1] = panel_code((*from >> 4) - zero);
    }
    if (j < count) to[j] = panel_code((codes[(first + j) / 2] & 15) - zero);
  }
  for (int64_t j = count; j < steps_of(count) * per_step; ++j) to[j] = 0;
}

typedef uint32_t four __attribute__((vector_size(16)));

// Steps of four rows into the panel, four steps at a time.
void transpose(const panel_code (*rows)[most_steps * per_step], int64_t steps, int64_t lane, panel& p) {
  for (int64_t s = 0; s < steps; s += 4) {
    const four a = load<four>(rows[0] + s * per_step), b = load<four>(rows[1] + s * per_step);
    const four c = load<four>(rows[2] + s * per_step), d = load<four>(rows[3] + s * per_step);
    const four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(p.codes[s][lane], __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store(p.codes[s + 1][lane], __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store(p.codes[s + 2][lane], __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5));
    store(p.codes[s + 3][lane], __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7));
  }
}

// Fills the segments of a panel from a column on; returns the column behind them.
int64_t plan_segments(const tb_quantized& w, int64_t column, int64_t& piece, panel& p) {
  const int64_t first_group = column / w.group;
  const int64_t first = column;
  int64_t steps = 0;
  for (p.count = 0; p.count < most_pieces && column < w.columns && steps < most_steps; ++p.count) {
    const int64_t end = piece_end(w, column), left = (most_steps - steps) * per_step;
    const int64_t n = smaller(end - column, left);
    p.segments[p.count] = {steps_of(n), n, column / w.group - first_group, piece, column + n == end};
    steps += steps_of(n);
    column += n;
    if (column == end) ++piece;
  }
  p.columns = column - first;
  p.is_contiguous = true;
  for (int64_t s = 0; s + 1 < p.count; ++s) {
    p.is_contiguous = p.is_contiguous && p.segments[s].columns % per_step == 0;
  }
  return column;
}

void load_lane(const tb_quantized& w, int64_t row, int64_t column, int64_t lane, panel_code* to, panel& p) {
  float scales[most_pieces], offsets[most_pieces];
  load_parameters(w, row, column / w.group, p.segments[p.count - 1].group + 1, scales, offsets);
  // Short pieces are unpacked together: the loop's vectors are longer than they are.
  if (p.is_contiguous) unpack(w, row, column, p.columns, to);
  for (int64_t s = 0; s < p.count; ++s) {
    const panel::segment& segment = p.segments[s];
    if (!p.is_contiguous) unpack(w, row, column, segment.columns, to);
    if constexpr (biased) p.sums[s][lane] = sum_of_codes(to, segment.steps);
    const float offset = offsets[segment.group];
    p.scales[s][lane] = scales[segment.group];
    p.minima[s][lane] = w.offset == TB_OFFSET_MINIMUM ? offset : 0;
    p.zero_points[s][lane] = w.offset == TB_OFFSET_ZERO_POINT ? int32_t(offset) : 0;
    column += segment.columns;
    to += segment.steps * per_step;
  }
}

void load_panel(const tb_quantized& w, int64_t row, int64_t rows, int64_t first, panel& p) {
  int64_t steps = 0;
  for (int64_t s = 0; s < p.count; ++s) steps += p.segments[s].steps;
  panel_code codes[4][most_steps * per_step];
  for (int64_t lane = 0; lane < tile_n; lane += 4) {
    // Fewer rows than lanes: the last one again, whose sums are not used.
    for (int64_t r = 0; r < 4; ++r) {
      load_lane(w, row + smaller(lane + r, rows - 1), first, lane + r, codes[r], p);
      for (int64_t j = steps * per_step; j < (steps + 3) / 4 * 4 * per_step; ++j) codes[r][j] = 0;
    }
    transpose(codes, steps, lane, p);
  }
}

// ---- Products

struct results {
  alignas(64) int32_t open[most_rows][tile_n];  // of the piece that the last panel did not end
  alignas(64) float sums[most_rows][tile_n];
};

template <int M>
void add_tile(const workspace& x, int64_t row, int64_t step, const panel& p, bool minimum, int32_t (*open)[tile_n],
              float (*sums)[tile_n]) {
  ints total[M][vectors];
  for (int i = 0; i < M; ++i) {
    for (int v = 0; v < vectors; ++v) total[i][v] = load<ints>(open[i] + v * width);
  }
  const stored* const codes = x.codes + (row * x.steps + step) * per_step;
  int64_t done = 0;
  for (int64_t s = 0; s < p.count; ++s) {
    const panel::segment& segment = p.segments[s];
    for (const int64_t end = done + segment.steps; done < end; ++done) {
#pragma clang loop unroll(full)
      for (int i = 0; i < M; ++i) {
        uint32_t step_of_x;
        memcpy(&step_of_x, codes + (i * x.steps + done) * per_step, sizeof step_of_x);
        const ints factor = ints(words{} + step_of_x);
#pragma clang loop unroll(full)
        for (int v = 0; v < vectors; ++v) {
          total[i][v] = multiply_step(total[i][v], factor, load<ints>(p.codes[done][v * width]));
        }
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < M; ++i) {
      const int32_t shift = x.shifts[row + i], x_sum = x.sums[(row + i) * x.pieces + segment.piece];
#pragma clang loop unroll(full)
      for (int v = 0; v < vectors; ++v) {
        ints& sum = total[i][v];
        if constexpr (biased) sum -= load<ints>(p.sums[s] + v * width) * shift;
        if (!segment.ends_piece) continue;
        sum -= load<ints>(p.zero_points[s] + v * width) * x_sum;
        floats scaled = __builtin_convertvector(sum, floats) * load<floats>(p.scales[s] + v * width);
        if (minimum) scaled += load<floats>(p.minima[s] + v * width) * float(x_sum);
        store(sums[i] + v * width, load<floats>(sums[i] + v * width) + scaled);
        sum = ints{};
      }
    }
  }
  for (int i = 0; i < M; ++i) {
    for (int v = 0; v < vectors; ++v) store(open[i] + v * width, total[i][v]);
  }
}

// ---- Few rows of x: no panel, but dot products of a row of x with one of w, part by part

// Up to so many rows of x, and pieces from this length on: a sum of lanes per piece must not matter.
constexpr int64_t few_rows = 4, least_piece = 256;

// sums[i] += the products of `steps` steps of w with those of row i of x, for m rows; less the shifts of x.
void add_products(const workspace& x, int64_t m, int64_t first_step, const panel_code* w, int64_t steps,
                  int32_t* sums) {
  ints total[few_rows] = {}, codes_sum{};
  for (int64_t s = 0; s < steps; s += width) {
    const ints codes = load_steps(w + s * per_step, steps - s);
    if constexpr (biased) codes_sum = multiply_step(codes_sum, ints{} + 0x01010101, codes);
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < few_rows; ++i) {
      if (i == m) break;
      const stored* const from = x.codes + (i * x.steps + first_step + s) * per_step;
      total[i] = multiply_step(total[i], load_steps(from, steps - s), codes);
    }
  }
  const int32_t shifted = biased ? sum_of_lanes(codes_sum) : 0;
  for (int64_t i = 0; i < m; ++i) sums[i] += sum_of_lanes(total[i]) - (biased ? shifted * x.shifts[i] : 0);
}

void multiply_row(const tb_quantized_matmul& call, const workspace& x, int64_t row) {
  const tb_quantized& w = call.w;
  panel_code unpacked[most_steps * per_step];
  float results[few_rows] = {};
  for (int64_t column = 0, step = 0, piece = 0; column < w.columns; ++piece) {
    const int64_t end = piece_end(w, column);
    int32_t sums[few_rows] = {};
    float scale, offset;
    load_parameters(w, row, column / w.group, 1, &scale, &offset);
    while (column < end) {
      const bool in_place = biased && w.bits == 8 && (end - column) % per_step == 0;
      const int64_t n = in_place ? end - column : smaller(end - column, most_steps * per_step);
      const panel_code* codes = reinterpret_cast<const panel_code*>(codes_of(w, row)) + column;
      if (!in_place) {
        unpack(w, row, column, n, unpacked);
        codes = unpacked;
      }
      add_products(x, call.m, step, codes, steps_of(n), sums);
      column += n;
      step += steps_of(n);
    }
    for (int64_t i = 0; i < call.m; ++i) {
      const int32_t x_sum = x.sums[i * x.pieces + piece];
      if (w.offset == TB_OFFSET_ZERO_POINT) sums[i] -= int32_t(offset) * x_sum;
      float scaled = float(sums[i]) * scale;
      if (w.offset == TB_OFFSET_MINIMUM) scaled += offset * float(x_sum);
      results[i] += scaled;
    }
  }
  for (int64_t i = 0; i < call.m; ++i) store_result(call, i, row, results[i] * x.scales[i]);
}

}  // namespace

size_t integer_workspace(const tb_quantized_matmul& call) { return size_t(layout(call).bytes); }

void prepare_integers(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  const workspace to(call);
  const int64_t columns = call.w.columns;
  for (int64_t i = begin; i < end; ++i) {
    const int32_t dtype = call.input == TB_INPUT_CODES ? int32_t(TB_I8) : call.dtype;
    const int64_t parameter = call.x_parameters == 1 ? 0 : i;
    code_reader reader{call, element(call.x, dtype, i * call.x_row), 0, {}, {}};
    int32_t zero_point = 0;
    if (call.input == TB_INPUT_CODES) {
      to.scales[i] = call.x_scales[parameter];
      if (call.x_zero_points != nullptr) zero_point = call.x_zero_points[parameter];
    } else {
      to.scales[i] = reader.scale = dynamic_scale(reader.x, dtype, columns);
    }
    to.shifts[i] = 128 + zero_point;
    const int32_t added = biased ? 128 : -zero_point;
    stored* codes = to.codes + i * to.steps * per_step;
    int32_t* sum = to.sums + i * to.pieces;
    for (int64_t column = 0; column < columns; ++sum) {
      const int64_t piece = piece_end(call.w, column) - column;
      *sum = -int32_t(piece) * zero_point;
      for (int64_t done = 0; done < piece; done += block) {
        const int64_t n = smaller(block, piece - done);
        const int8_t* const from = reader.read(column + done, n);
        for (int64_t j = 0; j < n; ++j) codes[done + j] = stored(from[j] + added);
        for (int64_t j = 0; j < n; ++j) *sum += from[j];
      }
      for (int64_t j = piece; j < steps_of(piece) * per_step; ++j) codes[j] = 0;
      codes += steps_of(piece) * per_step;
      column += piece;
    }
  }
}

void multiply_integers(const tb_quantized_matmul& call, int64_t begin, int64_t end) {
  const workspace x(call);
  const tb_quantized& w = call.w;
  const bool minimum = w.offset == TB_OFFSET_MINIMUM;
  if (call.m <= few_rows && smaller(w.group, w.columns) >= least_piece) {
    for (int64_t row = begin; row < end; ++row) multiply_row(call, x, row);
    return;
  }
  panel p;
  results r;
  for (int64_t row = begin; row < end; row += tile_n) {
    const int64_t rows = smaller(tile_n, end - row);
    for (int64_t m = 0; m < call.m; m += most_rows) {
      const int64_t count = smaller(most_rows, call.m - m);
      memset(&r, 0, sizeof r);
      for (int64_t column = 0, piece = 0, step = 0; column < w.columns;) {
        const int64_t first = column;
        column = plan_segments(w, column, piece, p);
        load_panel(w, row, rows, first, p);
        int64_t i = 0;
        for (; i + tile_m <= count; i += tile_m) add_tile<tile_m>(x, m + i, step, p, minimum, r.open + i, r.sums + i);
        for (; i < count; ++i) add_tile<1>(x, m + i, step, p, minimum, r.open + i, r.sums + i);
        for (int64_t s = 0; s < p.count; ++s) step += p.segments[s].steps;
      }
      for (int64_t i = 0; i < count; ++i) {
        const float scale = x.scales[m + i];
        for (int64_t j = 0; j < rows; ++j) r.sums[i][j] *= scale;
        for (int64_t j = 0; j < rows; ++j) store_result(call, m + i, row + j, r.sums[i][j]);
      }
    }
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

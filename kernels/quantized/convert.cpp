// Quantization and dequantization: one read and one write of the elements, in blocks of columns whose parameters are
// converted first.
#include "lanes.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

// Columns at a time. A multiple of every usual group; even, since it must not split a byte.
constexpr int64_t block = 256;

struct parameters {
  float scales[block], offsets[block];
};

void unpack(const uint8_t* from, int64_t count, int8_t* to) {
  const int64_t pairs = count / 2;
  for (int64_t i = 0; i < pairs; ++i) {
    to[2 * i] = int8_t(from[i] & 15);
    to[2 * i + 1] = int8_t(from[i] >> 4);
  }
  if (count % 2 != 0) to[count - 1] = int8_t(from[pairs] & 15);
}

void pack(const int8_t* from, int64_t count, uint8_t* to) {
  const int64_t pairs = count / 2;
  for (int64_t i = 0; i < pairs; ++i) to[i] = uint8_t(from[2 * i] | from[2 * i + 1] << 4);
  if (count % 2 != 0) to[pairs] = uint8_t(from[count - 1]);
}

// Calls part(i, n, group) for each run of n columns from column first + i on that is in one group.
template <typename F>
void for_each_group(const tb_quantized& w, int64_t first, int64_t count, F part) {
  const int64_t first_group = first / w.group;
  for (int64_t i = 0; i < count;) {
    const int64_t group = (first + i) / w.group;
    const int64_t n = smaller(count, (group + 1) * w.group - first) - i;
    part(i, n, group - first_group);
    i += n;
  }
}

void load_block(const tb_quantized& w, int64_t row, int64_t first, int64_t count, parameters& p) {
  const int64_t group = first / w.group;
  load_parameters(w, row, group, (first + count - 1) / w.group - group + 1, p.scales, p.offsets);
}

template <typename T>
void dequantize_block(const tb_quantized& w, const parameters& p, int64_t first, int64_t count, const int8_t* codes,
                      T* out) {
  const bool minimum = w.offset == TB_OFFSET_MINIMUM;
  if (w.group == 1) {
    for (int64_t j = 0; j < count; ++j) {
      const T scale = T(p.scales[j]), offset = T(p.offsets[j]);
      out[j] = minimum ? T(codes[j]) * scale + offset : (T(codes[j]) - offset) * scale;
    }
    return;
  }
  for_each_group(w, first, count, [&](int64_t i, int64_t n, int64_t group) {
    const T scale = T(p.scales[group]), offset = T(p.offsets[group]);
    if (minimum) {
      for (int64_t j = i; j < i + n; ++j) out[j] = T(codes[j]) * scale + offset;
    } else {
      for (int64_t j = i; j < i + n; ++j) out[j] = (T(codes[j]) - offset) * scale;
    }
  });
}

// `first` is even for 4 bits.
template <typename T>
void dequantize_columns(const tb_quantized& w, int64_t row, int64_t first, int64_t count, T* out) {
  const uint8_t* const codes = codes_of(w, row);
  parameters p;
  int8_t unpacked[block];
  for (int64_t done = 0; done < count; done += block) {
    const int64_t from = first + done, n = smaller(block, count - done);
    load_block(w, row, from, n, p);
    const int8_t* block_codes = reinterpret_cast<const int8_t*>(codes) + from;
    if (w.bits == 4) {
      unpack(codes + from / 2, n, unpacked);
      block_codes = unpacked;
    }
    dequantize_block(w, p, from, n, block_codes, out + done);
  }
}

void dequantize_row(const tb_dequantize& call, int64_t row, int64_t out_row) {
  void* const out = element(call.out, call.dtype, out_row * call.out_row);
  if (call.dtype == TB_F32) return dequantize_columns(call.from, row, 0, call.from.columns, static_cast<float*>(out));
  if (call.dtype == TB_F64) return dequantize_columns(call.from, row, 0, call.from.columns, static_cast<double*>(out));
  float values[block];
  for (int64_t j = 0; j < call.from.columns; j += block) {
    const int64_t n = smaller(block, call.from.columns - j);
    dequantize_columns(call.from, row, j, n, values);
    store_floats(values, call.dtype, n, element(out, call.dtype, j));
  }
}

// The range is clamped before it is rounded: its bounds are integers, so the result is the same, and it fits.
template <typename T>
int8_t code_of(T x, T inverse, T shift, T zero_point, T lowest, T highest) {
  T q = (x - shift) * inverse;
  q = q < lowest - zero_point ? lowest - zero_point : q;
  q = q > highest - zero_point ? highest - zero_point : q;
  // A NaN of any kind, also of a scale of 0: code `zero_point`, or the allowed one that is nearest.
  const T neutral = zero_point < lowest ? lowest - zero_point : zero_point > highest ? highest - zero_point : T(0);
  q = q == q ? q : neutral;
  return int8_t(rounded(q) + int32_t(zero_point));
}

template <typename T>
void quantize_block(const tb_quantize& call, const parameters& p, int64_t first, int64_t count, const T* x,
                    int8_t* codes) {
  const bool minimum = call.to.offset == TB_OFFSET_MINIMUM;
  const T lowest = T(call.lowest), highest = T(call.highest);
  for_each_group(call.to, first, count, [&](int64_t i, int64_t n, int64_t group) {
    const T scale = T(p.scales[group]), inverse = scale == 0 ? T(__builtin_nan("")) : T(1) / scale;
    const T shift = minimum ? T(p.offsets[group]) : T(0), zero_point = minimum ? T(0) : T(p.offsets[group]);
    for (int64_t j = i; j < i + n; ++j) codes[j] = code_of(x[j], inverse, shift, zero_point, lowest, highest);
  });
}

// Each column has its own parameters.
template <typename T>
void quantize_columns(const tb_quantize& call, const parameters& p, int64_t count, const T* x, int8_t* codes) {
  const bool minimum = call.to.offset == TB_OFFSET_MINIMUM;
  const T lowest = T(call.lowest), highest = T(call.highest);
  for (int64_t j = 0; j < count; ++j) {
    const T scale = T(p.scales[j]), inverse = scale == 0 ? T(__builtin_nan("")) : T(1) / scale;
    const T offset = T(p.offsets[j]);
    codes[j] = code_of(x[j], inverse, minimum ? offset : T(0), minimum ? T(0) : offset, lowest, highest);
  }
}

template <typename T>
void quantize_any(const tb_quantize& call, const parameters& p, int64_t first, int64_t count, const T* x,
                  int8_t* codes) {
  if (call.to.group == 1) return quantize_columns(call, p, count, x, codes);
  quantize_block(call, p, first, count, x, codes);
}

}  // namespace

void dequantize_part(const tb_quantized& w, int64_t row, int64_t first, int64_t count, float* out) {
  dequantize_columns(w, row, first, count, out);
}

void dequantize(const tb_dequantize* call, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) dequantize_row(*call, row, row);
}

void dequantize_rows(const tb_dequantize_rows* call, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) dequantize_row(call->call, call->index[i], i);
}

void quantize(const tb_quantize* call, int64_t begin, int64_t end) {
  const tb_quantized& to = call->to;
  parameters p;
  float converted[block];
  int8_t packed[block];
  for (int64_t row = begin; row < end; ++row) {
    uint8_t* const codes = static_cast<uint8_t*>(to.codes) + row * to.row_bytes;
    const char* const x = element(call->x, call->dtype, row * call->x_row);
    for (int64_t j = 0; j < to.columns; j += block) {
      const int64_t n = smaller(block, to.columns - j);
      load_block(to, row, j, n, p);
      int8_t* const block_codes = to.bits == 4 ? packed : reinterpret_cast<int8_t*>(codes) + j;
      if (call->dtype == TB_F64) {
        quantize_any(*call, p, j, n, reinterpret_cast<const double*>(x) + j, block_codes);
      } else if (call->dtype == TB_F32) {
        quantize_any(*call, p, j, n, reinterpret_cast<const float*>(x) + j, block_codes);
      } else {
        load_floats(x, call->dtype, j, n, converted);
        quantize_any(*call, p, j, n, converted, block_codes);
      }
      if (to.bits == 4) pack(packed, n, codes + j / 2);
    }
  }
}

void group_range(const tb_group_range* call, int64_t begin, int64_t end) {
  const int64_t groups = (call->columns + call->group - 1) / call->group;
  float converted[block];
  for (int64_t row = begin; row < end; ++row) {
    const char* const x = element(call->x, call->dtype, row * call->x_row);
    for (int64_t g = 0; g < groups; ++g) {
      float least = __builtin_inff(), greatest = -__builtin_inff();
      const int64_t last = smaller(call->columns, (g + 1) * call->group);
      for (int64_t j = g * call->group; j < last; j += block) {
        const int64_t n = smaller(block, last - j);
        const float* from = reinterpret_cast<const float*>(x) + j;
        if (call->dtype != TB_F32) {
          load_floats(x, call->dtype, j, n, converted);
          from = converted;
        }
        for (int64_t i = 0; i < n; ++i) {
          least = from[i] < least ? from[i] : least;
          greatest = from[i] > greatest ? from[i] : greatest;
        }
      }
      const bool found = least <= greatest;
      call->least[row * groups + g] = found ? least : 0.0f;
      call->greatest[row * groups + g] = found ? greatest : 0.0f;
    }
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

// Blocks of GGUF files: their quantization, and conversions between them and codes, scales and minima.
#include "lanes.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t length = TB_BLOCK_LENGTH, half_length = length / 2;

int64_t code_bytes(int32_t type) { return type == TB_BLOCK_Q8_0 ? length : half_length; }
int64_t block_bytes(int32_t type) {
  return type == TB_BLOCK_Q8_0   ? TB_BLOCK_Q8_0_BYTES
         : type == TB_BLOCK_Q4_1 ? TB_BLOCK_Q4_1_BYTES
                                 : TB_BLOCK_Q4_0_BYTES;
}
int64_t header_bytes(int32_t type) { return block_bytes(type) - code_bytes(type); }

// From elements j and j + 16 in byte j to elements 2i and 2i + 1 in byte i.
void neighbours(const uint8_t* from, uint8_t* to) {
  for (int64_t i = 0; i < half_length / 2; ++i) {
    to[i] = uint8_t((from[2 * i] & 15) | from[2 * i + 1] << 4);
    to[half_length / 2 + i] = uint8_t(from[2 * i] >> 4 | (from[2 * i + 1] & 0xf0));
  }
}
// And back.
void apart(const uint8_t* from, uint8_t* to) {
  for (int64_t i = 0; i < half_length / 2; ++i) {
    const uint8_t low = from[i], high = from[half_length / 2 + i];
    to[2 * i] = uint8_t((low & 15) | high << 4);
    to[2 * i + 1] = uint8_t(low >> 4 | (high & 0xf0));
  }
}

// 0 for scales that F16 rounds to 0 and whose reciprocal is infinite.
float reciprocal(float scale) {
  const float inverse = scale != 0 ? 1 / scale : 0;
  return __builtin_fabsf(inverse) < __builtin_inff() ? inverse : 0;
}

tb_kernel::half quantize_4(const float* x, uint8_t* codes) {
  float greatest = 0, extreme = 0;
  for (int64_t j = 0; j < length; ++j) {
    const float magnitude = __builtin_fabsf(x[j]);
    if (magnitude > greatest) {
      greatest = magnitude;
      extreme = x[j];
    }
  }
  const float scale = extreme / -8, inverse = reciprocal(scale);
  for (int64_t i = 0; i < half_length; ++i) {
    const auto code = [&](float value) {
      const float q = value * inverse + 8.5f;
      return q >= 15 ? 15 : q >= 0 ? int32_t(q) : 8;
    };
    codes[i] = uint8_t(code(x[2 * i]) | code(x[2 * i + 1]) << 4);
  }
  return tb_kernel::to_half(scale);
}

tb_kernel::half quantize_8(const float* x, int8_t* codes) {
  float greatest = 0;
  for (int64_t j = 0; j < length; ++j) {
    const float magnitude = __builtin_fabsf(x[j]);
    greatest = magnitude > greatest ? magnitude : greatest;
  }
  const float scale = greatest / 127, inverse = reciprocal(scale);
  for (int64_t j = 0; j < length; ++j) {
    // Half away from zero. Adding a half would round up the largest number below a half.
    const float product = x[j] * inverse, q = product == product ? product : 0, whole = float(int32_t(q)),
                rest = q - whole;
    codes[j] = int8_t(int32_t(whole) + (rest >= 0.5f) - (rest <= -0.5f));
  }
  return tb_kernel::to_half(scale);
}

}  // namespace

void quantize_blocks(const tb_quantize_blocks* call, int64_t begin, int64_t end) {
  auto* const codes = static_cast<uint8_t*>(call->codes);
  auto* const scales = static_cast<tb_kernel::half*>(call->scales);
  for (int64_t b = begin; b < end; ++b) {
    const float* const x = call->x + b * length;
    uint8_t* const to = codes + b * code_bytes(call->type);
    scales[b] = call->type == TB_BLOCK_Q8_0 ? quantize_8(x, reinterpret_cast<int8_t*>(to)) : quantize_4(x, to);
  }
}

void read_blocks(const tb_blocks* call, int64_t begin, int64_t end) {
  const int64_t bytes = block_bytes(call->type), codes = code_bytes(call->type), header = header_bytes(call->type);
  for (int64_t b = begin; b < end; ++b) {
    const uint8_t* const from = static_cast<const uint8_t*>(call->blocks) + b * bytes;
    uint8_t* const to = static_cast<uint8_t*>(call->codes) + b * codes;
    memcpy(static_cast<uint16_t*>(call->scales) + b, from, 2);
    if (call->type == TB_BLOCK_Q4_1) memcpy(static_cast<uint16_t*>(call->minima) + b, from + 2, 2);
    if (call->type == TB_BLOCK_Q8_0) {
      memcpy(to, from + header, length);
    } else {
      neighbours(from + header, to);
    }
  }
}

void write_blocks(const tb_blocks* call, int64_t begin, int64_t end) {
  const int64_t bytes = block_bytes(call->type), codes = code_bytes(call->type), header = header_bytes(call->type);
  for (int64_t b = begin; b < end; ++b) {
    uint8_t* const to = static_cast<uint8_t*>(call->blocks) + b * bytes;
    const uint8_t* const from = static_cast<const uint8_t*>(call->codes) + b * codes;
    memcpy(to, static_cast<const uint16_t*>(call->scales) + b, 2);
    if (call->type == TB_BLOCK_Q4_1) memcpy(to + 2, static_cast<const uint16_t*>(call->minima) + b, 2);
    if (call->type == TB_BLOCK_Q8_0) {
      memcpy(to + header, from, length);
    } else {
      apart(from, to + header);
    }
  }
}

}  // namespace tb_quantized_cpu::TOPBIT_ARCH

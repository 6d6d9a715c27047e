// Attention in the scalar build: one query at a time, in double: its scores, their softmax, and the weighted sum of
// values.
#pragma once

#include <math.h>

#include <limits>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t tile_queries = 1;

template <typename T>
int64_t attention_bytes(const tb_attention& a) {
  return a.keys * int64_t(sizeof(double));
}

template <typename T>
double score_of(const tb_attention& a, char* const* at, int64_t q, int64_t k) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  if (a.causal != 0 && k > q) return never;
  const T *const query = reinterpret_cast<const T*>(at[1]), *const key = reinterpret_cast<const T*>(at[2]);
  double score = 0;
  for (int64_t i = 0; i < a.width; ++i) {
    score += double(query[q * a.query.row + i * a.query.col]) * double(key[k * a.key.row + i * a.key.col]);
  }
  score *= a.scale;
  const int64_t offset = q * a.mask.row + k * a.mask.col;
  if (at[4] == nullptr) return score;
  if (a.mask_dtype == TB_BOOL) return at[4][offset] != 0 ? score : never;
  return score + double(reinterpret_cast<const T*>(at[4])[offset]);
}

template <typename T>
void attend(const tb_attention& a, char* const* at, int64_t q, void* memory) {
  double* const scores = static_cast<double*>(memory);
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t k = 0; k < a.keys; ++k) {
    scores[k] = score_of<T>(a, at, q, k);
    top = scores[k] > top ? scores[k] : top;
  }
  const double shift = top == -std::numeric_limits<double>::infinity() ? 0 : top;
  for (int64_t k = 0; k < a.keys; ++k) sum += scores[k] = ::exp(scores[k] - shift);
  T* const out = reinterpret_cast<T*>(at[0]) + q * a.out.row;
  const bool blind = sum == 0 && (at[4] != nullptr || a.keys == 0);
  for (int64_t c = 0; c < a.value_width; ++c) {
    double total = 0;
    for (int64_t k = 0; k < a.keys; ++k) {
      if (scores[k] == 0) continue;
      total += scores[k] * double(reinterpret_cast<const T*>(at[3])[k * a.value.row + c * a.value.col]);
    }
    out[c * a.out.col] = T(blind ? 0 : total / sum);
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

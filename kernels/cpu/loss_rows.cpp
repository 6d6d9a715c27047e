// The loss of a row of log-probabilities, given its label, and sums of such losses.
#include "layout.h"
#include "rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
T weight_of(const T* weight, int64_t label) {
  return weight == nullptr ? T(1) : weight[label];
}

template <typename T>
void nll(const rows_at& r) {
  const int64_t label = *r.as<const int64_t>(3);
  const bool ignored = label == r.number[0].i;
  const T weight = ignored ? T(0) : weight_of(r.as<const T>(4), label);
  *r.as<T>(0) = ignored ? T(0) : -r.as<const T>(2)[label] * weight;
  *r.as<T>(1) = weight;
}

template <typename T>
void nll_backward(const rows_at& r) {
  const int64_t label = *r.as<const int64_t>(2);
  T* const out = r.as<T>(0);
  for (int64_t i = 0; i < r.length[0]; ++i) out[i] = T(0);
  if (label != r.number[0].i) out[label] = -*r.as<const T>(1) * weight_of(r.as<const T>(3), label);
}

template <typename T>
void total(const rows_at& r) {
  const T *const losses = r.as<const T>(2), *const weights = r.as<const T>(3);
  double sum = 0, weight = 0;
  for (int64_t i = 0; i < r.length[2]; ++i) sum += double(losses[i]), weight += double(weights[i]);
  *r.as<T>(0) = T(r.number[0].i != 0 ? sum / weight : sum);
  *r.as<T>(1) = T(weight);
}

}  // namespace

rows_loop loss_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_NLL:
      return {
          .run = by_float(call, nll<float>, nll<double>), .whole = operand(3), .index = 3, .range = 2, .ignores = true};
    case TB_NLL_BACKWARD:
      return {.run = by_float(call, nll_backward<float>, nll_backward<double>),
              .whole = operand(2),
              .index = 2,
              .range = 0,
              .ignores = true};
    case TB_NLL_TOTAL: return {.run = by_float(call, total<float>, total<double>)};
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

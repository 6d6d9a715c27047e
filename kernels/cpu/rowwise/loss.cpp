// Negative log-likelihood and cross entropy of rows given their labels, their gradients, and totals of such losses.
#include "layout.h"
#include "loss_loops.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
T weight_of(const T* weight, int64_t label) {
  return weight == nullptr ? T(1) : weight[label];
}

template <typename T>
void nll(const rows_at& r) {
  for (int64_t i = 0; i < r.count; ++i) {
    const int64_t label = *r.as<const int64_t>(3, i);
    const bool ignored = label == r.number[0].i;
    const T weight = ignored ? T(0) : weight_of(r.as<const T>(4, i), label);
    *r.as<T>(0, i) = ignored ? T(0) : -r.as<const T>(2, i)[label] * weight;
    *r.as<T>(1, i) = weight;
  }
}

template <typename T>
void nll_backward(const rows_at& r) {
  for (int64_t i = 0; i < r.count; ++i) {
    const int64_t label = *r.as<const int64_t>(2, i);
    T* const out = r.as<T>(0, i);
    for (int64_t c = 0; c < r.length[0]; ++c) out[c] = T(0);
    if (label != r.number[0].i) out[label] = -*r.as<const T>(1, i) * weight_of(r.as<const T>(3, i), label);
  }
}

// Several partial sums, which the compiler vectorizes.
template <typename T>
double sum_in_double(const T* x, int64_t n) {
  constexpr int64_t many = 16;
  double sums[many] = {};
  int64_t i = 0;
  for (; i + many <= n; i += many) {
    for (int64_t k = 0; k < many; ++k) sums[k] += double(x[i + k]);
  }
  for (int64_t k = 0; i < n; ++i, ++k) sums[k] += double(x[i]);
  for (int64_t apart = many / 2; apart > 0; apart /= 2) {
    for (int64_t k = 0; k < apart; ++k) sums[k] += sums[k + apart];
  }
  return sums[0];
}

template <typename T>
void total(const rows_at& r) {
  const double sum = sum_in_double(r.as<const T>(2), r.length[2]);
  const double weight = sum_in_double(r.as<const T>(3), r.length[2]);
  *r.as<T>(0) = T(r.number[0].i != 0 ? sum / weight : sum);
  *r.as<T>(1) = T(weight);
}

// Describes the label operand of a loss: an I64 index into the row of operand `range`, which is checked.
rows_loop with_label(rows_loop loop, int label, int range) {
  loop.whole = operand(label);
  loop.index = label;
  loop.range = range;
  loop.ignores = true;
  return loop;
}

template <typename T>
rows_loop loss_loop(int32_t op) {
  constexpr int64_t least_rows = 8192;  // of which one element each is read
  switch (op) {
    case TB_NLL: return with_label({.run = nll<T>, .many = true, .least_rows = least_rows}, 3, 2);
    case TB_NLL_BACKWARD: return with_label({.run = nll_backward<T>, .many = true}, 2, 0);
    case TB_NLL_TOTAL: return {.run = total<T>};
    case TB_CROSS_ENTROPY: return with_label(cross_entropy_loop<T>(false), 3, 2);
    case TB_CROSS_ENTROPY_BACKWARD: return with_label(cross_entropy_loop<T>(true), 3, 0);
    default: return {};
  }
}

}  // namespace

rows_loop loss_rows(const tb_rowwise& call) {
  return call.compute == TB_F32   ? loss_loop<float>(call.op)
         : call.compute == TB_F64 ? loss_loop<double>(call.op)
                                  : rows_loop{};
}

}  // namespace tb_cpu::TOPBIT_ARCH

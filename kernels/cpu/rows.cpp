// The classifier's loss on dense [rows][cols] pictures, for one architecture: log_softmax, nll_loss, and their
// backward kernels. Labels are checked before anything is written.
#include <limits>

#include "batch_math.h"
#include "batches.h"
#include "layout.h"
#include "pairwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Sums f(i, lanes) over a row in vectors; f yields zeros in the lanes it was not asked for.
template <typename T, typename F>
T sum_over(int64_t cols, F f) {
  constexpr int64_t width = vec<T>::size;
  return pairwise<512>(0, cols, [f](int64_t first, int64_t count) {
    vec<T> part(T(0));
    int64_t i = 0;
    for (; i + width <= count; i += width) part = part + f(first + i, width);
    if (i < count) part = part + f(first + i, count - i);
    return sum_of_lanes<T>(part);
  });
}

template <typename T>
vec<T> load_lanes(const T* at, int64_t lanes, T rest) {
  return lanes == int64_t(vec<T>::size) ? vec<T>::load_unaligned(at) : load_part(at, lanes, rest);
}

template <typename T>
void store_lanes(T* at, int64_t lanes, vec<T> value) {
  if (lanes == int64_t(vec<T>::size)) {
    value.store_unaligned(at);
  } else {
    store_part(at, lanes, value);
  }
}

// Calls visit(i, lanes) for each vector of a row, the last one perhaps short.
template <typename T, typename Visit>
void each_vector(int64_t cols, Visit visit) {
  constexpr int64_t width = vec<T>::size;
  int64_t i = 0;
  for (; i + width <= cols; i += width) visit(i, width);
  if (i < cols) visit(i, cols - i);
}

// A NaN may be missed by the maximum; it comes back through the sum. Lanes past the end are -inf, whose exp is 0.
template <typename T>
void log_softmax_row(const T* in, T* out, int64_t cols) {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  vec<T> greatest(lowest);
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    const auto x = load_lanes(in + i, lanes, lowest);
    greatest = xsimd::select(x > greatest, x, greatest);
  });
  alignas(64) T each[vec<T>::size];
  greatest.store_aligned(each);
  T top = each[0];
  for (const T x : each) top = x > top ? x : top;

  const vec<T> shift(top);
  const T sum =
      sum_over<T>(cols, [=](int64_t i, int64_t lanes) { return exp<T>(load_lanes(in + i, lanes, lowest) - shift); });
  const vec<T> log_sum = log<T>(vec<T>(sum));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    store_lanes<T>(out + i, lanes, load_lanes(in + i, lanes, lowest) - shift - log_sum);
  });
}

template <typename T>
void log_softmax_backward_row(const T* gradient, const T* result, T* out, int64_t cols) {
  const vec<T> sum(sum_over<T>(cols, [=](int64_t i, int64_t lanes) { return load_lanes(gradient + i, lanes, T(0)); }));
  each_vector<T>(cols, [&](int64_t i, int64_t lanes) {
    const auto probability = exp<T>(load_lanes(result + i, lanes, T(0)));
    store_lanes<T>(out + i, lanes, load_lanes(gradient + i, lanes, T(0)) - probability * sum);
  });
}

template <typename T>
tb_status log_softmax_as(const tb_rows& rows) {
  const T* in = static_cast<const T*>(rows.in);
  T* out = static_cast<T*>(rows.out);
  for (int64_t r = 0; r < rows.rows; ++r) log_softmax_row(in + r * rows.cols, out + r * rows.cols, rows.cols);
  return TB_OK;
}

template <typename T>
tb_status log_softmax_backward_as(const tb_rows& rows) {
  const T* gradient = static_cast<const T*>(rows.in);
  const T* result = static_cast<const T*>(rows.aux);
  T* out = static_cast<T*>(rows.out);
  for (int64_t r = 0; r < rows.rows; ++r) {
    const int64_t at = r * rows.cols;
    log_softmax_backward_row(gradient + at, result + at, out + at, rows.cols);
  }
  return TB_OK;
}

bool labels_fit(const tb_rows& rows) {
  const int64_t* labels = static_cast<const int64_t*>(rows.aux);
  for (int64_t r = 0; r < rows.rows; ++r) {
    if (labels[r] < 0 || labels[r] >= rows.cols) return false;
  }
  return true;
}

template <typename T>
tb_status nll_loss_as(const tb_rows& rows) {
  if (!labels_fit(rows)) return TB_BAD_INDEX;
  const T* in = static_cast<const T*>(rows.in);
  const int64_t* labels = static_cast<const int64_t*>(rows.aux);
  const double sum = pairwise<512>(0, rows.rows, [&](int64_t first, int64_t count) {
    double part = 0;
    for (int64_t r = first; r < first + count; ++r) part += double(in[r * rows.cols + labels[r]]);
    return part;
  });
  *static_cast<T*>(rows.out) = T(-sum / double(rows.rows));
  return TB_OK;
}

template <typename T>
tb_status nll_loss_backward_as(const tb_rows& rows) {
  if (!labels_fit(rows)) return TB_BAD_INDEX;
  const int64_t* labels = static_cast<const int64_t*>(rows.aux);
  T* out = static_cast<T*>(rows.out);
  for (int64_t i = 0; i < rows.rows * rows.cols; ++i) out[i] = T(0);
  for (int64_t r = 0; r < rows.rows; ++r) {
    out[r * rows.cols + labels[r]] = -*static_cast<const T*>(rows.in) / T(rows.rows);
  }
  return TB_OK;
}

}  // namespace

tb_status log_softmax(const tb_rows* rows, void*) {
  switch (rows->dtype) {
    case TB_F32: return log_softmax_as<float>(*rows);
    case TB_F64: return log_softmax_as<double>(*rows);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status log_softmax_backward(const tb_rows* rows, void*) {
  switch (rows->dtype) {
    case TB_F32: return log_softmax_backward_as<float>(*rows);
    case TB_F64: return log_softmax_backward_as<double>(*rows);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status nll_loss(const tb_rows* rows, void*) {
  switch (rows->dtype) {
    case TB_F32: return nll_loss_as<float>(*rows);
    case TB_F64: return nll_loss_as<double>(*rows);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status nll_loss_backward(const tb_rows* rows, void*) {
  switch (rows->dtype) {
    case TB_F32: return nll_loss_backward_as<float>(*rows);
    case TB_F64: return nll_loss_backward_as<double>(*rows);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

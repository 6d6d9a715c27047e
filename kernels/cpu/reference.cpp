// The kernels that are written with vectors, as plain loops for the reference. They share no code with the vector
// kernels, so that they cannot be wrong together.
//
// Floating point sums are accumulated in double.
#include <math.h>

#include <limits>
#include <type_traits>

#include "arch.h"
#include "layout.h"

namespace tb_cpu::reference {
namespace {

template <typename Visit>
tb_status with_float(int32_t dtype, Visit visit) {
  if (dtype == TB_F32) return visit(float());
  if (dtype == TB_F64) return visit(double());
  return TB_UNSUPPORTED_DTYPE;
}

}  // namespace

template <typename T>
static void matmul_of(const tb_matmul& product) {
  using total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
  const auto number = [](tb_scalar x) { return std::is_floating_point_v<T> ? total(T(x.f)) : total(x.i); };
  const total alpha = number(product.alpha);
  const total beta = number(product.beta);
  for (int64_t at = 0; at < product.batch; ++at) {
    for (int64_t i = 0; i < product.m; ++i) {
      for (int64_t j = 0; j < product.n; ++j) {
        const T* a = static_cast<const T*>(product.a) + at * product.a_batch + i * product.a_row;
        const T* b = static_cast<const T*>(product.b) + at * product.b_batch + j * product.b_col;
        total sum = 0;
        for (int64_t p = 0; p < product.k; ++p) sum += total(a[p * product.a_col]) * total(b[p * product.b_row]);
        T* out = static_cast<T*>(product.out) + at * product.out_batch + i * product.out_row + j * product.out_col;
        *out = T(beta == 0 ? alpha * sum : beta * total(*out) + alpha * sum);
      }
    }
  }
}

tb_status matmul(const tb_matmul* product, void*) {
  switch (product->dtype) {
    case TB_I64: matmul_of<int64_t>(*product); return TB_OK;
    case TB_F32: matmul_of<float>(*product); return TB_OK;
    case TB_F64: matmul_of<double>(*product); return TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status log_softmax(const tb_rows* rows, void*) {
  return with_float(rows->dtype, [&]<typename T>(T) {
    for (int64_t r = 0; r < rows->rows; ++r) {
      const T* in = static_cast<const T*>(rows->in) + r * rows->cols;
      T* out = static_cast<T*>(rows->out) + r * rows->cols;
      double top = -std::numeric_limits<double>::infinity();
      for (int64_t c = 0; c < rows->cols; ++c) top = in[c] > top ? double(in[c]) : top;
      double sum = 0;
      for (int64_t c = 0; c < rows->cols; ++c) sum += exp(double(in[c]) - top);
      for (int64_t c = 0; c < rows->cols; ++c) out[c] = T(double(in[c]) - top - log(sum));
    }
    return TB_OK;
  });
}

tb_status log_softmax_backward(const tb_rows* rows, void*) {
  return with_float(rows->dtype, [&]<typename T>(T) {
    for (int64_t r = 0; r < rows->rows; ++r) {
      const T* gradient = static_cast<const T*>(rows->in) + r * rows->cols;
      const T* result = static_cast<const T*>(rows->aux) + r * rows->cols;
      T* out = static_cast<T*>(rows->out) + r * rows->cols;
      double sum = 0;
      for (int64_t c = 0; c < rows->cols; ++c) sum += double(gradient[c]);
      for (int64_t c = 0; c < rows->cols; ++c) out[c] = T(double(gradient[c]) - exp(double(result[c])) * sum);
    }
    return TB_OK;
  });
}

static bool labels_fit(const tb_rows& rows) {
  const int64_t* labels = static_cast<const int64_t*>(rows.aux);
  for (int64_t r = 0; r < rows.rows; ++r) {
    if (labels[r] < 0 || labels[r] >= rows.cols) return false;
  }
  return true;
}

tb_status nll_loss(const tb_rows* rows, void*) {
  return with_float(rows->dtype, [&]<typename T>(T) {
    if (!labels_fit(*rows)) return TB_BAD_INDEX;
    const int64_t* labels = static_cast<const int64_t*>(rows->aux);
    double sum = 0;
    for (int64_t r = 0; r < rows->rows; ++r) {
      sum -= double(static_cast<const T*>(rows->in)[r * rows->cols + labels[r]]);
    }
    *static_cast<T*>(rows->out) = T(sum / double(rows->rows));
    return TB_OK;
  });
}

tb_status nll_loss_backward(const tb_rows* rows, void*) {
  return with_float(rows->dtype, [&]<typename T>(T) {
    if (!labels_fit(*rows)) return TB_BAD_INDEX;
    const int64_t* labels = static_cast<const int64_t*>(rows->aux);
    T* out = static_cast<T*>(rows->out);
    for (int64_t r = 0; r < rows->rows; ++r) {
      for (int64_t c = 0; c < rows->cols; ++c) {
        out[r * rows->cols + c] = c == labels[r] ? -*static_cast<const T*>(rows->in) / T(rows->rows) : T(0);
      }
    }
    return TB_OK;
  });
}

}  // namespace tb_cpu::reference

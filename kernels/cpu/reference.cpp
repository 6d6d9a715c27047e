// Every kernel as a plain loop: the baseline for processors without a table of their own, and the oracle for the
// others. Readable first. It shares no code with the vector kernels, so that they cannot be wrong together.
//
// Floating point sums are accumulated in double.
#include <math.h>

#include <limits>
#include <type_traits>

#include "candidates.h"
#include "layout.h"

namespace tb_cpu::reference {
namespace {

using byte = uint8_t;  // a BOOL element: 0 or 1

int64_t element_count(const tb_plan& plan) {
  int64_t count = 1;
  for (int d = 0; d < plan.ndim; ++d) count *= plan.sizes[d];
  return count;
}

// The element of an operand at a position of the plan, dimension 0 counting fastest.
template <typename T>
T& element(const tb_plan& plan, int operand, int64_t position) {
  int64_t offset = 0;
  for (int d = 0; d < plan.ndim; ++d) {
    offset += position % plan.sizes[d] * plan.operand[operand].strides[d];
    position /= plan.sizes[d];
  }
  return static_cast<T*>(plan.operand[operand].data)[offset];
}

// Calls visit with a value of the C++ type that stands for dtype.
template <typename Visit>
tb_status with_type(int32_t dtype, Visit visit) {
  switch (dtype) {
    case TB_BOOL: return visit(byte());
    case TB_I64: return visit(int64_t());
    case TB_F32: return visit(float());
    case TB_F64: return visit(double());
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

template <typename Visit>
tb_status with_float(int32_t dtype, Visit visit) {
  if (dtype == TB_F32) return visit(float());
  if (dtype == TB_F64) return visit(double());
  return TB_UNSUPPORTED_DTYPE;
}

bool same_dtypes(const tb_plan& plan) {
  for (int o = 1; o < plan.operands; ++o) {
    if (plan.operand[o].dtype != plan.operand[0].dtype) return false;
  }
  return true;
}

template <typename T>
T scalar_as(tb_scalar value) {
  if constexpr (std::is_same_v<T, byte>) return value.i != 0 || value.f != 0;
  if constexpr (std::is_same_v<T, int64_t>) return value.i;
  return T(value.f);
}

template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<To, byte>) return x != 0;
  if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    const bool fits = x >= From(-0x1p63) && x < From(0x1p63);
    return fits ? int64_t(x) : INT64_MIN;
  }
  return To(x);
}

template <typename T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return isnan(x);
  return false;
}

// Integers wrap: unsigned numbers do in C++, signed ones do not.
template <typename T>
T add(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>) return T(uint64_t(a) + uint64_t(b));
  return T(a + b);
}

template <typename T>
T multiply(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>) return T(uint64_t(a) * uint64_t(b));
  return T(a * b);
}

template <typename T>
T negate(T x) {
  if constexpr (std::is_same_v<T, int64_t>) return T(0 - uint64_t(x));
  return T(-x);
}

tb_status fill(const tb_plan* plan, tb_scalar value, void*) {
  return with_type(plan->operand[0].dtype, [&]<typename T>(T) {
    for (int64_t i = 0; i < element_count(*plan); ++i) element<T>(*plan, 0, i) = scalar_as<T>(value);
    return TB_OK;
  });
}

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void*) {
  return with_type(plan->operand[0].dtype, [&]<typename T>(T) {
    if constexpr (std::is_same_v<T, byte>) return TB_UNSUPPORTED_DTYPE;
    for (int64_t i = 0; i < plan->sizes[0]; ++i) {
      T& out = element<T>(*plan, 0, i);
      if constexpr (std::is_same_v<T, int64_t>) {
        out = add(start.i, multiply(i, step.i));
      } else {
        out = T(start.f + double(i) * step.f);
      }
    }
    return TB_OK;
  });
}

tb_status copy(const tb_plan* plan, void*) {
  return with_type(plan->operand[0].dtype, [&]<typename To>(To) {
    return with_type(plan->operand[1].dtype, [&]<typename From>(From) {
      for (int64_t i = 0; i < element_count(*plan); ++i) {
        element<To>(*plan, 0, i) = convert<To>(element<From>(*plan, 1, i));
      }
      return TB_OK;
    });
  });
}

tb_status unary(tb_unary_op op, const tb_plan* plan, void*) {
  if (!same_dtypes(*plan) || plan->operand[0].dtype == TB_BOOL) return TB_UNSUPPORTED_DTYPE;
  if ((op == TB_EXP || op == TB_LOG) && plan->operand[0].dtype == TB_I64) return TB_UNSUPPORTED_DTYPE;
  return with_type(plan->operand[0].dtype, [&]<typename T>(T) {
    for (int64_t i = 0; i < element_count(*plan); ++i) {
      const T x = element<T>(*plan, 1, i);
      T& out = element<T>(*plan, 0, i);
      switch (op) {
        case TB_NEG: out = negate(x); break;
        case TB_EXP: out = T(exp(double(x))); break;
        case TB_LOG: out = T(log(double(x))); break;
        case TB_RELU: out = x <= 0 ? T(0) : x; break;
      }
    }
    return TB_OK;
  });
}

tb_status binary(tb_binary_op op, const tb_plan* plan, tb_scalar alpha, void*) {
  if (!same_dtypes(*plan)) return TB_UNSUPPORTED_DTYPE;
  const int32_t dtype = plan->operand[0].dtype;
  if (dtype == TB_BOOL && op != TB_ADD && op != TB_MUL) return TB_UNSUPPORTED_DTYPE;
  if (dtype == TB_I64 && op == TB_DIV) return TB_UNSUPPORTED_DTYPE;
  return with_type(dtype, [&]<typename T>(T) {
    const T factor = scalar_as<T>(alpha);
    for (int64_t i = 0; i < element_count(*plan); ++i) {
      const T a = element<T>(*plan, 1, i);
      const T b = element<T>(*plan, 2, i);
      T& out = element<T>(*plan, 0, i);
      if constexpr (std::is_same_v<T, byte>) {
        out = op == TB_ADD ? (a | b) : (a & b);
        continue;
      }
      switch (op) {
        case TB_ADD: out = add(a, multiply(factor, b)); break;
        case TB_SUB: out = add(a, negate(multiply(factor, b))); break;
        case TB_MUL: out = multiply(a, b); break;
        case TB_DIV:
          if constexpr (std::is_floating_point_v<T>) out = a / b;
          break;
        case TB_RELU_BACKWARD: out = b > 0 ? a : T(0); break;
      }
    }
    return TB_OK;
  });
}

tb_status compare(tb_compare_op op, const tb_plan* plan, void*) {
  if (plan->operand[0].dtype != TB_BOOL || plan->operand[1].dtype != plan->operand[2].dtype) {
    return TB_UNSUPPORTED_DTYPE;
  }
  return with_type(plan->operand[1].dtype, [&]<typename T>(T) {
    for (int64_t i = 0; i < element_count(*plan); ++i) {
      const T a = element<T>(*plan, 1, i);
      const T b = element<T>(*plan, 2, i);
      byte& out = element<byte>(*plan, 0, i);
      switch (op) {
        case TB_EQ: out = a == b; break;
        case TB_NE: out = a != b; break;
        case TB_LT: out = a < b; break;
        case TB_LE: out = a <= b; break;
        case TB_GT: out = a > b; break;
        case TB_GE: out = a >= b; break;
      }
    }
    return TB_OK;
  });
}

// Calls visit(first, result): the first element of each reduced run and the index of its result.
template <typename Visit>
void each_run(const tb_reduce& reduce, Visit visit) {
  for (int64_t o = 0; o < reduce.outer; ++o) {
    for (int64_t c = 0; c < reduce.inner; ++c) {
      visit(o * reduce.length * reduce.inner + c, o * reduce.inner + c);
    }
  }
}

tb_status sum(const tb_reduce* reduce, void*) {
  return with_type(reduce->dtype, [&]<typename T>(T) {
    const T* in = static_cast<const T*>(reduce->in);
    using result = std::conditional_t<std::is_same_v<T, byte>, int64_t, T>;
    using total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
    each_run(*reduce, [&](int64_t first, int64_t out) {
      total sum = 0;
      for (int64_t l = 0; l < reduce->length; ++l) sum += total(in[first + l * reduce->inner]);
      static_cast<result*>(reduce->out)[out] = result(sum);
    });
    return TB_OK;
  });
}

tb_status argmax(const tb_reduce* reduce, void*) {
  return with_type(reduce->dtype, [&]<typename T>(T) {
    const T* in = static_cast<const T*>(reduce->in);
    each_run(*reduce, [&](int64_t first, int64_t out) {
      int64_t best = 0;
      for (int64_t l = 1; l < reduce->length; ++l) {
        const T x = in[first + l * reduce->inner];
        const T y = in[first + best * reduce->inner];
        const bool first_nan = is_nan(x) && !is_nan(y);
        if (x > y || first_nan) best = l;
      }
      static_cast<int64_t*>(reduce->out)[out] = best;
    });
    return TB_OK;
  });
}

tb_status matmul(const tb_matmul* product, void*) {
  return with_float(product->dtype, [&]<typename T>(T) {
    for (int64_t i = 0; i < product->m; ++i) {
      for (int64_t j = 0; j < product->n; ++j) {
        const T* a = static_cast<const T*>(product->a) + i * product->a_row;
        const T* b = static_cast<const T*>(product->b) + j * product->b_col;
        double sum = 0;
        for (int64_t p = 0; p < product->k; ++p) {
          sum += double(a[p * product->a_col]) * double(b[p * product->b_row]);
        }
        static_cast<T*>(product->out)[i * product->out_row + j] = T(sum);
      }
    }
    return TB_OK;
  });
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

bool labels_fit(const tb_rows& rows) {
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

}  // namespace

constinit const tb_kernels table = {
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "cpu/reference",
    .fill = fill,
    .arange = arange,
    .copy = copy,
    .unary = unary,
    .binary = binary,
    .compare = compare,
    .sum = sum,
    .argmax = argmax,
    .matmul = matmul,
    .log_softmax = log_softmax,
    .log_softmax_backward = log_softmax_backward,
    .nll_loss = nll_loss,
    .nll_loss_backward = nll_loss_backward,
    .last_error = nullptr,
};

}  // namespace tb_cpu::reference

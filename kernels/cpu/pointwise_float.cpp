// Pointwise operations in floating point alone: roots, exponentials, trigonometry, activations.
#include "float_functions.h"
#include "layout.h"
#include "pointwise.h"
#include "vector_loops.h"

namespace tb_cpu::TOPBIT_ARCH {

namespace fn = tb_kernel::fn;

loops float_loops(int32_t op) {
  switch (op) {
    case TB_EXP: return exp_loops();
    case TB_LOG: return log_loops();
    case TB_CEIL: return numbers_only<fn::ceil, 1>();
    case TB_FLOOR: return numbers_only<fn::floor, 1>();
    case TB_ROUND: return numbers_only<fn::round, 1>();
    case TB_TRUNC: return numbers_only<fn::trunc, 1>();
    case TB_FRAC: return floats<fn::frac, 1>();
    case TB_SQRT: return floats<fn::sqrt, 1>();
    case TB_RSQRT: return floats<fn::rsqrt, 1>();
    case TB_EXP2: return floats<fn::exp2, 1>();
    case TB_EXPM1: return floats<fn::expm1, 1>();
    case TB_LOG2: return floats<fn::log2, 1>();
    case TB_LOG10: return floats<fn::log10, 1>();
    case TB_LOG1P: return floats<fn::log1p, 1>();
    case TB_SIN: return floats<fn::sin, 1>();
    case TB_COS: return floats<fn::cos, 1>();
    case TB_TAN: return floats<fn::tan, 1>();
    case TB_ASIN: return floats<fn::asin, 1>();
    case TB_ACOS: return floats<fn::acos, 1>();
    case TB_ATAN: return floats<fn::atan, 1>();
    case TB_SINH: return floats<fn::sinh, 1>();
    case TB_COSH: return floats<fn::cosh, 1>();
    case TB_TANH: return floats<fn::tanh, 1>();
    case TB_ASINH: return floats<fn::asinh, 1>();
    case TB_ACOSH: return floats<fn::acosh, 1>();
    case TB_ATANH: return floats<fn::atanh, 1>();
    case TB_ERF: return floats<fn::erf, 1>();
    case TB_ERFC: return floats<fn::erfc, 1>();
    case TB_ERFINV: return floats<fn::erfinv, 1>();
    case TB_LGAMMA: return floats<fn::lgamma, 1>();
    case TB_DIGAMMA: return floats<fn::digamma, 1>();
    case TB_SIGMOID: return floats<fn::sigmoid, 1>();
    case TB_LOGIT: return floats<fn::logit, 1>();
    case TB_NAN_TO_NUM: return floats<fn::nan_to_num, 1>();
    case TB_SILU: return floats<fn::silu, 1>();
    case TB_GELU: return floats<fn::gelu, 1>();
    case TB_GELU_TANH: return floats<fn::gelu_tanh, 1>();
    case TB_SOFTPLUS: return floats<fn::softplus, 1>();
    case TB_ELU: return floats<fn::elu, 1>();
    case TB_LEAKY_RELU: return floats<fn::leaky_relu, 1>();
    case TB_MISH: return floats<fn::mish, 1>();
    case TB_HARDSWISH: return floats<fn::hardswish, 1>();
    case TB_HARDSIGMOID: return floats<fn::hardsigmoid, 1>();
    case TB_LOG_SIGMOID: return floats<fn::log_sigmoid, 1>();
    case TB_ATAN2: return floats<fn::atan2, 2>();
    case TB_HYPOT: return floats<fn::hypot, 2>();
    case TB_COPYSIGN: return floats<fn::copysign, 2>();
    case TB_LOGADDEXP: return floats<fn::logaddexp, 2>();
    case TB_XLOGY: return floats<fn::xlogy, 2>();
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

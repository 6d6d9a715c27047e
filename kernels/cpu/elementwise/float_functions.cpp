// Elementwise operations in floating point alone: roots, exponentials, trigonometry, activations; and powers.
#include "float_functions.h"
#include "elementwise/elementwise.h"
#include "layout.h"
#include "vector_loops.h"

namespace tb_cpu::TOPBIT_ARCH {

namespace fn = tb_kernel::fn;

namespace {

template <typename F, int Inputs>
constexpr loops best_loops_and_integers() {
  loops all = best_loops<F, Inputs>();
  all.integer = loop<F, int64_t, Inputs>;
  return all;
}

}  // namespace

namespace {

constexpr loops find(int32_t op) {
  switch (op) {
    case TB_EXP: return best_loops<fn::exp, 1>();
    case TB_LOG: return best_loops<fn::log, 1>();
    case TB_CEIL: return best_loops_and_integers<fn::ceil, 1>();
    case TB_FLOOR: return best_loops_and_integers<fn::floor, 1>();
    case TB_ROUND: return best_loops_and_integers<fn::round, 1>();
    case TB_TRUNC: return best_loops_and_integers<fn::trunc, 1>();
    case TB_FRAC: return best_loops<fn::frac, 1>();
    case TB_SQRT: return best_loops<fn::sqrt, 1>();
    case TB_RSQRT: return best_loops<fn::rsqrt, 1>();
    case TB_EXP2: return best_loops<fn::exp2, 1>();
    case TB_EXPM1: return best_loops<fn::expm1, 1>();
    case TB_LOG2: return best_loops<fn::log2, 1>();
    case TB_LOG10: return best_loops<fn::log10, 1>();
    case TB_LOG1P: return best_loops<fn::log1p, 1>();
    case TB_SIN: return best_loops<fn::sin, 1>();
    case TB_COS: return best_loops<fn::cos, 1>();
    case TB_TAN: return best_loops<fn::tan, 1>();
    case TB_ASIN: return best_loops<fn::asin, 1>();
    case TB_ACOS: return best_loops<fn::acos, 1>();
    case TB_ATAN: return best_loops<fn::atan, 1>();
    case TB_SINH: return best_loops<fn::sinh, 1>();
    case TB_COSH: return best_loops<fn::cosh, 1>();
    case TB_TANH: return best_loops<fn::tanh, 1>();
    case TB_ASINH: return best_loops<fn::asinh, 1>();
    case TB_ACOSH: return best_loops<fn::acosh, 1>();
    case TB_ATANH: return best_loops<fn::atanh, 1>();
    case TB_ERF: return best_loops<fn::erf, 1>();
    case TB_ERFC: return best_loops<fn::erfc, 1>();
    case TB_ERFINV: return best_loops<fn::erfinv, 1>();
    case TB_LGAMMA: return best_loops<fn::lgamma, 1>();
    case TB_DIGAMMA: return best_loops<fn::digamma, 1>();
    case TB_SIGMOID: return best_loops<fn::sigmoid, 1>();
    case TB_LOGIT: return best_loops<fn::logit, 1>();
    case TB_NAN_TO_NUM: return best_loops<fn::nan_to_num, 1>();
    case TB_SILU: return best_loops<fn::silu, 1>();
    case TB_GELU: return best_loops<fn::gelu, 1>();
    case TB_GELU_TANH: return best_loops<fn::gelu_tanh, 1>();
    case TB_SOFTPLUS: return best_loops<fn::softplus, 1>();
    case TB_ELU: return best_loops<fn::elu, 1>();
    case TB_LEAKY_RELU: return best_loops<fn::leaky_relu, 1>();
    case TB_MISH: return best_loops<fn::mish, 1>();
    case TB_HARDSWISH: return best_loops<fn::hardswish, 1>();
    case TB_HARDSIGMOID: return best_loops<fn::hardsigmoid, 1>();
    case TB_LOG_SIGMOID: return best_loops<fn::log_sigmoid, 1>();
    case TB_POW: return best_loops_and_integers<fn::pow, 2>();
    case TB_ATAN2: return best_loops<fn::atan2, 2>();
    case TB_HYPOT: return best_loops<fn::hypot, 2>();
    case TB_COPYSIGN: return best_loops<fn::copysign, 2>();
    case TB_LOGADDEXP: return best_loops<fn::logaddexp, 2>();
    case TB_XLOGY: return best_loops<fn::xlogy, 2>();
    default: return {};
  }
}

}  // namespace

constinit const loop_table float_loops = table_of(find);

}  // namespace tb_cpu::TOPBIT_ARCH

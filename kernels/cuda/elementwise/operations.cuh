// Which function an operation is, and which types it computes in: the kernels of every operation in one type.
#pragma once

#include "elementwise/elementwise.cuh"

namespace tb_cuda {

// Sizes of code: a small function is some instructions, a large one some hundred; of a huge one there are no vectors of
// halves.
enum class code { small, large, huge };

template <typename F, int Inputs, typename C, typename E, bool Large>
constexpr void add_kernels_over(passes& all, int32_t dtype) {
  all.over[dtype] = each_vector<F, Inputs, C, E, E, Large>;
  if constexpr (std::is_same_v<F, fn::where>) all.masked[dtype] = each_vector<F, Inputs, C, E, boolean, Large>;
}

template <typename F, int Inputs, typename C, code Size = code::small>
constexpr passes kernels_of() {
  constexpr bool large = Size != code::small;
  passes all;
  if constexpr (std::is_same_v<C, bool_t>) {
    add_kernels_over<F, Inputs, C, boolean, large>(all, TB_BOOL);
  } else if constexpr (std::is_same_v<C, int64_t>) {
    add_kernels_over<F, Inputs, C, int64_t, large>(all, TB_I64);
    add_kernels_over<F, Inputs, C, int32_t, large>(all, TB_I32);
  } else if constexpr (std::is_same_v<C, double>) {
    add_kernels_over<F, Inputs, C, double, large>(all, TB_F64);
  } else {
    add_kernels_over<F, Inputs, C, float, large>(all, TB_F32);
    if constexpr (Size != code::huge) {
      add_kernels_over<F, Inputs, C, half, large>(all, TB_F16);
      add_kernels_over<F, Inputs, C, bfloat16, large>(all, TB_BF16);
    }
  }
  all.any = each_element<F, Inputs, C>;
  all.inputs = Inputs;
  all.predicate = std::is_same_v<result_of<F, Inputs, C>, bool_t>;
  all.large = large;
  return all;
}

template <typename C>
inline constexpr bool is_real = std::is_floating_point_v<C>;
template <typename C>
inline constexpr bool is_number = !std::is_same_v<C, bool_t>;

template <typename C, typename F, int Inputs, code Size = code::small>
constexpr passes floats() {
  if constexpr (is_real<C>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}
template <typename C, typename F, int Inputs, code Size = code::small>
constexpr passes numbers_only() {
  if constexpr (is_number<C>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}
template <typename C, typename F, int Inputs>
constexpr passes everything() {
  return kernels_of<F, Inputs, C>();
}
template <typename C, typename F, int Inputs>
constexpr passes bits() {
  if constexpr (!is_real<C>)
    return kernels_of<F, Inputs, C>();
  else
    return {};
}
template <typename C, typename F, int Inputs>
constexpr passes integers() {
  if constexpr (std::is_same_v<C, int64_t>)
    return kernels_of<F, Inputs, C>();
  else
    return {};
}

// Of any number, of bits, and predicates.
template <typename C>
constexpr passes number_passes(int32_t op) {
  switch (op) {
    case TB_FILL: return everything<C, fn::fill, 0>();
    case TB_NEG: return numbers_only<C, fn::neg, 1>();
    case TB_ABS: return everything<C, fn::abs, 1>();
    case TB_SIGN: return everything<C, fn::sign, 1>();
    case TB_SQUARE: return numbers_only<C, fn::square, 1>();
    case TB_RELU: return numbers_only<C, fn::relu, 1>();
    case TB_CLAMP: return numbers_only<C, fn::clamp, 1>();
    case TB_RECIPROCAL: return floats<C, fn::reciprocal, 1>();
    case TB_BITWISE_NOT: return bits<C, fn::bitwise_not, 1>();
    case TB_LOGICAL_NOT: return everything<C, fn::logical_not, 1>();
    case TB_ISNAN: return everything<C, fn::isnan, 1>();
    case TB_ISINF: return everything<C, fn::isinf, 1>();
    case TB_ISFINITE: return everything<C, fn::isfinite, 1>();
    case TB_ADD: return everything<C, fn::add, 2>();
    case TB_SUB: return numbers_only<C, fn::sub, 2>();
    case TB_MUL: return everything<C, fn::mul, 2>();
    case TB_DIV: return floats<C, fn::div, 2>();
    case TB_DIV_FLOOR: return numbers_only<C, fn::div_floor, 2, code::large>();
    case TB_DIV_TRUNC: return numbers_only<C, fn::div_trunc, 2, code::large>();
    case TB_REMAINDER: return numbers_only<C, fn::remainder, 2, code::large>();
    case TB_FMOD: return numbers_only<C, fn::fmod, 2, code::large>();
    case TB_MAXIMUM: return everything<C, fn::maximum, 2>();
    case TB_MINIMUM: return everything<C, fn::minimum, 2>();
    case TB_FMAX: return everything<C, fn::fmax, 2>();
    case TB_FMIN: return everything<C, fn::fmin, 2>();
    case TB_THRESHOLD_BACKWARD: return numbers_only<C, fn::threshold_backward, 2>();
    case TB_HEAVISIDE: return everything<C, fn::heaviside, 2>();
    case TB_BITWISE_AND: return bits<C, fn::bitwise_and, 2>();
    case TB_BITWISE_OR: return bits<C, fn::bitwise_or, 2>();
    case TB_BITWISE_XOR: return bits<C, fn::bitwise_xor, 2>();
    case TB_SHIFT_LEFT: return integers<C, fn::shift_left, 2>();
    case TB_SHIFT_RIGHT: return integers<C, fn::shift_right, 2>();
    case TB_EQ: return everything<C, fn::eq, 2>();
    case TB_NE: return everything<C, fn::ne, 2>();
    case TB_LT: return everything<C, fn::lt, 2>();
    case TB_LE: return everything<C, fn::le, 2>();
    case TB_GT: return everything<C, fn::gt, 2>();
    case TB_GE: return everything<C, fn::ge, 2>();
    case TB_LOGICAL_AND: return everything<C, fn::logical_and, 2>();
    case TB_LOGICAL_OR: return everything<C, fn::logical_or, 2>();
    case TB_LOGICAL_XOR: return everything<C, fn::logical_xor, 2>();
    case TB_WHERE: return everything<C, fn::where, 3>();
    case TB_ADDCMUL: return numbers_only<C, fn::addcmul, 3>();
    case TB_ADDCDIV: return floats<C, fn::addcdiv, 3>();
    case TB_LERP: return floats<C, fn::lerp, 3>();
    default: return {};
  }
}

// Of floating point alone; and those that integers have beside.
template <typename C>
constexpr passes function_passes(int32_t op) {
  switch (op) {
    case TB_CEIL: return numbers_only<C, fn::ceil, 1>();
    case TB_FLOOR: return numbers_only<C, fn::floor, 1>();
    case TB_ROUND: return numbers_only<C, fn::round, 1, code::large>();
    case TB_TRUNC: return numbers_only<C, fn::trunc, 1>();
    case TB_FRAC: return floats<C, fn::frac, 1>();
    case TB_SQRT: return floats<C, fn::sqrt, 1>();
    case TB_RSQRT: return floats<C, fn::rsqrt, 1>();
    case TB_EXP: return floats<C, fn::exp, 1>();
    case TB_EXP2: return floats<C, fn::exp2, 1>();
    case TB_EXPM1: return floats<C, fn::expm1, 1>();
    case TB_LOG: return floats<C, fn::log, 1>();
    case TB_LOG2: return floats<C, fn::log2, 1>();
    case TB_LOG10: return floats<C, fn::log10, 1>();
    case TB_LOG1P: return floats<C, fn::log1p, 1>();
    case TB_SIN: return floats<C, fn::sin, 1, code::large>();
    case TB_COS: return floats<C, fn::cos, 1, code::large>();
    case TB_TAN: return floats<C, fn::tan, 1, code::large>();
    case TB_ASIN: return floats<C, fn::asin, 1>();
    case TB_ACOS: return floats<C, fn::acos, 1>();
    case TB_ATAN: return floats<C, fn::atan, 1>();
    case TB_SINH: return floats<C, fn::sinh, 1, code::large>();
    case TB_COSH: return floats<C, fn::cosh, 1, code::large>();
    case TB_TANH: return floats<C, fn::tanh, 1>();
    case TB_ASINH: return floats<C, fn::asinh, 1, code::large>();
    case TB_ACOSH: return floats<C, fn::acosh, 1, code::large>();
    case TB_ATANH: return floats<C, fn::atanh, 1, code::large>();
    case TB_ERF: return floats<C, fn::erf, 1>();
    case TB_ERFC: return floats<C, fn::erfc, 1, code::large>();
    case TB_ERFINV: return floats<C, fn::erfinv, 1, code::huge>();
    case TB_LGAMMA: return floats<C, fn::lgamma, 1, code::huge>();
    case TB_DIGAMMA: return floats<C, fn::digamma, 1, code::huge>();
    case TB_SIGMOID: return floats<C, fn::sigmoid, 1>();
    case TB_LOGIT: return floats<C, fn::logit, 1, code::large>();
    case TB_NAN_TO_NUM: return floats<C, fn::nan_to_num, 1>();
    case TB_SILU: return floats<C, fn::silu, 1>();
    case TB_GELU: return floats<C, fn::gelu, 1, code::large>();
    case TB_GELU_TANH: return floats<C, fn::gelu_tanh, 1>();
    case TB_SOFTPLUS: return floats<C, fn::softplus, 1, code::large>();
    case TB_ELU: return floats<C, fn::elu, 1>();
    case TB_LEAKY_RELU: return floats<C, fn::leaky_relu, 1>();
    case TB_MISH: return floats<C, fn::mish, 1, code::large>();
    case TB_HARDSWISH: return floats<C, fn::hardswish, 1>();
    case TB_HARDSIGMOID: return floats<C, fn::hardsigmoid, 1>();
    case TB_LOG_SIGMOID: return floats<C, fn::log_sigmoid, 1, code::large>();
    case TB_POW: return numbers_only<C, fn::pow, 2, code::large>();
    case TB_ATAN2: return floats<C, fn::atan2, 2, code::large>();
    case TB_HYPOT: return floats<C, fn::hypot, 2, code::large>();
    case TB_COPYSIGN: return floats<C, fn::copysign, 2>();
    case TB_LOGADDEXP: return floats<C, fn::logaddexp, 2, code::large>();
    case TB_XLOGY: return floats<C, fn::xlogy, 2, code::large>();
    default: return {};
  }
}

template <typename Find>
constexpr pass_table table_of(Find find) {
  pass_table all;
  for (int32_t op = 0; op < TB_ELEMENTWISE_COUNT; ++op) all.of[op] = find(op);
  return all;
}

template <typename C>
constexpr passes all_passes(int32_t op) {
  const passes found = number_passes<C>(op);
  return found.any != nullptr ? found : function_passes<C>(op);
}

}  // namespace tb_cuda

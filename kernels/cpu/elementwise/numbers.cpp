// Elementwise operations on any number, on bits, and predicates. The compiler makes vectors of them.
#include "elementwise/elementwise.h"
#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {

namespace fn = tb_kernel::fn;

namespace {

constexpr loops find(int32_t op) {
  switch (op) {
    case TB_FILL: return everything<fn::fill, 0>();
    case TB_NEG: return numbers_only<fn::neg, 1>();
    case TB_ABS: return everything<fn::abs, 1>();
    case TB_SIGN: return everything<fn::sign, 1>();
    case TB_SQUARE: return numbers_only<fn::square, 1>();
    case TB_RELU: return numbers_only<fn::relu, 1>();
    case TB_CLAMP: return numbers_only<fn::clamp, 1>();
    case TB_RECIPROCAL: return floats<fn::reciprocal, 1>();
    case TB_BITWISE_NOT: return bits<fn::bitwise_not, 1>();
    case TB_LOGICAL_NOT: return predicate<fn::logical_not, 1>();
    case TB_ISNAN: return predicate<fn::isnan, 1>();
    case TB_ISINF: return predicate<fn::isinf, 1>();
    case TB_ISFINITE: return predicate<fn::isfinite, 1>();
    case TB_ADD: return everything<fn::add, 2>();
    case TB_SUB: return numbers_only<fn::sub, 2>();
    case TB_MUL: return everything<fn::mul, 2>();
    case TB_DIV: return floats<fn::div, 2>();
    case TB_DIV_FLOOR: return numbers_only<fn::div_floor, 2>();
    case TB_DIV_TRUNC: return numbers_only<fn::div_trunc, 2>();
    case TB_REMAINDER: return numbers_only<fn::remainder, 2>();
    case TB_FMOD: return numbers_only<fn::fmod, 2>();
    case TB_MAXIMUM: return everything<fn::maximum, 2>();
    case TB_MINIMUM: return everything<fn::minimum, 2>();
    case TB_FMAX: return everything<fn::fmax, 2>();
    case TB_FMIN: return everything<fn::fmin, 2>();
    case TB_THRESHOLD_BACKWARD: return numbers_only<fn::threshold_backward, 2>();
    case TB_HEAVISIDE: return everything<fn::heaviside, 2>();
    case TB_BITWISE_AND: return bits<fn::bitwise_and, 2>();
    case TB_BITWISE_OR: return bits<fn::bitwise_or, 2>();
    case TB_BITWISE_XOR: return bits<fn::bitwise_xor, 2>();
    case TB_SHIFT_LEFT: return integers<fn::shift_left, 2>();
    case TB_SHIFT_RIGHT: return integers<fn::shift_right, 2>();
    case TB_EQ: return predicate<fn::eq, 2>();
    case TB_NE: return predicate<fn::ne, 2>();
    case TB_LT: return predicate<fn::lt, 2>();
    case TB_LE: return predicate<fn::le, 2>();
    case TB_GT: return predicate<fn::gt, 2>();
    case TB_GE: return predicate<fn::ge, 2>();
    case TB_LOGICAL_AND: return predicate<fn::logical_and, 2>();
    case TB_LOGICAL_OR: return predicate<fn::logical_or, 2>();
    case TB_LOGICAL_XOR: return predicate<fn::logical_xor, 2>();
    case TB_WHERE: return everything<fn::where, 3>();
    case TB_ADDCMUL: return numbers_only<fn::addcmul, 3>();
    case TB_ADDCDIV: return floats<fn::addcdiv, 3>();
    case TB_LERP: return floats<fn::lerp, 3>();
    default: return {};
  }
}

}  // namespace

constinit const loop_table number_loops = table_of(find);

}  // namespace tb_cpu::TOPBIT_ARCH

// The operations of elementwise kernels, and their properties common to all tables.
export module topbit.ops:elementwise.operation;

import topbit.std;
import :registration.backend_call;

namespace topbit::detail {

// In the order of the kernel ABI, kernels/abi/kernel_ops.h: elementwise.cpp checks positions in each group.
enum class elementwise : std::int32_t {
  fill,
  neg,
  abs,
  sign,
  square,
  relu,
  clamp,
  ceil,
  floor,
  round,
  trunc,
  frac,
  reciprocal,
  sqrt,
  rsqrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  erfinv,
  lgamma,
  digamma,
  sigmoid,
  logit,
  nan_to_num,
  silu,
  gelu,
  gelu_tanh,
  softplus,
  elu,
  leaky_relu,
  mish,
  hardswish,
  hardsigmoid,
  log_sigmoid,
  bitwise_not,
  logical_not,
  isnan,
  isinf,
  isfinite,
  add,
  sub,
  mul,
  div,
  div_floor,
  div_trunc,
  remainder,
  fmod,
  pow,
  maximum,
  minimum,
  fmax,
  fmin,
  threshold_backward,
  heaviside,
  atan2,
  hypot,
  copysign,
  logaddexp,
  xlogy,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  shift_left,
  shift_right,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  logical_and,
  logical_or,
  logical_xor,
  where,
  addcmul,
  addcdiv,
  lerp,
  count
};
template <>
inline constexpr table_entry entry_of<elementwise> = table_entry::elementwise;

// Compute type and result type of an operation, from the promoted type of its operands.
enum class result_rule : std::uint8_t {
  same,       // the promoted type
  floating,   // the promoted type, float32 for integers and bool
  number,     // the promoted type, int64 for bool
  predicate,  // bool, for any compared type
};

// The allowed promoted types.
struct accepted_types {
  bool boolean, integer, floating;
};
inline constexpr accepted_types any_type{true, true, true};
inline constexpr accepted_types any_number{false, true, true};
inline constexpr accepted_types only_floating{false, false, true};
inline constexpr accepted_types bits_only{true, true, false};
inline constexpr accepted_types integers_only{false, true, false};

struct elementwise_facts {
  result_rule result = result_rule::same;
  accepted_types accepts = any_type;
  bool condition = false;  // the first operand is a condition, which is not promoted
  bool in_type = false;    // its number is converted to the compute type, and must be representable in it
};

constexpr elementwise_facts facts_of(elementwise code) noexcept {
  using enum elementwise;
  switch (code) {
    case fill: return {result_rule::same, any_type};
    case neg:
    case relu:
    case clamp:
    case remainder:
    case fmod:
    case div_floor:
    case div_trunc:
    case pow: return {result_rule::same, any_number};
    case abs:
    case sign:
    case mul:
    case maximum:
    case minimum:
    case fmax:
    case fmin:
    case heaviside: return {result_rule::same, any_type};
    case square: return {result_rule::number, any_type};
    case add: return {result_rule::same, any_type, false, true};
    case sub:
    case addcmul: return {result_rule::same, any_number, false, true};
    case where: return {result_rule::same, any_type, true};
    case threshold_backward: return {result_rule::same, any_number};
    case ceil:
    case floor:
    case round:
    case trunc: return {result_rule::same, any_number};
    case frac:
    case softplus:
    case elu:
    case leaky_relu:
    case silu:
    case gelu:
    case gelu_tanh:
    case mish:
    case hardswish:
    case hardsigmoid:
    case log_sigmoid:
    case lerp: return {result_rule::same, only_floating};
    case nan_to_num: return {result_rule::same, any_type};
    case addcdiv: return {result_rule::same, only_floating};
    case bitwise_not:
    case bitwise_and:
    case bitwise_or:
    case bitwise_xor: return {result_rule::same, bits_only};
    case shift_left:
    case shift_right: return {result_rule::same, integers_only};
    case logical_not:
    case isnan:
    case isinf:
    case isfinite:
    case eq:
    case ne:
    case lt:
    case le:
    case gt:
    case ge:
    case logical_and:
    case logical_or:
    case logical_xor: return {result_rule::predicate, any_type};
    default: return {result_rule::floating, any_type};
  }
}

}  // namespace topbit::detail

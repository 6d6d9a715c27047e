// Elementwise kernels of one architecture: fill, arange, copy, unary, binary, compare.
//
// Floating point goes through xsimd batches; integers, bytes and conversions are plain loops which the compiler
// vectorises for the architecture. Each operation is one line; loops.h owns the loops.
#include <type_traits>

#include "batch_math.h"
#include "layout.h"
#include "loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using byte = uint8_t;  // a BOOL element: 0 or 1

bool same_dtypes(const tb_plan& plan) {
  for (int o = 1; o < plan.operands; ++o) {
    if (plan.operand[o].dtype != plan.operand[0].dtype) return false;
  }
  return true;
}

// int64_t arithmetic wraps, which C++ has for unsigned numbers only.
int64_t wrapping_add(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
int64_t wrapping_subtract(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
int64_t wrapping_multiply(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

// A floating point number outside int64_t becomes the lowest int64_t, as x86 has it, and not what C++ has: undefined
// behaviour.
template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<To, byte>) {
    return byte(x != From(0));
  } else if constexpr (std::is_same_v<To, int64_t> && std::is_floating_point_v<From>) {
    return x >= From(-0x1p63) && x < From(0x1p63) ? int64_t(x) : INT64_MIN;
  } else {
    return To(x);
  }
}

template <typename T>
void fill_with(const tb_plan& plan, T value) {
  map<by_element, T>(plan, [value] { return value; });
}

template <typename To, typename From>
void convert_all(const tb_plan& plan) {
  map<by_element, To, From>(plan, [](From x) { return convert<To>(x); });
}

template <typename T>
void copy_same(const tb_plan& plan) {
  if (plan.operand[0].strides[0] != 1 || plan.operand[1].strides[0] != 1) {
    return map<by_element, T, T>(plan, [](T x) { return x; });
  }
  each_row(plan, {int64_t(sizeof(T)), int64_t(sizeof(T))},
           [&](char* const* at) { __builtin_memmove(at[0], at[1], static_cast<size_t>(plan.sizes[0]) * sizeof(T)); });
}

template <typename From>
tb_status copy_from(const tb_plan& plan) {
  const auto to = [&]<typename To>(To) {
    if constexpr (std::is_same_v<To, From>) {
      copy_same<To>(plan);
    } else {
      convert_all<To, From>(plan);
    }
    return TB_OK;
  };
  switch (plan.operand[0].dtype) {
    case TB_BOOL: return to(byte());
    case TB_I64: return to(int64_t());
    case TB_F32: return to(float());
    case TB_F64: return to(double());
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

template <typename T>
tb_status unary_float(tb_unary_op op, const tb_plan& plan) {
  using batch = vec<T>;
  const auto apply = [&](auto f) {
    map<by_batch<T>, T, T>(plan, f);
    return TB_OK;
  };
  switch (op) {
    case TB_NEG: return apply([](batch x) { return x ^ batch(T(-0.0)); });  // 0 - x loses the sign of zero
    case TB_EXP: return apply([](batch x) { return exp<T>(x); });
    case TB_LOG: return apply([](batch x) { return log<T>(x); });
    case TB_RELU: return apply([](batch x) { return xsimd::select(x <= batch(T(0)), batch(T(0)), x); });
  }
  return TB_UNSUPPORTED_DTYPE;
}

tb_status unary_integer(tb_unary_op op, const tb_plan& plan) {
  const auto apply = [&](auto f) {
    map<by_element, int64_t, int64_t>(plan, f);
    return TB_OK;
  };
  switch (op) {
    case TB_NEG: return apply([](int64_t x) { return wrapping_subtract(0, x); });
    case TB_RELU: return apply([](int64_t x) { return x < 0 ? 0 : x; });
    case TB_EXP:
    case TB_LOG: break;
  }
  return TB_UNSUPPORTED_DTYPE;
}

template <typename T>
tb_status binary_float(tb_binary_op op, const tb_plan& plan, T alpha) {
  using batch = vec<T>;
  const auto apply = [&](auto f) {
    map<by_batch<T>, T, T, T>(plan, f);
    return TB_OK;
  };
  const batch factor(op == TB_SUB ? -alpha : alpha);
  switch (op) {
    case TB_ADD:
    case TB_SUB: return apply([=](batch a, batch b) { return xsimd::fma(factor, b, a); });
    case TB_MUL: return apply([](batch a, batch b) { return a * b; });
    case TB_DIV: return apply([](batch a, batch b) { return a / b; });
    case TB_RELU_BACKWARD:
      return apply([](batch a, batch b) { return xsimd::select(b > batch(T(0)), a, batch(T(0))); });
  }
  return TB_UNSUPPORTED_DTYPE;
}

tb_status binary_integer(tb_binary_op op, const tb_plan& plan, int64_t alpha) {
  const auto apply = [&](auto f) {
    map<by_element, int64_t, int64_t, int64_t>(plan, f);
    return TB_OK;
  };
  using i64 = int64_t;
  switch (op) {
    case TB_ADD: return apply([=](i64 a, i64 b) { return wrapping_add(a, wrapping_multiply(alpha, b)); });
    case TB_SUB: return apply([=](i64 a, i64 b) { return wrapping_subtract(a, wrapping_multiply(alpha, b)); });
    case TB_MUL: return apply([](i64 a, i64 b) { return wrapping_multiply(a, b); });
    case TB_RELU_BACKWARD: return apply([](i64 a, i64 b) { return b > 0 ? a : 0; });
    case TB_DIV: break;
  }
  return TB_UNSUPPORTED_DTYPE;
}

tb_status binary_bool(tb_binary_op op, const tb_plan& plan) {
  const auto apply = [&](auto f) {
    map<by_element, byte, byte, byte>(plan, f);
    return TB_OK;
  };
  switch (op) {
    case TB_ADD: return apply([](byte a, byte b) { return byte(a | b); });
    case TB_MUL: return apply([](byte a, byte b) { return byte(a & b); });
    case TB_SUB:
    case TB_DIV:
    case TB_RELU_BACKWARD: break;
  }
  return TB_UNSUPPORTED_DTYPE;
}

template <typename T>
tb_status compare_as(tb_compare_op op, const tb_plan& plan) {
  const auto apply = [&](auto f) {
    map<by_element, byte, T, T>(plan, f);
    return TB_OK;
  };
  switch (op) {
    case TB_EQ: return apply([](T a, T b) { return byte(a == b); });
    case TB_NE: return apply([](T a, T b) { return byte(a != b); });
    case TB_LT: return apply([](T a, T b) { return byte(a < b); });
    case TB_LE: return apply([](T a, T b) { return byte(a <= b); });
    case TB_GT: return apply([](T a, T b) { return byte(a > b); });
    case TB_GE: return apply([](T a, T b) { return byte(a >= b); });
  }
  return TB_UNSUPPORTED_DTYPE;
}

}  // namespace

tb_status fill(const tb_plan* plan, tb_scalar value, void*) {
  switch (plan->operand[0].dtype) {
    case TB_BOOL: fill_with(*plan, byte(value.i != 0 || value.f != 0)); return TB_OK;
    case TB_I64: fill_with(*plan, value.i); return TB_OK;
    case TB_F32: fill_with(*plan, float(value.f)); return TB_OK;
    case TB_F64: fill_with(*plan, value.f); return TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void*) {
  const tb_operand& out = plan->operand[0];
  const auto each = [&]<typename T>(T* at, auto value) {
    for (int64_t i = 0; i < plan->sizes[0]; ++i) at[i * out.strides[0]] = T(value(i));
    return TB_OK;
  };
  const auto integer = [&](int64_t i) { return wrapping_add(start.i, wrapping_multiply(i, step.i)); };
  const auto real = [&](int64_t i) { return start.f + double(i) * step.f; };
  switch (out.dtype) {
    case TB_I64: return each(static_cast<int64_t*>(out.data), integer);
    case TB_F32: return each(static_cast<float*>(out.data), real);
    case TB_F64: return each(static_cast<double*>(out.data), real);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status copy(const tb_plan* plan, void*) {
  switch (plan->operand[1].dtype) {
    case TB_BOOL: return copy_from<byte>(*plan);
    case TB_I64: return copy_from<int64_t>(*plan);
    case TB_F32: return copy_from<float>(*plan);
    case TB_F64: return copy_from<double>(*plan);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status unary(tb_unary_op op, const tb_plan* plan, void*) {
  if (!same_dtypes(*plan)) return TB_UNSUPPORTED_DTYPE;
  switch (plan->operand[0].dtype) {
    case TB_I64: return unary_integer(op, *plan);
    case TB_F32: return unary_float<float>(op, *plan);
    case TB_F64: return unary_float<double>(op, *plan);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status binary(tb_binary_op op, const tb_plan* plan, tb_scalar alpha, void*) {
  if (!same_dtypes(*plan)) return TB_UNSUPPORTED_DTYPE;
  switch (plan->operand[0].dtype) {
    case TB_BOOL: return binary_bool(op, *plan);
    case TB_I64: return binary_integer(op, *plan, alpha.i);
    case TB_F32: return binary_float<float>(op, *plan, float(alpha.f));
    case TB_F64: return binary_float<double>(op, *plan, alpha.f);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status compare(tb_compare_op op, const tb_plan* plan, void*) {
  if (plan->operand[0].dtype != TB_BOOL || plan->operand[1].dtype != plan->operand[2].dtype) {
    return TB_UNSUPPORTED_DTYPE;
  }
  switch (plan->operand[1].dtype) {
    case TB_BOOL: return compare_as<byte>(op, *plan);
    case TB_I64: return compare_as<int64_t>(op, *plan);
    case TB_F32: return compare_as<float>(op, *plan);
    case TB_F64: return compare_as<double>(op, *plan);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

// Loops of the most common arithmetic for operands that other loops get through a buffer: one element that is repeated,
// and elements of 16 bits. They compute what the loops of elementwise.h compute, bit for bit.
#pragma once

#include "elementwise/elementwise.h"
#include "error_function.h"
#include "half_vectors.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
auto vectors_of(const tb_kernel::numbers<T>& k) {
  return tb_kernel::numbers<vec<T>>{vec<T>(k.n0), vec<T>(k.n1), vec<T>(k.n2)};
}

// Calls at(first, lanes) for vectors of `count` elements, of which the last may be a part.
template <int64_t width, int64_t together = 4, typename At>
void each_vector(int64_t count, const At& at) {
  int64_t i = 0;
  for (; i + together * width <= count; i += together * width) {
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k) at(i + k * width, width);
  }
  for (; i + width <= count; i += width) at(i, width);
  if (i < count) at(i, count - i);
}

// Operand `Repeated` is one element.
template <typename F, typename T, int Repeated>
void loop_with_one(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = vec<T>::size;
  const auto k = vectors_of(numbers_as<T>(number));
  const vec<T> one(*static_cast<const T*>(in[Repeated]));
  const T* const others = static_cast<const T*>(in[1 - Repeated]);
  T* const to = static_cast<T*>(out);
  each_vector<width>(count, [&](int64_t i, int64_t lanes) {
    const vec<T> other = lanes == width ? vec<T>::load_unaligned(others + i) : load_part(others + i, lanes, T(0));
    const vec<T> result = Repeated == 0 ? F::apply(one, other, k) : F::apply(other, one, k);
    lanes == width ? result.store_unaligned(to + i) : store_part(to + i, lanes, result);
  });
}

// All operands have elements E.
template <typename F, typename E, int Inputs>
void loop_of_halves(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  const auto k = vectors_of(numbers_as<float>(number));
  E* const to = static_cast<E*>(out);
  const auto from = [&](int n, int64_t i, int64_t lanes) { return load_pair(static_cast<const E*>(in[n]) + i, lanes); };
  each_vector<2 * float_lanes, 2>(count, [&](int64_t i, int64_t lanes) {
    const float_pair a = from(0, i, lanes);
    if constexpr (Inputs == 1) {
      store_pair(to + i, lanes, {F::apply(a.first, k), F::apply(a.second, k)});
    } else {
      const float_pair b = from(1, i, lanes);
      store_pair(to + i, lanes, {F::apply(a.first, b.first, k), F::apply(a.second, b.second, k)});
    }
  });
}

struct relu_of_vectors {
  static vec<float> apply(vec<float> x, const tb_kernel::numbers<vec<float>>&) {
    return xsimd::select(x <= vec<float>(0.0f), vec<float>(0.0f), x);
  }
};

struct gelu_of_vectors {
  static vec<float> apply(vec<float> x, const tb_kernel::numbers<vec<float>>&) { return gelu(x); }
};

template <typename F>
loop_fn loop_with_one(int32_t compute, int repeated) {
  if (compute == TB_F32) return repeated == 0 ? loop_with_one<F, float, 0> : loop_with_one<F, float, 1>;
  if (compute == TB_F64) return repeated == 0 ? loop_with_one<F, double, 0> : loop_with_one<F, double, 1>;
  return nullptr;
}

// Null if there is none.
inline loop_fn loop_with_one(int32_t op, int32_t compute, int repeated) {
  namespace fn = tb_kernel::fn;
  switch (op) {
    case TB_ADD: return loop_with_one<fn::add>(compute, repeated);
    case TB_SUB: return loop_with_one<fn::sub>(compute, repeated);
    case TB_MUL: return loop_with_one<fn::mul>(compute, repeated);
    case TB_DIV: return loop_with_one<fn::div>(compute, repeated);
    case TB_POW:
      if (repeated == 1 && compute == TB_F32) return loops_of(op).with_one_f32;
      return repeated == 1 && compute == TB_F64 ? loops_of(op).with_one_f64 : nullptr;
    default: return nullptr;
  }
}

template <typename E>
loop_fn loop_of_halves(int32_t op) {
  namespace fn = tb_kernel::fn;
  switch (op) {
    case TB_ADD: return loop_of_halves<fn::add, E, 2>;
    case TB_SUB: return loop_of_halves<fn::sub, E, 2>;
    case TB_MUL: return loop_of_halves<fn::mul, E, 2>;
    case TB_DIV: return loop_of_halves<fn::div, E, 2>;
    case TB_RELU: return loop_of_halves<relu_of_vectors, E, 1>;
    case TB_GELU: return loop_of_halves<gelu_of_vectors, E, 1>;
    default: return nullptr;
  }
}

// Null if there is none, or if elements are converted one at a time.
inline loop_fn loop_of_halves(int32_t op, int32_t dtype) {
#if defined(__F16C__)
  if (dtype == TB_F16) return loop_of_halves<half>(op);
#endif
  return dtype == TB_BF16 ? loop_of_halves<bfloat16>(op) : nullptr;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

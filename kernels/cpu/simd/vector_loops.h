// The loops of functions: SIMD where vector_table.h lists the operation or whole_division.h that of integers, otherwise
// a loop over the element function.
//
// The remainder is computed with whole registers too, so that an element's value does not depend on its position in the
// row.
#pragma once

#include <type_traits>

#include "elementwise/elementwise.h"
#include "gradient_functions.h"
#include "simd/simd.h"
#include "vector_table.h"
#include "whole_division.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename F, typename T>
void unary_vector_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = vec<T>::size;
  const auto given = numbers_as<T>(number);
  T* const to = static_cast<T*>(out);
  const T* const from = static_cast<const T*>(in[0]);
  // Unrolled: independent dependency chains overlap, and divisions hide behind polynomials.
  constexpr int64_t together = 4;
  int64_t i = 0;
  for (; i + together * width <= count; i += together * width) {
    vec<T> results[together];
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k)
      results[k] = in_vectors<F>(vec<T>::load_unaligned(from + i + k * width), given);
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k) results[k].store_unaligned(to + i + k * width);
  }
  for (; i + width <= count; i += width) {
    in_vectors<F>(vec<T>::load_unaligned(from + i), given).store_unaligned(to + i);
  }
  if (i < count) store_part<T>(to + i, count - i, in_vectors<F>(load_part(from + i, count - i, T(0)), given));
}

// Of two or three inputs.
template <typename F, typename T, int Inputs>
void vector_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = vec<T>::size;
  const auto given = numbers_as<T>(number);
  T* const to = static_cast<T*>(out);
  const T* from[Inputs];
  for (int n = 0; n < Inputs; ++n) from[n] = static_cast<const T*>(in[n]);
  const auto apply = [&](auto&& load) {
    if constexpr (Inputs == 2)
      return in_vectors<F>(load(from[0]), load(from[1]), given);
    else
      return in_vectors<F>(load(from[0]), load(from[1]), load(from[2]), given);
  };
  const auto at = [&](int64_t i) {
    return apply([i](const T* operand) { return vec<T>::load_unaligned(operand + i); });
  };
  constexpr int64_t together = 2;
  int64_t i = 0;
  for (; i + together * width <= count; i += together * width) {
    vec<T> results[together];
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k) results[k] = at(i + k * width);
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k) results[k].store_unaligned(to + i + k * width);
  }
  for (; i + width <= count; i += width) at(i).store_unaligned(to + i);
  if (i < count) {
    store_part<T>(to + i, count - i, apply([&](const T* operand) { return load_part(operand + i, count - i, T(0)); }));
  }
}

// Bit for bit.
template <typename T>
bool all_are(T value, const T* at, int64_t count) {
  constexpr int64_t width = vec<T>::size;
  const auto wanted = bits_of<T>(vec<T>(value));
  auto differ = wanted ^ wanted;
  int64_t i = 0;
  for (; i + width <= count; i += width) differ = differ | (bits_of<T>(vec<T>::load_unaligned(at + i)) ^ wanted);
  for (; i < count; ++i) {
    if (__builtin_memcmp(at + i, &value, sizeof(T)) != 0) return false;
  }
  return xsimd::all(differ == (wanted ^ wanted));
}

// in[1] is one element.
template <typename T>
void power_with_one(int64_t count, void* out, const void* const* in, const tb_scalar*) {
  const T given = *static_cast<const T*>(in[1]);
  loop_fn of_one = unary_vector_loop<fixed_power, T>;
  each_simple_exponent([&](auto doubled) {
    if (given == T(doubled) / 2) of_one = unary_vector_loop<fixed_simple_power<doubled>, T>;
  });
  tb_scalar exponent[TB_MAX_NUMBERS] = {};
  exponent[0].f = double(given);
  of_one(count, out, in, exponent);
}

// Usually all elements of a row have the same exponent.
template <typename T>
void power_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  const T* const exponents = static_cast<const T*>(in[1]);
  const bool one = count > 0 && all_are(exponents[0], exponents, count);
  (one ? power_with_one<T> : vector_loop<fn::pow, T, 2>)(count, out, in, number);
}

template <typename F, int Inputs>
constexpr loops best_loops() {
  constexpr loop_fn integer = [] {
    if constexpr (std::is_null_pointer_v<decltype(of_whole_numbers<F>)>)
      return nullptr;
    else
      return whole_division_loop<F>;
  }();
  if constexpr (std::is_null_pointer_v<decltype(in_vectors<F>)>) {
    return floats<F, Inputs>();
  } else if constexpr (std::is_same_v<F, fn::pow>) {
    return {nullptr, nullptr, power_loop<float>,     power_loop<double>,
            2,       false,   power_with_one<float>, power_with_one<double>};
  } else if constexpr (Inputs == 1) {
    return {nullptr, nullptr, unary_vector_loop<F, float>, unary_vector_loop<F, double>, 1, false};
  } else {
    return {nullptr, integer, vector_loop<F, float, Inputs>, vector_loop<F, double, Inputs>, Inputs, false};
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

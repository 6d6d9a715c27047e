// The loops of floating-point operations: over vectors where vector_table.h has a line for the operation, otherwise the
// element's function in a loop.
//
// Tails are whole vectors too, so that an element's value does not depend on where in a row it stands.
#pragma once

#include <type_traits>

#include "batches.h"
#include "float_functions.h"
#include "pointwise.h"
#include "vector_table.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename F, typename T>
void unary_vector_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = vec<T>::size;
  const auto k = numbers_as<T>(number);
  T* const to = static_cast<T*>(out);
  const T* const from = static_cast<const T*>(in[0]);
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    in_vectors<F>(vec<T>::load_unaligned(from + i), k).store_unaligned(to + i);
  }
  if (i < count) store_part<T>(to + i, count - i, in_vectors<F>(load_part(from + i, count - i, from[i]), k));
}

template <typename F, typename T>
void binary_vector_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = vec<T>::size;
  const auto k = numbers_as<T>(number);
  T* const to = static_cast<T*>(out);
  const T *const a = static_cast<const T*>(in[0]), *const b = static_cast<const T*>(in[1]);
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    in_vectors<F>(vec<T>::load_unaligned(a + i), vec<T>::load_unaligned(b + i), k).store_unaligned(to + i);
  }
  if (i == count) return;
  const auto left = load_part(a + i, count - i, a[i]), right = load_part(b + i, count - i, b[i]);
  store_part<T>(to + i, count - i, in_vectors<F>(left, right, k));
}

template <typename F, int Inputs>
constexpr loops best_loops() {
  if constexpr (std::is_null_pointer_v<decltype(in_vectors<F>)>) {
    return floats<F, Inputs>();
  } else if constexpr (Inputs == 1) {
    return {nullptr, nullptr, unary_vector_loop<F, float>, unary_vector_loop<F, double>, 1, false};
  } else {
    return {nullptr, nullptr, binary_vector_loop<F, float>, binary_vector_loop<F, double>, 2, false};
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

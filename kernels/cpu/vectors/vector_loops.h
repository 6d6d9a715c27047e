// The loops written with vectors: operations whose vector form is not the element's function in a loop.
#pragma once

#include "batch_math.h"
#include "batches.h"
#include "pointwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Tails are whole vectors too, so that an element's value does not depend on where in a row it stands.
template <typename T, typename F>
void unary_in_vectors(int64_t count, void* out, const void* in, F f) {
  constexpr int64_t width = vec<T>::size;
  T* const to = static_cast<T*>(out);
  const T* const from = static_cast<const T*>(in);
  int64_t i = 0;
  for (; i + width <= count; i += width) f(vec<T>::load_unaligned(from + i)).store_unaligned(to + i);
  if (i < count) store_part<T>(to + i, count - i, f(load_part(from + i, count - i, from[i])));
}

template <typename T>
void exp_loop(int64_t count, void* out, const void* const* in, const tb_scalar*) {
  unary_in_vectors<T>(count, out, in[0], [](vec<T> x) { return exp<T>(x); });
}
template <typename T>
void log_loop(int64_t count, void* out, const void* const* in, const tb_scalar*) {
  unary_in_vectors<T>(count, out, in[0], [](vec<T> x) { return log<T>(x); });
}

constexpr loops exp_loops() { return {nullptr, nullptr, exp_loop<float>, exp_loop<double>, 1, false}; }
constexpr loops log_loops() { return {nullptr, nullptr, log_loop<float>, log_loop<double>, 1, false}; }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

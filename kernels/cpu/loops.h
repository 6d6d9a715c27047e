// The loops behind the elementwise kernels: the walk over a plan's outer dimensions, and one row of dimension 0.
//
// Two drivers. map_batches runs an operation on xsimd batches, tails included, so that an element's value does not
// depend on where in a row it stands. map_elements runs it element by element and leaves the vectors to the
// compiler, which does well on bytes, integers and conversions. Neither touches memory outside the operands.
#pragma once

#include <utility>

#include "arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Ways to reach element i of a row. They differ in what the compiler can know about the address.
template <typename T>
struct dense {
  T* at;
  T& operator[](int64_t i) const { return at[i]; }
};

template <typename T>
struct strided {
  T* at;
  int64_t stride;
  T& operator[](int64_t i) const { return at[i * stride]; }
};

template <typename T>
struct repeated {
  T value;
  const T& operator[](int64_t) const { return value; }
};

template <typename T>
vec<T> load(dense<const T> in, int64_t i) {
  return vec<T>::load_unaligned(in.at + i);
}

template <typename T>
vec<T> load(repeated<T> in, int64_t) {
  return vec<T>(in.value);
}

// The lanes past count repeat the first element: a value the operation meets anyway.
template <typename T, typename Access>
vec<T> gather(Access in, int64_t i, int64_t count) {
  alignas(64) T lanes[vec<T>::size];
  for (int64_t lane = 0; lane < count; ++lane) lanes[lane] = in[i + lane];
  for (int64_t lane = count; lane < int64_t(vec<T>::size); ++lane) lanes[lane] = lanes[0];
  return vec<T>::load_aligned(lanes);
}

template <typename T, typename Access>
void scatter(Access out, int64_t i, int64_t count, vec<T> value) {
  alignas(64) T lanes[vec<T>::size];
  value.store_aligned(lanes);
  for (int64_t lane = 0; lane < count; ++lane) out[i + lane] = lanes[lane];
}

// Part of a batch at the end of dense memory; the missing lanes are `rest`.
template <typename T>
vec<T> load_part(const T* at, int64_t count, T rest) {
  alignas(64) T lanes[vec<T>::size];
  vec<T>(rest).store_aligned(lanes);
  __builtin_memcpy(lanes, at, static_cast<size_t>(count) * sizeof(T));
  return vec<T>::load_aligned(lanes);
}

template <typename T>
void store_part(T* at, int64_t count, vec<T> value) {
  alignas(64) T lanes[vec<T>::size];
  value.store_aligned(lanes);
  __builtin_memcpy(at, lanes, static_cast<size_t>(count) * sizeof(T));
}

template <typename T>
struct by_batch {
  template <typename Op, typename... In>
  static void run(int64_t n, Op op, dense<T> out, In... in) {
    constexpr int64_t width = vec<T>::size;
    int64_t i = 0;
    for (; i + width <= n; i += width) op(load<T>(in, i)...).store_unaligned(out.at + i);
    if (i < n) scatter<T>(out, i, n - i, op(gather<T>(in, i, n - i)...));
  }

  template <typename Op, typename... In>
  static void run(int64_t n, Op op, strided<T> out, In... in) {
    constexpr int64_t width = vec<T>::size;
    for (int64_t i = 0; i < n; i += width) {
      const int64_t count = n - i < width ? n - i : width;
      scatter<T>(out, i, count, op(gather<T>(in, i, count)...));
    }
  }
};

struct by_element {
  // The result is at most the same memory as an input, element for element, so iterations are independent.
  template <typename Op, typename Out, typename... In>
  static void run(int64_t n, Op op, Out out, In... in) {
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < n; ++i) out[i] = op(in[i]...);
  }
};

template <typename Driver, typename Op, typename Out>
void row(int64_t n, Op op, strided<Out> out) {
  if (out.stride == 1) return Driver::run(n, op, dense<Out>{out.at});
  Driver::run(n, op, out);
}

template <typename Driver, typename Op, typename Out, typename In>
void row(int64_t n, Op op, strided<Out> out, strided<const In> in) {
  if (out.stride == 1 && in.stride == 1) return Driver::run(n, op, dense<Out>{out.at}, dense<const In>{in.at});
  Driver::run(n, op, out, in);
}

template <typename Driver, typename Op, typename Out, typename In>
void row(int64_t n, Op op, strided<Out> out, strided<const In> a, strided<const In> b) {
  const dense<Out> dense_out{out.at};
  const dense<const In> dense_a{a.at};
  const dense<const In> dense_b{b.at};
  if (out.stride == 1 && a.stride == 1 && b.stride == 1) return Driver::run(n, op, dense_out, dense_a, dense_b);
  if (out.stride == 1 && a.stride == 1 && b.stride == 0) {
    return Driver::run(n, op, dense_out, dense_a, repeated<In>{*b.at});
  }
  if (out.stride == 1 && a.stride == 0 && b.stride == 1) {
    return Driver::run(n, op, dense_out, repeated<In>{*a.at}, dense_b);
  }
  Driver::run(n, op, out, a, b);
}

// Calls visit(addresses) with the first element of each operand in every row of dimension 0.
template <int Operands, typename Visit>
void each_row(const tb_plan& plan, const int64_t (&element_bytes)[Operands], Visit visit) {
  char* at[Operands];
  int64_t step[Operands][TB_MAX_DIMS];
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.sizes[d] <= 0) return;
  }
  for (int o = 0; o < Operands; ++o) {
    at[o] = static_cast<char*>(plan.operand[o].data);
    for (int d = 1; d < plan.ndim; ++d) step[o][d] = plan.operand[o].strides[d] * element_bytes[o];
  }
  int64_t index[TB_MAX_DIMS] = {};
  for (;;) {
    visit(at);
    int d = 1;
    for (; d < plan.ndim; ++d) {
      if (++index[d] < plan.sizes[d]) {
        for (int o = 0; o < Operands; ++o) at[o] += step[o][d];
        break;
      }
      index[d] = 0;
      for (int o = 0; o < Operands; ++o) at[o] -= step[o][d] * (plan.sizes[d] - 1);
    }
    if (d >= plan.ndim) return;
  }
}

// out[i] = op(in[i]...) over a whole plan: operand 0 has elements Out, the others In.
template <typename Driver, typename Out, typename... In, typename Op>
void map(const tb_plan& plan, Op op) {
  const int64_t element_bytes[] = {sizeof(Out), sizeof(In)...};
  const auto visit = [&]<int... O>(std::integer_sequence<int, O...>) {
    each_row(plan, element_bytes, [&](char* const* at) {
      row<Driver>(plan.sizes[0], op, strided<Out>{reinterpret_cast<Out*>(at[0]), plan.operand[0].strides[0]},
                  strided<const In>{reinterpret_cast<const In*>(at[O + 1]), plan.operand[O + 1].strides[0]}...);
    });
  };
  visit(std::make_integer_sequence<int, sizeof...(In)>{});
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

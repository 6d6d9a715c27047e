// The kernels of elementwise operations, and the tables in which elementwise.cu looks them up.
//
// Per compute type, an operation has kernels over vectors of 16 bytes, for contiguous operands of one dtype, and one
// kernel for operands of any dtype and stride.
#pragma once

#include <string.h>

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "elementwise/pack.cuh"
#include "gradient_functions.h"
#include "runtime/launch.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {

// The scalar parameters of an operation, each in the compute type.
struct number_bits {
  uint64_t bits[TB_MAX_NUMBERS];

  template <typename C>
  __device__ tb_kernel::numbers<C> as() const {
    C number[TB_MAX_NUMBERS];
    for (int i = 0; i < TB_MAX_NUMBERS; ++i) memcpy(&number[i], &bits[i], sizeof(C));
    return {number[0], number[1], number[2]};
  }
};

// Inputs passed by value because they are in host memory, each in the compute type; their step is -1.
struct held_inputs {
  uint64_t bits[TB_MAX_OPERANDS];

  template <typename C>
  __device__ C as(int operand) const {
    C c;
    memcpy(&c, &bits[operand], sizeof c);
    return c;
  }
};

// Operands that are contiguous or broadcast along dimension 0. With several rows, a row is a whole number of vectors.
struct vector_call {
  static constexpr int most_outer = 3;

  void* data[TB_MAX_OPERANDS];
  int64_t vectors;                // whole vectors
  int32_t tail;                   // elements after the last whole vector; 0 if there are several rows
  int32_t outer;                  // dimensions of rows; if 0, the members after `report` are not set
  int32_t step[TB_MAX_OPERANDS];  // along dimension 0: 1, or 0 (broadcast); -1: passed by value in `held`
  number_bits number;
  held_inputs held;
  reporter report;  // only set for operations that report
  divider row;      // by the vectors of a row
  divider by[most_outer];
  int64_t strides[most_outer][TB_MAX_OPERANDS];

  // The operands' offsets of the first element of vector n.
  template <int V>
  __device__ void at(int64_t n, int64_t (&offset)[TB_MAX_OPERANDS]) const {
    if (outer == 0) {
      for (int o = 0; o < TB_MAX_OPERANDS; ++o) offset[o] = step[o] > 0 ? n * V : 0;
      return;
    }
    uint32_t rest = row.quotient(uint32_t(n));
    const int64_t column = int64_t(uint32_t(n) - rest * row.divisor) * V;
    for (int o = 0; o < TB_MAX_OPERANDS; ++o) offset[o] = step[o] > 0 ? column : 0;
#pragma unroll
    for (int d = 0; d < most_outer; ++d) {
      if (d >= outer) break;
      const uint32_t next = by[d].quotient(rest), index = rest - next * by[d].divisor;
      rest = next;
      for (int o = 0; o < TB_MAX_OPERANDS; ++o) offset[o] += int64_t(index) * strides[d][o];
    }
  }
};

// Operands of any dtype and stride.
struct element_call {
  offsets<TB_MAX_OPERANDS> element_offsets;
  void* data[TB_MAX_OPERANDS];
  int32_t dtype[TB_MAX_OPERANDS];  // -1: passed by value in `held`
  number_bits number;
  held_inputs held;
  reporter report;  // only set for operations that report
};

using vector_kernel = void (*)(vector_call);
using element_kernel = void (*)(element_call);

constexpr int vector_bytes = 16;

// Vectors per thread, for elements of that many bytes; the loads of all are issued before the first use. One for
// large functions and narrow elements, which keeps the code small.
constexpr int vectors_of_thread(int element_bytes, bool large) { return large || element_bytes < 4 ? 1 : 2; }

// An operation's kernels for one compute type; `any` is null if the operation does not support the type.
struct kernel_variants {
  vector_kernel over[TB_DTYPE_COUNT] = {};    // by the dtype of inputs and result (of a predicate: of inputs)
  vector_kernel masked[TB_DTYPE_COUNT] = {};  // the same with a BOOL first input
  element_kernel any = nullptr;
  int32_t inputs = 0;
  bool predicate = false;  // the result is BOOL
  bool large = false;
};

struct variant_table {
  kernel_variants of[TB_ELEMENTWISE_COUNT];
};
extern const variant_table bool_variants, integer_variants, float_variants, double_variants;
// The part of float_variants with the functions of float_functions.h.
extern const variant_table float_function_variants;

namespace fn = tb_kernel::fn;

template <typename F, typename C>
inline constexpr bool divides_integers =
    std::is_same_v<C, int64_t> && (std::is_same_v<F, fn::div_floor> || std::is_same_v<F, fn::div_trunc> ||
                                   std::is_same_v<F, fn::remainder> || std::is_same_v<F, fn::fmod>);

// Applies F to as many of a, b and c as it takes. An integer division by zero gives 0 and sets by_zero.
template <typename F, int Inputs, typename C>
__device__ auto evaluate(C a, C b, C c, const tb_kernel::numbers<C>& k, bool& by_zero) {
  if constexpr (Inputs == 0) {
    return F::template apply<C>(k);
  } else if constexpr (Inputs == 1) {
    return F::apply(a, k);
  } else if constexpr (divides_integers<F, C>) {
    by_zero = by_zero || b == 0;
    return b == 0 ? C(0) : F::apply(a, b, k);
  } else if constexpr (Inputs == 2) {
    return F::apply(a, b, k);
  } else {
    return F::apply(a, b, c, k);
  }
}

// The result type of F. Computed from F::apply: nvcc's host compiler does not see bodies of device functions, so it
// cannot deduce `auto`.
template <typename F, int Inputs, typename C>
struct result_type {
  using number = const tb_kernel::numbers<C>&;
  using type = decltype(F::apply(std::declval<C>(), std::declval<C>(), std::declval<number>()));
};
template <typename F, typename C>
struct result_type<F, 0, C> {
  using type = C;
};
template <typename F, typename C>
struct result_type<F, 1, C> {
  using type = decltype(F::apply(std::declval<C>(), std::declval<const tb_kernel::numbers<C>&>()));
};
template <typename F, typename C>
struct result_type<F, 3, C> {
  using type = decltype(F::apply(std::declval<C>(), std::declval<C>(), std::declval<C>(),
                                 std::declval<const tb_kernel::numbers<C>&>()));
};
template <typename F, int Inputs, typename C>
using result_of = typename result_type<F, Inputs, C>::type;
static_assert(std::is_same_v<result_of<fn::eq, 2, float>, bool_t> &&
              std::is_same_v<result_of<fn::add, 2, float>, float>);

// E: element type; A: element type of the first input. A block has consecutive vectors; a thread has every
// block_threads-th of them.
template <typename F, int Inputs, typename C, typename E, typename A, bool Large>
__global__ void __launch_bounds__(block_threads) each_vector(vector_call call) {
  constexpr int V = vector_bytes / int(sizeof(E)), U = vectors_of_thread(sizeof(E), Large);
  using R = std::conditional_t<std::is_same_v<result_of<F, Inputs, C>, bool_t>, boolean, E>;
  const int64_t first = int64_t(blockIdx.x) * (block_threads * U) + threadIdx.x;
  int64_t offset[U][TB_MAX_OPERANDS];
  int some[U];
  pack<A, V> a[U];
  pack<E, V> b[U], c[U];
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const int64_t n = first + u * block_threads;
    some[u] = n < call.vectors ? V : n == call.vectors ? call.tail : 0;
    if (some[u] == 0) continue;
    call.at<V>(n, offset[u]);
    if constexpr (Inputs > 0) load(a[u], call.data[1], offset[u][1], call.step[1], some[u]);
    if constexpr (Inputs > 1) load(b[u], call.data[2], offset[u][2], call.step[2], some[u]);
    if constexpr (Inputs > 2) load(c[u], call.data[3], offset[u][3], call.step[3], some[u]);
  }
  const auto k = call.number.as<C>();
  bool by_zero = false;
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (some[u] == 0) continue;
    pack<R, V> r;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      C x{}, y{}, z{};
      // A single input is never passed by value.
      if constexpr (Inputs == 1) x = to_compute<C>(a[u].of[j]);
      if constexpr (Inputs > 1) x = call.step[1] < 0 ? call.held.as<C>(1) : to_compute<C>(a[u].of[j]);
      if constexpr (Inputs > 1) y = call.step[2] < 0 ? call.held.as<C>(2) : to_compute<C>(b[u].of[j]);
      if constexpr (Inputs > 2) z = call.step[3] < 0 ? call.held.as<C>(3) : to_compute<C>(c[u].of[j]);
      r.of[j] = from_compute<R>(evaluate<F, Inputs>(x, y, z, k, by_zero));
    }
    store(call.data[0], offset[u][0], r, some[u]);
  }
  if constexpr (divides_integers<F, C>) {
    if (by_zero) call.report(TB_DIVISION_BY_ZERO, 0);
  }
}

template <typename F, int Inputs, typename C>
__global__ void __launch_bounds__(block_threads) each_element(element_call call) {
  const auto k = call.number.as<C>();
  bool by_zero = false;
  for (int64_t i = first_index(); i < call.element_offsets.count; i += index_step()) {
    int64_t offset[TB_MAX_OPERANDS];
    call.element_offsets.at(i, offset);
    C x{}, y{}, z{};
    const auto input = [&](int o) {
      return call.dtype[o] < 0 ? call.held.as<C>(o) : load_as<C>(call.data[o], call.dtype[o], offset[o]);
    };
    if constexpr (Inputs > 0) x = input(1);
    if constexpr (Inputs > 1) y = input(2);
    if constexpr (Inputs > 2) z = input(3);
    store_as(call.data[0], call.dtype[0], offset[0], evaluate<F, Inputs>(x, y, z, k, by_zero));
  }
  if constexpr (divides_integers<F, C>) {
    if (by_zero) call.report(TB_DIVISION_BY_ZERO, 0);
  }
}

}  // namespace tb_cuda

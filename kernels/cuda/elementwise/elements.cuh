// Element types and compute types. An element is the representation in memory; kernels compute in bool_t (a byte, 0
// or 1), int64_t, float or double.
#pragma once

#include <stdint.h>

#include <type_traits>

#ifdef __CUDACC__
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>
#endif

#include "function.h"
#include "half.h"
#include "kernel_abi.h"
#include "runtime/launch.cuh"

namespace tb_cuda {

using bool_t = uint8_t;
struct boolean {
  uint8_t byte;
};
using tb_kernel::bfloat16;
using tb_kernel::half;

template <typename E>
inline constexpr bool is_half = std::is_same_v<E, half> || std::is_same_v<E, bfloat16>;
template <typename E>
inline constexpr bool is_float = std::is_floating_point_v<E> || is_half<E>;

// The compute type of an element type.
template <typename E>
using compute_of =
    std::conditional_t<std::is_same_v<E, boolean>, bool_t,
                       std::conditional_t<is_half<E>, float, std::conditional_t<std::is_integral_v<E>, int64_t, E>>>;

__host__ __device__ inline float widen(half x) {
#ifdef __CUDACC__
  return __half2float(__ushort_as_half(x.bits));
#else
  return tb_kernel::to_float(x);
#endif
}
__host__ __device__ inline float widen(bfloat16 x) { return tb_kernel::to_float(x); }

template <typename E>
__host__ __device__ E narrow(float x) {
  if constexpr (std::is_same_v<E, half>) {
#ifdef __CUDACC__
    return {__half_as_ushort(__float2half_rn(x))};
#else
    return tb_kernel::to_half(x);
#endif
  } else {
#ifdef __CUDACC__
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#else
    return tb_kernel::to_bfloat16(x);
#endif
  }
}

// Converts an element to a compute type.
template <typename C, typename E>
__host__ __device__ C to_compute(E e) {
  if constexpr (std::is_same_v<E, boolean>) {
    return C(e.byte != 0);
  } else if constexpr (std::is_same_v<C, bool_t>) {
    if constexpr (is_half<E>)
      return bool_t(widen(e) != 0);
    else
      return bool_t(e != E(0));
  } else if constexpr (is_half<E>) {
    return to_compute<C>(widen(e));
  } else if constexpr (std::is_same_v<C, int64_t> && std::is_floating_point_v<E>) {
    // Out of range becomes INT64_MIN, as on the CPU.
    return e >= E(-0x1p63) && e < E(0x1p63) ? C(e) : INT64_MIN;
  } else {
    return C(e);
  }
}

// Converts a compute type to an element; integers wrap.
template <typename E, typename C>
__host__ __device__ E from_compute(C c) {
  if constexpr (std::is_same_v<E, boolean>) {
    return {uint8_t(c != C(0))};
  } else if constexpr (is_half<E>) {
    return narrow<E>(float(c));
  } else if constexpr (std::is_integral_v<E> && std::is_floating_point_v<C>) {
    return E(to_compute<int64_t>(c));
  } else {
    return E(c);
  }
}

template <typename E>
struct element_type {
  using type = E;
};

constexpr int64_t bytes_of[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

// Calls f(element_type<E>()) for the dtype's E; f returns a tb_status.
template <typename F>
tb_status with_element(int32_t dtype, F f) {
  switch (dtype) {
    case TB_BOOL: return f(element_type<boolean>());
    case TB_U8: return f(element_type<uint8_t>());
    case TB_I8: return f(element_type<int8_t>());
    case TB_I16: return f(element_type<int16_t>());
    case TB_I32: return f(element_type<int32_t>());
    case TB_I64: return f(element_type<int64_t>());
    case TB_F16: return f(element_type<half>());
    case TB_BF16: return f(element_type<bfloat16>());
    case TB_F32: return f(element_type<float>());
    case TB_F64: return f(element_type<double>());
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

// Loads and stores that switch on the dtype, a uniform branch, for kernels without an instance per dtype.
template <typename C>
__host__ __device__ C load_as(const void* data, int32_t dtype, int64_t i) {
  switch (dtype) {
    case TB_BOOL: return to_compute<C>(static_cast<const boolean*>(data)[i]);
    case TB_U8: return to_compute<C>(static_cast<const uint8_t*>(data)[i]);
    case TB_I8: return to_compute<C>(static_cast<const int8_t*>(data)[i]);
    case TB_I16: return to_compute<C>(static_cast<const int16_t*>(data)[i]);
    case TB_I32: return to_compute<C>(static_cast<const int32_t*>(data)[i]);
    case TB_I64: return to_compute<C>(static_cast<const int64_t*>(data)[i]);
    case TB_F16: return to_compute<C>(static_cast<const half*>(data)[i]);
    case TB_BF16: return to_compute<C>(static_cast<const bfloat16*>(data)[i]);
    case TB_F32: return to_compute<C>(static_cast<const float*>(data)[i]);
    default: return to_compute<C>(static_cast<const double*>(data)[i]);
  }
}
template <typename C>
__device__ void store_as(void* data, int32_t dtype, int64_t i, C c) {
  switch (dtype) {
    case TB_BOOL: static_cast<boolean*>(data)[i] = from_compute<boolean>(c); return;
    case TB_U8: static_cast<uint8_t*>(data)[i] = from_compute<uint8_t>(c); return;
    case TB_I8: static_cast<int8_t*>(data)[i] = from_compute<int8_t>(c); return;
    case TB_I16: static_cast<int16_t*>(data)[i] = from_compute<int16_t>(c); return;
    case TB_I32: static_cast<int32_t*>(data)[i] = from_compute<int32_t>(c); return;
    case TB_I64: static_cast<int64_t*>(data)[i] = from_compute<int64_t>(c); return;
    case TB_F16: static_cast<half*>(data)[i] = from_compute<half>(c); return;
    case TB_BF16: static_cast<bfloat16*>(data)[i] = from_compute<bfloat16>(c); return;
    case TB_F32: static_cast<float*>(data)[i] = from_compute<float>(c); return;
    default: static_cast<double*>(data)[i] = from_compute<double>(c); return;
  }
}

}  // namespace tb_cuda

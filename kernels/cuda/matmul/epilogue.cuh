// GEMM epilogue: out = activation(alpha * sum + beta * added), element by element.
#pragma once

#include "float_functions.h"
#include "matmul/tiled.cuh"

namespace tb_cuda {

// Not inline: a tile has up to 64 elements per thread, and inlining would copy all these functions for each.
template <typename T>
__attribute__((noinline)) __device__ T activated(int32_t activation, T x) {
  using namespace tb_kernel;
  if constexpr (std::is_same_v<T, uint64_t>) {
    return int64_t(x) <= 0 ? 0 : x;
  } else {
    const numbers<T> none{};
    switch (activation) {
      case TB_RELU: return fn::relu::apply(x, none);
      case TB_SIGMOID: return fn::sigmoid::apply(x, none);
      case TB_TANH: return fn::tanh::apply(x, none);
      case TB_SILU: return fn::silu::apply(x, none);
      case TB_GELU: return fn::gelu::apply(x, none);
      default: return fn::gelu_tanh::apply(x, none);
    }
  }
}

// T: compute type. If it is float, the result may be float16 or bfloat16.
template <typename T>
__device__ T load_result(const void* data, int32_t dtype, int64_t i) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == TB_F16) return widen(static_cast<const half*>(data)[i]);
    if (dtype == TB_BF16) return widen(static_cast<const bfloat16*>(data)[i]);
  }
  return static_cast<const T*>(data)[i];
}
template <typename T>
__device__ void store_result(void* data, int32_t dtype, int64_t i, T x) {
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == TB_F16) {
      static_cast<half*>(data)[i] = narrow<half>(x);
      return;
    }
    if (dtype == TB_BF16) {
      static_cast<bfloat16*>(data)[i] = narrow<bfloat16>(x);
      return;
    }
  }
  static_cast<T*>(data)[i] = x;
}

template <typename T>
struct epilogue {
  void* out;
  const void* added;
  int64_t out_row, out_col, out_batch, added_row, added_col, added_batch;
  T alpha, beta;
  int32_t dtype, activation;

  epilogue() = default;
  explicit epilogue(const tb_matmul& p)
      : out(p.out),
        added(p.added),
        out_row(p.out_row),
        out_col(p.out_col),
        out_batch(p.out_batch),
        added_row(p.added_row),
        added_col(p.added_col),
        added_batch(p.added_batch),
        alpha(std::is_integral_v<T> ? T(p.alpha.i) : T(p.alpha.f)),
        beta(std::is_integral_v<T> ? T(p.beta.i) : T(p.beta.f)),
        dtype(p.out_dtype),
        activation(p.activation) {}

  __device__ void operator()(int64_t batch, int64_t row, int64_t col, T sum) const {
    T x = alpha * sum;
    if (added != nullptr) {
      x += beta * load_result<T>(added, dtype, batch * added_batch + row * added_row + col * added_col);
    }
    if (activation >= 0) x = activated(activation, x);
    store_result(out, dtype, batch * out_batch + row * out_row + col * out_col, x);
  }
};

// Destination of the sums of one part of the depth: the epilogue if there is one part, else memory for finish_sums.
template <typename T>
struct sums_of_parts {
  T* to;  // [parts][batch][m][n]; null if there is one part
  int64_t m, n, batch;
  epilogue<T> end;

  __device__ void operator()(int64_t part, int64_t at, int64_t row, int64_t col, T sum) const {
    if (to == nullptr) {
      end(at, row, col, sum);
    } else {
      to[((part * batch + at) * m + row) * n + col] = sum;
    }
  }
};

}  // namespace tb_cuda

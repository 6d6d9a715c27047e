// Element types of sparse kernels, their arithmetic, and the choice of a template by type codes.
//
// Names have internal linkage, as kernels/cpu/isa/arch.h explains.
#pragma once

#include <stdint.h>
#include <string.h>

#include "half_lanes.h"
#include "sparse_kernels.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

struct boolean {
  uint8_t byte;
};

#if defined(__FMA__)
inline constexpr bool fused = true;
#else
inline constexpr bool fused = false;
#endif

// `raw` is what memory holds, `sum` the type of arithmetic, unsigned for integers since they wrap, and `ordered` the
// type of comparisons. Functions take numbers or lanes.
template <typename T>
struct plain_number {
  using raw = T;
  using sum = T;
  using ordered = T;
  template <int Count>
  static lanes<T, Count> widened(lanes<T, Count> x) {
    return x;
  }
  template <int Count>
  static lanes<T, Count> narrowed(lanes<T, Count> x) {
    return x;
  }
};

template <typename T>
struct integer_number : plain_number<T> {
  template <typename V>
  static V plus(V a, V b) {
    return static_cast<V>(a + b);
  }
  template <typename V>
  static V times(V a, V b) {
    return static_cast<V>(promoted(a) * promoted(b));
  }
  template <typename V>
  static V multiply_add(V a, V b, V c) {
    return static_cast<V>(promoted(a) * promoted(b) + promoted(c));
  }
  // The language promotes short numbers to int, whose products may overflow; lanes are not promoted.
  template <typename V>
  static auto promoted(V x) {
    if constexpr (__is_integral(V) && sizeof(V) < sizeof(uint32_t)) {
      return uint32_t(x);
    } else {
      return x;
    }
  }
  static T of(tb_scalar x) { return static_cast<T>(x.i); }
};

template <typename T>
struct float_number : plain_number<T> {
  template <typename V>
  static V plus(V a, V b) {
    return a + b;
  }
  template <typename V>
  static V times(V a, V b) {
    return a * b;
  }
  template <typename V>
  static V multiply_add(V a, V b, V c) {
    if constexpr (fused) return __builtin_elementwise_fma(a, b, c);
    return a * b + c;
  }
  static T of(tb_scalar x) { return static_cast<T>(x.f); }
};

template <typename T>
struct number;

template <>
struct number<uint8_t> : integer_number<uint8_t> {};
template <>
struct number<int8_t> : integer_number<uint8_t> {
  using ordered = int8_t;
};
template <>
struct number<int16_t> : integer_number<uint16_t> {
  using ordered = int16_t;
};
template <>
struct number<int32_t> : integer_number<uint32_t> {
  using ordered = int32_t;
};
template <>
struct number<int64_t> : integer_number<uint64_t> {
  using ordered = int64_t;
};

template <>
struct number<boolean> : integer_number<uint8_t> {
  template <typename V>
  static V plus(V a, V b) {
    return static_cast<V>(a | b);
  }
  template <typename V>
  static V times(V a, V b) {
    return static_cast<V>(a & b);
  }
  template <typename V>
  static V multiply_add(V a, V b, V c) {
    return static_cast<V>((a & b) | c);
  }
  static sum of(tb_scalar x) { return x.i != 0; }
};

template <>
struct number<float> : float_number<float> {};
template <>
struct number<double> : float_number<double> {};

template <>
struct number<half> : float_number<float> {
  using raw = uint16_t;
  template <int Count>
  static lanes<float, Count> widened(lanes<uint16_t, Count> x) {
    return from_half<Count>(x);
  }
  template <int Count>
  static lanes<uint16_t, Count> narrowed(lanes<float, Count> x) {
    return to_half<Count>(x);
  }
};

template <>
struct number<bfloat16> : float_number<float> {
  using raw = uint16_t;
  template <int Count>
  static lanes<float, Count> widened(lanes<uint16_t, Count> x) {
    return from_bfloat16<Count>(x);
  }
  template <int Count>
  static lanes<uint16_t, Count> narrowed(lanes<float, Count> x) {
    return to_bfloat16<Count>(x);
  }
};

template <typename T>
using raw_of = typename number<T>::raw;
template <typename T>
using sum_of = typename number<T>::sum;

template <typename T, int Count>
inline lanes<sum_of<T>, Count> load(const raw_of<T>* from) {
  lanes<raw_of<T>, Count> x;
  memcpy(&x, from, sizeof x);
  return number<T>::template widened<Count>(x);
}

template <typename T>
inline sum_of<T> load(const raw_of<T>* from) {
  return number<T>::template widened<1>(*from);
}

template <typename T>
inline raw_of<T> narrowed(sum_of<T> x) {
  return number<T>::template narrowed<1>(x);
}

template <typename T, int Count>
inline void store(raw_of<T>* to, lanes<sum_of<T>, Count> x) {
  const lanes<raw_of<T>, Count> result = number<T>::template narrowed<Count>(x);
  memcpy(to, &result, sizeof result);
}

template <typename V, int Count, typename T>
inline V filled(T x) {
  if constexpr (Count == 1) {
    return x;
  } else {
    return V{} + x;
  }
}

// Calls f with a value of the type that a code names; all codes of the kernel ABI are known.
template <typename F>
inline void with_dtype(int32_t dtype, F f) {
  switch (dtype) {
    case TB_BOOL: return f(boolean());
    case TB_U8: return f(uint8_t());
    case TB_I8: return f(int8_t());
    case TB_I16: return f(int16_t());
    case TB_I32: return f(int32_t());
    case TB_I64: return f(int64_t());
    case TB_F16: return f(half());
    case TB_BF16: return f(bfloat16());
    case TB_F32: return f(float());
    case TB_F64: return f(double());
    default: return;
  }
}

template <typename F>
inline void with_float(int32_t dtype, F f) {
  switch (dtype) {
    case TB_F16: return f(half());
    case TB_BF16: return f(bfloat16());
    case TB_F32: return f(float());
    case TB_F64: return f(double());
    default: return;
  }
}

template <typename F>
inline auto with_index(int32_t index, F f) {
  return index == TB_I32 ? f(int32_t()) : f(int64_t());
}

// A tb_csr with typed arrays.
template <typename I>
struct matrix {
  const I* compressed;
  const I* plain;
  int64_t rows, columns, nnz;

  explicit matrix(const tb_csr& a)
      : compressed(static_cast<const I*>(a.compressed)),
        plain(static_cast<const I*>(a.plain)),
        rows(a.rows),
        columns(a.columns),
        nnz(a.nnz) {}
};

}  // namespace
}  // namespace tb_sparse::TOPBIT_ARCH

// Reductions of one architecture: sum and argmax over the middle of a dense [outer][length][inner] input.
//
// With inner == 1 vectors run along the row; otherwise they run across the columns, which are dense. Floating
// point sums are pairwise. Loads may take in neighbouring columns but never leave the input.
#include <limits>
#include <type_traits>

#include "batches.h"
#include "layout.h"
#include "pairwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using byte = uint8_t;

template <typename T>
T sum_of_row(const T* row, int64_t length) {
  constexpr int64_t width = vec<T>::size;
  return pairwise<512>(0, length, [row](int64_t first, int64_t count) {
    const T* at = row + first;
    vec<T> part[4] = {vec<T>(T(0)), vec<T>(T(0)), vec<T>(T(0)), vec<T>(T(0))};
    int64_t i = 0;
    for (; i + 4 * width <= count; i += 4 * width) {
      for (int u = 0; u < 4; ++u) part[u] = part[u] + vec<T>::load_unaligned(at + i + u * width);
    }
    for (; i + width <= count; i += width) part[0] = part[0] + vec<T>::load_unaligned(at + i);
    if (i < count) part[1] = part[1] + load_part(at + i, count - i, T(0));
    return sum_of_lanes<T>((part[0] + part[1]) + (part[2] + part[3]));
  });
}

// A stripe of neighbouring columns, some vectors wide.
template <typename T, int Vectors>
struct stripe {
  vec<T> part[Vectors];

  friend stripe operator+(const stripe& a, const stripe& b) {
    stripe sum;
    for (int v = 0; v < Vectors; ++v) sum.part[v] = a.part[v] + b.part[v];
    return sum;
  }
};

// Sums the columns that start at `in`. Lanes beyond the last column hold sums of the next row's first columns;
// `end` is the end of the whole input.
template <typename T, int Vectors>
stripe<T, Vectors> sum_of_columns(const T* in, const T* end, int64_t length, int64_t inner) {
  constexpr int64_t width = vec<T>::size;
  return pairwise<64>(0, length, [=](int64_t first, int64_t count) {
    stripe<T, Vectors> sum;
    for (int v = 0; v < Vectors; ++v) sum.part[v] = vec<T>(T(0));
    for (int64_t l = first; l < first + count; ++l) {
      const T* at = in + l * inner;
      for (int v = 0; v < Vectors; ++v, at += width) {
        sum.part[v] = sum.part[v] + (end - at >= width ? vec<T>::load_unaligned(at) : load_part(at, end - at, T(0)));
      }
    }
    return sum;
  });
}

template <typename T>
void sum_floats(const tb_reduce& reduce) {
  constexpr int64_t width = vec<T>::size;
  const T* in = static_cast<const T*>(reduce.in);
  T* out = static_cast<T*>(reduce.out);
  if (reduce.inner == 1) {
    for (int64_t o = 0; o < reduce.outer; ++o) out[o] = sum_of_row(in + o * reduce.length, reduce.length);
    return;
  }
  const T* end = in + reduce.outer * reduce.length * reduce.inner;
  for (int64_t o = 0; o < reduce.outer; ++o) {
    int64_t c = 0;
    for (; c + 4 * width <= reduce.inner; c += 4 * width) {
      const auto sum = sum_of_columns<T, 4>(in + c, end, reduce.length, reduce.inner);
      for (int v = 0; v < 4; ++v) sum.part[v].store_unaligned(out + c + v * width);
    }
    for (; c < reduce.inner; c += width) {
      const auto sum = sum_of_columns<T, 1>(in + c, end, reduce.length, reduce.inner);
      const int64_t count = reduce.inner - c < width ? reduce.inner - c : width;
      store_part(out + c, count, sum.part[0]);
    }
    in += reduce.length * reduce.inner;
    out += reduce.inner;
  }
}

template <typename T>
void sum_integers(const tb_reduce& reduce) {
  const T* in = static_cast<const T*>(reduce.in);
  uint64_t* out = static_cast<uint64_t*>(reduce.out);  // wraps
  for (int64_t o = 0; o < reduce.outer; ++o, out += reduce.inner) {
    if (reduce.inner == 1) {
      uint64_t sum = 0;
      for (int64_t l = 0; l < reduce.length; ++l) sum += static_cast<uint64_t>(in[l]);
      *out = sum;
      in += reduce.length;
      continue;
    }
    for (int64_t c = 0; c < reduce.inner; ++c) out[c] = 0;
    for (int64_t l = 0; l < reduce.length; ++l, in += reduce.inner) {
      for (int64_t c = 0; c < reduce.inner; ++c) out[c] += static_cast<uint64_t>(in[c]);
    }
  }
}

// Whether x takes the place of best, which came earlier: a NaN beats any number and no NaN.
template <typename T>
bool beats(T x, T best) {
  if constexpr (std::is_floating_point_v<T>) return x > best || (__builtin_isnan(x) && !__builtin_isnan(best));
  return x > best;
}

template <typename T>
int64_t argmax_of_row(const T* row, int64_t length) {
  int64_t best = 0;
  for (int64_t l = 1; l < length; ++l) {
    if (beats(row[l], row[best])) best = l;
  }
  return best;
}

// Long rows of floats in two passes: the greatest value, then where it stands first.
template <typename T>
int64_t argmax_of_long_row(const T* row, int64_t length) {
  constexpr int64_t width = vec<T>::size;
  vec<T> greatest(-std::numeric_limits<T>::infinity());
  int64_t i = 0;
  for (; i + width <= length; i += width) {
    const auto x = vec<T>::load_unaligned(row + i);
    if (xsimd::any(xsimd::isnan(x))) return i + argmax_of_row(row + i, width);
    greatest = xsimd::select(x > greatest, x, greatest);
  }
  alignas(64) T lanes[vec<T>::size];
  greatest.store_aligned(lanes);
  T value = lanes[argmax_of_row(lanes, width)];
  if (i < length) {
    const int64_t in_tail = i + argmax_of_row(row + i, length - i);
    if (beats(row[in_tail], value)) return in_tail;
  }
  int64_t found = 0;
  while (row[found] != value) ++found;
  return found;
}

template <typename T>
void argmax_of_columns(const T* in, int64_t* out, int64_t length, int64_t inner) {
  constexpr int64_t most = 64;
  T best[most];
  for (int64_t first = 0; first < inner; first += most) {
    const int64_t count = inner - first < most ? inner - first : most;
    for (int64_t c = 0; c < count; ++c) {
      best[c] = in[first + c];
      out[first + c] = 0;
    }
    for (int64_t l = 1; l < length; ++l) {
      const T* at = in + l * inner + first;
      for (int64_t c = 0; c < count; ++c) {
        const bool better = beats(at[c], best[c]);
        best[c] = better ? at[c] : best[c];
        out[first + c] = better ? l : out[first + c];
      }
    }
  }
}

template <typename T>
tb_status argmax_as(const tb_reduce& reduce) {
  const T* in = static_cast<const T*>(reduce.in);
  int64_t* out = static_cast<int64_t*>(reduce.out);
  for (int64_t o = 0; o < reduce.outer; ++o, in += reduce.length * reduce.inner, out += reduce.inner) {
    if (reduce.inner != 1) {
      argmax_of_columns(in, out, reduce.length, reduce.inner);
      continue;
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (reduce.length >= int64_t(4 * vec<T>::size)) {
        *out = argmax_of_long_row(in, reduce.length);
        continue;
      }
    }
    *out = argmax_of_row(in, reduce.length);
  }
  return TB_OK;
}

}  // namespace

tb_status sum(const tb_reduce* reduce, void*) {
  switch (reduce->dtype) {
    case TB_BOOL: sum_integers<byte>(*reduce); return TB_OK;
    case TB_I64: sum_integers<int64_t>(*reduce); return TB_OK;
    case TB_F32: sum_floats<float>(*reduce); return TB_OK;
    case TB_F64: sum_floats<double>(*reduce); return TB_OK;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status argmax(const tb_reduce* reduce, void*) {
  switch (reduce->dtype) {
    case TB_BOOL: return argmax_as<byte>(*reduce);
    case TB_I64: return argmax_as<int64_t>(*reduce);
    case TB_F32: return argmax_as<float>(*reduce);
    case TB_F64: return argmax_as<double>(*reduce);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH

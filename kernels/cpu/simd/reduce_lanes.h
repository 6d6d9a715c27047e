// Reduces dense elements in SIMD, with several independent accumulators to hide latency. For reducers that have `wide`
// and `wide_join`, the SIMD forms of their map and join.
#pragma once

#include <limits>
#include <type_traits>

#include "half_vectors.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// GCC vector extension types: they hold every element type and convert between them.
template <typename P, size_t Bytes = sizeof(vec<float>)>
using lanes [[gnu::vector_size(Bytes)]] = P;

// Bytes of an accumulator. Elements of a narrower type are converted to 32 bytes at most: where AVX-512 is executed
// by 32 bytes (Zen 4), a conversion to 64 bytes takes 1.8 times as long as two from memory to 32.
template <typename P, typename T>
constexpr size_t lanes_bytes = sizeof(P) > sizeof(T) && sizeof(vec<float>) > 32 ? 32 : sizeof(vec<float>);

constexpr int accumulators = 8;

template <typename P, size_t Bytes, typename T>
lanes<P, Bytes> load_lanes_as(const T* at) {
  constexpr int64_t width = Bytes / sizeof(P);
  if constexpr (half_element<T>) {
    return __builtin_bit_cast(lanes<P>, load_lanes(at, width, 0).data);
  } else if constexpr (sizeof(P) == sizeof(T)) {
    lanes<P> x;
    __builtin_memcpy(&x, at, sizeof x);
    return x;
  } else {
    using narrow [[gnu::vector_size(width * sizeof(T))]] = T;
    narrow x;
    __builtin_memcpy(&x, at, sizeof x);
    return __builtin_convertvector(x, lanes<P, Bytes>);
  }
}

template <typename F, typename T>
constexpr bool reduces_in_lanes = requires(lanes<typename F::template part<T>> x) {
  F::wide(x, 0.0);
  F::wide_join(x, x);
};

// Elements that are summed in lanes before the sums are flushed to the compensated total: 32 per lane, and of elements
// of a narrower type, whose sums need not be that exact, 512.
template <typename F, typename T>
constexpr int64_t lanes_block = [] {
  using part = typename F::template part<T>;
  return (sizeof(part) > sizeof(T) ? 512 : 32) * accumulators * int64_t(lanes_bytes<part, T> / sizeof(part));
}();

// sum + a * b, with one rounding where the processor has FMA.
template <typename V>
V add_product(V sum, V a, V b) {
#if defined(__FMA__)
  if constexpr (requires { __builtin_elementwise_fma(a, b, sum); }) return __builtin_elementwise_fma(a, b, sum);
#endif
  return sum + a * b;
}

// Joins the upper half of the lanes with the lower one until one is left.
template <typename F, int Width, typename V>
auto join_lanes(V x) {
  if constexpr (Width == 1) {
    return x[0];
  } else {
    V upper = x;
    constexpr int half = Width / 2;
    for (int u = 0; u < half; ++u) upper[u] = x[u + half];
    return join_lanes<F, half>(F::wide_join(x, upper));
  }
}

// Whether wide_join may drop a NaN, so that they are looked for separately.
template <typename F, typename P>
constexpr bool drops_nan = std::is_floating_point_v<P> && requires { F::drops_nan; };

// The greatest bit pattern of absolute values: above that of infinity if one of them is NaN. Cheaper than comparisons.
template <typename P>
class nan_finder {
  using bits = std::conditional_t<sizeof(P) == 4, uint32_t, uint64_t>;
  static constexpr bits magnitude = bits(~bits(0)) >> 1;
  static constexpr bits infinity = __builtin_bit_cast(bits, std::numeric_limits<P>::infinity());

 public:
  void see(lanes<P> x) {
    const lanes<bits> size = __builtin_bit_cast(lanes<bits>, x) & magnitude;
    greatest_ = size > greatest_ ? size : greatest_;
  }
  bool found() const {
    bits any = 0;
    for (size_t u = 0; u < sizeof(greatest_) / sizeof(bits); ++u) any |= bits(greatest_[u] > infinity);
    return any != 0;
  }

 private:
  lanes<bits> greatest_{};
};

struct no_finder {
  template <typename V>
  void see(V) {}
  bool found() const { return false; }
};

// Elements of type S, which are T or converted to it in registers.
template <typename F, typename T, typename S>
typename F::template part<T> reduce_in_lanes(const S* x, int64_t count, double constant) {
  using part = typename F::template part<T>;
  constexpr size_t bytes = lanes_bytes<part, T>;
  constexpr int64_t width = bytes / sizeof(part);
  using vector = lanes<part, bytes>;
  if (count < width) {
    part all = F::template identity<T>();
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (half_element<S>) {
        all = F::join(all, F::map(tb_kernel::to_float(x[i]), constant));
      } else {
        all = F::join(all, F::map(x[i], constant));
      }
    }
    return all;
  }
  const vector identity = vector{} + F::template identity<T>();
  std::conditional_t<drops_nan<F, part>, nan_finder<part>, no_finder> finder;
  const auto add = [&](vector sum, const S* at) {
    const vector value = load_lanes_as<part, bytes>(at);
    finder.see(value);
    if constexpr (requires { F::wide_add(sum, value, constant); }) {
      return F::wide_add(sum, value, constant);
    } else {
      return F::wide_join(sum, F::wide(value, constant));
    }
  };
  // The last lanes of the register that ends with the last element.
  const auto add_last = [&](vector sum, int64_t left) {
    const vector value = load_lanes_as<part, bytes>(x + count - width), mapped = F::wide(value, constant);
    finder.see(value);
    using position =
        std::conditional_t<sizeof(part) == 8, int64_t, std::conditional_t<sizeof(part) == 4, int32_t, int8_t>>;
    lanes<position, bytes> lane;
    for (int u = 0; u < width; ++u) lane[u] = position(u);
    const vector last = lane >= position(width - left) ? mapped : identity;
    return F::wide_join(sum, last);
  };
  const auto result = [&](vector sum) {
    return finder.found() ? std::numeric_limits<part>::quiet_NaN() : join_lanes<F, width>(sum);
  };
  int64_t i = 0;
  if (count < accumulators / 2 * width) {
    // Joining several accumulators would take longer.
    vector sum = identity;
    for (; i + width <= count; i += width) sum = add(sum, x + i);
    return result(i < count ? add_last(sum, count - i) : sum);
  }
  vector all[accumulators];
  const bool fills = count >= accumulators * width;
  for (int u = 0; u < accumulators; ++u) {
    all[u] = identity;
    if (!fills) continue;
    const vector value = load_lanes_as<part, bytes>(x + i);
    finder.see(value);
    all[u] = F::wide(value, constant);
    i += width;
  }
  const auto join = [&](int first, int some) {
    for (int u = first; u < first + some; ++u, i += width) all[u] = add(all[u], x + i);
  };
  while (i + accumulators * width <= count) join(0, accumulators);
  // The rest goes to accumulators of its own, so that no addition waits for another.
  const int64_t left = (count - i) / width;
  for (int some = accumulators / 2, first = 0; some > 0; first += some, some /= 2) {
    if ((left & some) != 0) join(first, some);
  }
  if (i < count) all[accumulators - 1] = add_last(all[accumulators - 1], count - i);
  for (int64_t n = accumulators / 2; n > 0; n /= 2) {
    for (int64_t u = 0; u < n; ++u) all[u] = F::wide_join(all[u], all[u + n]);
  }
  return result(all[0]);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH

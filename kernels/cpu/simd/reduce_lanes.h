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
template <typename P>
using lanes [[gnu::vector_size(sizeof(vec<float>))]] = P;

constexpr int64_t accumulators = 8;

template <typename P, typename T>
lanes<P> load_lanes_as(const T* at) {
  constexpr int64_t width = sizeof(lanes<P>) / sizeof(P);
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
    return __builtin_convertvector(x, lanes<P>);
  }
}

template <typename F, typename T>
constexpr bool reduces_in_lanes = requires(lanes<typename F::template part<T>> x) {
  F::wide(x, 0.0);
  F::wide_join(x, x);
};

// Elements that are summed in lanes before the sums are flushed to the compensated total: 32 per lane.
template <typename F, typename T>
constexpr int64_t lanes_block = 32 * accumulators * int64_t(sizeof(vec<float>) / sizeof(typename F::template part<T>));

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
  constexpr int64_t width = sizeof(lanes<part>) / sizeof(part);
  static_assert(accumulators == 8);
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
  const lanes<part> identity = lanes<part>{} + F::template identity<T>();
  lanes<part> all[accumulators];
  for (int64_t u = 0; u < accumulators; ++u) all[u] = identity;
  std::conditional_t<drops_nan<F, part>, nan_finder<part>, no_finder> finder;
  int64_t i = 0;
  const auto join = [&](int first, int some) {
    for (int u = first; u < first + some; ++u, i += width) {
      const lanes<part> value = load_lanes_as<part>(x + i);
      finder.see(value);
      all[u] = F::wide_join(all[u], F::wide(value, constant));
    }
  };
  while (i + accumulators * width <= count) join(0, 8);
  // The rest goes to accumulators of its own, so that no addition waits for another.
  const int64_t left = (count - i) / width;
  if ((left & 4) != 0) join(0, 4);
  if ((left & 2) != 0) join(4, 2);
  if ((left & 1) != 0) join(6, 1);
  if (i < count) {
    // The last lanes of the register that ends with the last element.
    const lanes<part> value = load_lanes_as<part>(x + count - width), mapped = F::wide(value, constant);
    finder.see(value);
    using position =
        std::conditional_t<sizeof(part) == 8, int64_t, std::conditional_t<sizeof(part) == 4, int32_t, int8_t>>;
    lanes<position> lane;
    for (int u = 0; u < width; ++u) lane[u] = position(u);
    const lanes<part> last = lane >= position(width - (count - i)) ? mapped : identity;
    all[7] = F::wide_join(all[7], last);
  }
  for (int64_t n = accumulators / 2; n > 0; n /= 2) {
    for (int64_t u = 0; u < n; ++u) all[u] = F::wide_join(all[u], all[u + n]);
  }
  if (finder.found()) return std::numeric_limits<part>::quiet_NaN();
  return join_lanes<F, width>(all[0]);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
